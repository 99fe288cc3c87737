import { defineConfig } from '@playwright/test';

/**
 * Records what every server of the zoo answers: `npm run record-zoo`. One after the other, on the
 * same ports each time.
 */
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/record-zoo',
  reporter: 'list',
  workers: 1,
  timeout: 7_200_000,
});
