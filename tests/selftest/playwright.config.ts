import { defineConfig } from '@playwright/test';

/** The proof that the suite is right: run with `npm test`. */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  fullyParallel: true,
  workers: process.env.SELFTEST_WORKERS ? Number(process.env.SELFTEST_WORKERS) : 3,
  timeout: 120_000,
  // A shared machine may starve a browser; what passes on a second try only is named by .ci/run.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  outputDir: '../../test-results/selftest',
  reporter: process.env.CI
    ? [['dot'], ['json', { outputFile: '../../test-results/selftest.json' }]]
    : [['list'], ['json', { outputFile: '../../test-results/selftest.json' }]],
  projects: [{ name: 'selftest' }],
});
