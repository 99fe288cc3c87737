import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFolder } from '../../../src/playwright/run-folder.js';
import { expect, test } from '../support/test.js';

/** The folder that the processes of a Playwright run share. */

const variable = 'ACCESS_CONFORMANCE_FOLDER';
let before: string | undefined;
test.beforeEach(() => {
  before = process.env[variable];
});
test.afterEach(() => {
  if (before === undefined) delete process.env[variable];
  else process.env[variable] = before;
});

test('the first process of a run removes what runs left that were killed days ago, and nothing else', () => {
  const days = (Date.now() - 2 * 86_400_000) / 1000;
  const made = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', 'of-others'].map((id) =>
    join(tmpdir(), `access-conformance-${id}`),
  );
  const [left = '', running = '', other = ''] = made;
  for (const folder of made) mkdirSync(folder, { recursive: true });
  writeFileSync(join(left, 'findings.jsonl'), '{}');
  for (const folder of [left, other]) utimesSync(folder, days, days);
  delete process.env[variable];
  runFolder();
  expect([left, running, other].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
