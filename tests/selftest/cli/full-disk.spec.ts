import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../support/app.js';
import { bareEnvironment, builtCommand, command } from '../support/command.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/** A file that takes nothing, as on a full disk. */
const full = '/dev/full';
test.skip(!existsSync(full), 'this system has no /dev/full');

const some = someOfTable();
for (const [words, where, code] of [
  [['run', '--reference', '--only', 'serves-https'], 'out', 0],
  [['run', '--reference', '--only', 'refuses-missing-key', '--fault', 'no-key-asked', '--json'], 'out', 1],
  [['run', '--reference', '--only', 'serves-https'], 'err', 0],
  [['list'], 'out', 3],
  [['list', '--nothing'], 'err', 3],
] as const)
  test(`${words.join(' ')} with a full disk behind std${where} ends with ${code}`, some(), ({ cwd }) => {
    const descriptor = openSync(full, 'w');
    const ended = spawnSync(process.execPath, [builtCommand, ...words], {
      cwd,
      env: bareEnvironment,
      encoding: 'utf8',
      stdio: ['ignore', where === 'out' ? descriptor : 'pipe', where === 'err' ? descriptor : 'pipe'],
    });
    closeSync(descriptor);
    expect(ended.status).toBe(code);
    if (where === 'out')
      expect(ended.stderr).toMatch(/^access-conformance: the output could not be written: no space/m);
    expect(ended.stderr ?? '').not.toContain('    at ');
  });

/**
 * What the error output says where no file may have a byte: as on a full disk, with another code.
 */
const withoutRoom = (words: string, cwd: string) =>
  spawnSync('bash', ['-c', `ulimit -f 0; exec "$0" "$1" ${words}`, process.execPath, builtCommand], {
    cwd,
    env: { ...bareEnvironment, TMPDIR: cwd },
    encoding: 'utf8',
  });

test('a file that cannot be written is named, and taken away again', ({ cwd }) => {
  const { status, stderr } = withoutRoom('init', cwd);
  expect(stderr).toBe(
    `access-conformance: cannot write ${join(cwd, '.env')}: the file is larger than may be written here (EFBIG)\n`,
  );
  expect(status).toBe(3);
  expect(readdirSync(cwd)).toEqual([]);
});

test('what a run puts aside is said to be in TMPDIR', inCi, async ({ cwd }) => {
  const { status, stderr } = withoutRoom('run --reference', cwd);
  expect(stderr).toContain(`cannot keep what was seen in ${cwd}: `);
  expect(stderr).toContain('set TMPDIR');
  expect(status).toBe(3);
  const nowhere = await command(['run', '--reference'], { cwd, env: { TMPDIR: join(cwd, 'nowhere') } });
  expect(nowhere.err).toContain(`cannot keep what was seen in ${join(cwd, 'nowhere')}: it does not exist (ENOENT)`);
  expect(nowhere.code).toBe(3);
});

test('a proposal of deviations that cannot be written costs no report', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, 'file'), '');
  const words = ['run', '--reference', '--only', 'serves-https', '--write-deviations=file/d.yaml'];
  const { code, err } = await app(words, { cwd });
  expect(err).toContain(`cannot write ${join(cwd, 'file', 'd.yaml')}: `);
  expect(code).toBe(3);
  expect(existsSync(join(cwd, 'reports', 'conformance', 'results.json'))).toBe(true);
});

test('reports that cannot be written cost no verdict', inCi, async ({ cwd }) => {
  // A page cannot take the place of a folder.
  mkdirSync(join(cwd, 'reports', 'conformance', 'index.html', 'taken'), { recursive: true });
  const { code, out, err } = await app(['run', '--reference', '--only', 'serves-https'], { cwd });
  expect(out).toMatch(/^✓ HTTPS-1 /m);
  expect(out).not.toContain('index.html');
  expect(err).toContain('cannot write reports to ');
  expect(code).toBe(3);
});
