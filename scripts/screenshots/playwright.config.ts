import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const chromium = process.env.CHROMIUM_PATH ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

/** Makes the pictures of the README anew: `npm run screenshots`. */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/screenshots',
  // One picture is of a run.
  timeout: 120_000,
  reporter: 'list',
  use: {
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
});
