import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepareRun } from '../../../src/app/prepare.js';
import { runFile, runFolder } from '../../../src/playwright/run-folder.js';
import { type KeySession, sharedKeys } from '../../../src/playwright/shared-keys.js';
import { readSettings, SettingsError } from '../../../src/settings/settings.js';
import { protectedList } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * Keys that several processes of a Playwright run share: each is fetched once, and once more when
 * it ends.
 */

/**
 * Prints another key each time, and adds a line to `calls`; fails while there is a file `broken`.
 */
const program = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
if (existsSync('broken')) process.exit(1);
const [who] = process.argv.slice(2);
appendFileSync('calls', who + '\\n');
const key = 'key-of-' + who + '-number-' + readFileSync('calls', 'utf8').split('\\n').length;
console.log(JSON.stringify({ key, expiresAt: new Date(Date.now() + 3600000).toISOString() }));
`;

const variable = 'ACCESS_CONFORMANCE_FOLDER';
let before: string | undefined;
test.beforeEach(({ cwd }) => {
  before = process.env[variable];
  process.env[variable] = join(cwd, 'shared');
});
test.afterEach(() => {
  if (before === undefined) delete process.env[variable];
  else process.env[variable] = before;
});

/** A session with two identities, as each process of a run opens it. */
const sessionIn = async (cwd: string, project = ''): Promise<KeySession> => {
  const command = (who: string): string => JSON.stringify([process.execPath, 'program.cjs', who]);
  writeFileSync(join(cwd, 'program.cjs'), program);
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(protectedList));
  writeFileSync(
    join(cwd, 'identities.yaml'),
    `- { name: ada, keys: { key: { command: ${command('ada')} } } }
- { name: robot, keys: { key: { command: ${command('robot')} } } }`,
  );
  const settings = readSettings({
    env: {
      BASE_URL: 'https://api.example',
      API_KEY: 'the-key-of-somebody',
      CONTRACT: join(cwd, 'openapi.json'),
      IDENTITIES: join(cwd, 'identities.yaml'),
    },
    envFile: false,
    cwd,
  });
  return { ...(await prepareRun(settings, { cwd, warn: () => undefined })), project };
};

const keysOf = async (session: KeySession): Promise<readonly string[]> =>
  [...((await sharedKeys(session))?.first.values() ?? [])].map(({ key }) => key);

const calls = (cwd: string): readonly string[] =>
  existsSync(join(cwd, 'calls')) ? readFileSync(join(cwd, 'calls'), 'utf8').trim().split('\n') : [];

test('processes that begin at once fetch each key once, and keep it where only this user can read it', async ({
  cwd,
}) => {
  const session = await sessionIn(cwd);
  const [first, ...others] = await Promise.all([keysOf(session), keysOf(session), keysOf(session)]);
  expect(first).toHaveLength(2);
  for (const other of others) expect(other).toEqual(first);
  expect([...calls(cwd)].sort()).toEqual(['ada', 'robot']);
  const file = runFile('', 'keys.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
});

test('a key that ended is fetched by the first that asks, and handed to those that still hold the old one', async ({
  cwd,
}) => {
  const session = await sessionIn(cwd);
  const [one, other] = await Promise.all([sharedKeys(session), sharedKeys(session)]);
  const held = one?.first.get('API_KEY_OF_ROBOT')?.key ?? '';
  const [a, b] = await Promise.all([one?.renew('API_KEY_OF_ROBOT', held), other?.renew('API_KEY_OF_ROBOT', held)]);
  expect(a?.key).not.toBe(held);
  expect(b?.key).toBe(a?.key);
  expect(calls(cwd).filter((who) => who === 'robot')).toHaveLength(2);
  // A worker that begins later has the new one, and the key of ada is what it was.
  expect(await keysOf(session)).toEqual([one?.first.get('API_KEY_OF_ADA')?.key, a?.key]);
});

test('a key that has ended by its own word is handed to nobody', async ({ cwd }) => {
  const session = await sessionIn(cwd);
  await keysOf(session);
  const file = runFile('', 'keys.json');
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  kept.API_KEY_OF_ROBOT.endsAt = Date.now() - 1;
  writeFileSync(file, JSON.stringify(kept));
  await keysOf(session);
  expect([...calls(cwd)].sort()).toEqual(['ada', 'robot', 'robot']);
});

test('the lock of a process that ended in the middle is taken over', async ({ cwd }) => {
  const session = await sessionIn(cwd);
  const lock = `${runFile('', 'keys.json')}.lock`;
  writeFileSync(lock, '');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  expect(await keysOf(session)).toHaveLength(2);
  expect(existsSync(lock)).toBe(false);
});

test('a program that fails is named, and locks nobody out', async ({ cwd }) => {
  const session = await sessionIn(cwd);
  writeFileSync(join(cwd, 'broken'), '');
  await expect(sharedKeys(session)).rejects.toThrow(SettingsError);
  await expect(sharedKeys(session)).rejects.toThrow(/identities\.yaml:1/);
  expect(existsSync(`${runFile('', 'keys.json')}.lock`)).toBe(false);
});

test('targets of one run do not share their keys', async ({ cwd }) => {
  const [one, other] = [await sessionIn(cwd, 'one'), await sessionIn(cwd, 'other')];
  expect(await keysOf(one)).not.toEqual(await keysOf(other));
  expect(calls(cwd)).toHaveLength(4);
});

test('the first process of a run removes what runs left that were killed days ago, and nothing else', () => {
  const days = (Date.now() - 2 * 86_400_000) / 1000;
  const made = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', 'of-others'].map((id) =>
    join(tmpdir(), `access-conformance-${id}`),
  );
  const [left = '', running = '', other = ''] = made;
  for (const folder of made) mkdirSync(folder, { recursive: true });
  writeFileSync(join(left, 'keys.json'), '{}');
  for (const folder of [left, other]) utimesSync(folder, days, days);
  delete process.env[variable];
  runFolder();
  expect([left, running, other].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
