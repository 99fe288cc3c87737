import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { playwrightModule } from './src/package.js';
import { headsOf, metadataName, type RunHeads } from './src/playwright/attachments.js';
import { projectOf, readListing } from './src/playwright/listing.js';
import { isWorker } from './src/playwright/run-folder.js';

const { targets, reportsDir, isLarge, timeoutMs } = await readListing();
const several = targets.filter(({ project }) => project !== '');
// Workers are given the metadata of the first process.
const heads = isWorker ? [] : await headsOf();
// One process judges, that of our reporter. Playwright adds the reporter of this variable where
// `--reporter` leaves ours out.
process.env.PW_TEST_REPORTER ||= playwrightModule('reporter');

/**
 * The suite as Playwright tests: `npx playwright test`, with settings from the environment or
 * `.env`; a project for each target of TARGETS_FILE.
 */
export default defineConfig({
  testDir: fileURLToPath(new URL('./tests/conformance', import.meta.url)),
  testMatch: /\.spec\.[jt]s$/,
  // Workers only report. Thousands of tests are worth one for each processor; more than a few start
  // later than they are needed.
  workers: isLarge ? Math.min(availableParallelism(), 4) : 1,
  // Each operation is a describe block that stays together; so whole operations go to shards.
  fullyParallel: true,
  retries: 0,
  timeout: timeoutMs,
  outputDir: join(reportsDir, 'test-results'),
  reporter: [
    [process.stdout.isTTY ? 'line' : 'dot'],
    ['html', { outputFolder: `${reportsDir}/playwright`, open: 'never', noSnippets: true }],
    [playwrightModule('reporter')],
  ],
  captureGitInfo: { commit: false, diff: false },
  ...(several.length > 0 ? { projects: several.map(projectOf) } : {}),
  metadata: { [metadataName]: { reportsDir, heads } satisfies RunHeads },
});
