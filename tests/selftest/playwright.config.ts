import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

/** The proof that the suite is right: run with `npm test`. */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  fullyParallel: true,
  // What is built is JavaScript already; the compiled schemas alone take seconds to transpile.
  build: { external: ['**/dist/**'] },
  // More than two processors have work for, since tests wait for browsers, processes and time; and
  // few, since each worker loads everything for itself and becomes fast only as it runs.
  workers: Number(process.env.SELFTEST_WORKERS) || Math.max(4, availableParallelism()),
  // No test measures time: these only end what would never end, on a machine however busy.
  timeout: 900_000,
  expect: { timeout: 60_000 },
  // A shared machine may starve a browser; what passes on a second try only is named by .ci/run.
  retries: process.env.CI ? 1 : 0,
  // Tests with the tag @ci repeat over sockets, or over more cases, what the others prove.
  // Those with @all are more rows of a table.
  ...(process.env.ZOO === 'all' ? {} : { grepInvert: process.env.CI ? /@all/ : /@ci|@all/ }),
  forbidOnly: Boolean(process.env.CI),
  outputDir: '../../test-results/selftest',
  reporter: process.env.CI
    ? [['dot'], ['json', { outputFile: '../../test-results/selftest.json' }]]
    : [['list'], ['json', { outputFile: '../../test-results/selftest.json' }]],
  projects: [{ name: 'selftest' }],
});
