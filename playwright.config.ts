import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { projectOf } from './src/playwright/projects.js';
import { type Heads, metadataName, metadataOf } from './src/playwright/run-metadata.js';
import { openSessions } from './src/playwright/session.js';

const { sessions, reportsDir } = await openSessions();
const targets = sessions.filter(({ project }) => project !== '');
const large = sessions.some(({ contract }) => contract.operations.length > 50);
const makesKeys = sessions.some(({ settings }) => settings.values.KEY_PAGE_GENERATE);
/** `.ts` in a checkout, `.js` in the installed package. */
const extension = extname(fileURLToPath(import.meta.url));
const part = (name: string): string => fileURLToPath(new URL(`./src/playwright/${name}${extension}`, import.meta.url));

/**
 * The suite as Playwright tests: `npx playwright test`, with settings from the environment or `.env`; a project for each target
 * of TARGETS_FILE.
 */
export default defineConfig({
  testDir: fileURLToPath(new URL('./tests/conformance', import.meta.url)),
  testMatch: /\.spec\.[jt]s$/,
  // One worker keeps the order of a run: wrong keys last, and the key page after all else, since making a key may revoke
  // the one in API_KEY (files go in the order of their names).
  // Operations of large contracts are worth several.
  workers: large && !makesKeys ? '50%' : 1,
  // Each operation is a describe block that stays together; so whole operations go to workers and shards.
  fullyParallel: true,
  retries: 0,
  timeout: (Math.max(...sessions.map(({ target }) => target.rateLimitWaitS)) + 600) * 1000,
  outputDir: join(process.cwd(), 'test-results'),
  globalTeardown: part('teardown'),
  reporter: [
    [process.stdout.isTTY ? 'line' : 'dot'],
    ['html', { outputFolder: `${reportsDir}/playwright`, open: 'never', noSnippets: true }],
    [part('reporter')],
  ],
  captureGitInfo: { commit: false, diff: false },
  ...(targets.length > 0 ? { projects: targets.map(projectOf) } : {}),
  metadata: { [metadataName]: { reportsDir, heads: sessions.map(metadataOf) } satisfies Heads },
});
