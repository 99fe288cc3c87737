import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { playwrightModule } from './src/package.js';
import { projectOf, readListing } from './src/playwright/listing.js';
import { isWorker } from './src/playwright/run-folder.js';
import { headsOf, metadataName, type RunHeads } from './src/playwright/run-metadata.js';

const { targets, reportsDir, isLarge, timeoutMs } = await readListing();
const several = targets.filter(({ project }) => project !== '');
// Workers are given the metadata of the first process.
const heads = isWorker ? [] : await headsOf();

/**
 * The suite as Playwright tests: `npx playwright test`, with settings from the environment or
 * `.env`; a project for each target of TARGETS_FILE.
 */
export default defineConfig({
  testDir: fileURLToPath(new URL('./tests/conformance', import.meta.url)),
  testMatch: /\.spec\.[jt]s$/,
  // One worker keeps the order of a run: wrong keys last, and the key page after all else, since
  // making a key may revoke the one in API_KEY (files go in the order of their names). Thousands of
  // tests are worth one for each processor; more than a few start later than they are needed.
  workers: isLarge ? Math.min(availableParallelism(), 4) : 1,
  // Each operation is a describe block that stays together; so whole operations go to workers and
  // shards.
  fullyParallel: true,
  retries: 0,
  timeout: timeoutMs,
  outputDir: join(process.cwd(), 'test-results'),
  globalTeardown: playwrightModule('teardown'),
  reporter: [
    [process.stdout.isTTY ? 'line' : 'dot'],
    ['html', { outputFolder: `${reportsDir}/playwright`, open: 'never', noSnippets: true }],
    [playwrightModule('reporter')],
  ],
  captureGitInfo: { commit: false, diff: false },
  ...(several.length > 0 ? { projects: several.map(projectOf) } : {}),
  metadata: { [metadataName]: { reportsDir, heads } satisfies RunHeads },
});
