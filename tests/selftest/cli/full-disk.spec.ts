import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { bareEnvironment, builtCommand } from '../support/command.js';
import { expect, test } from '../support/folder-fixture.js';

/** A file that takes nothing, as on a full disk. */
const full = '/dev/full';
test.skip(!existsSync(full), 'this system has no /dev/full');

for (const [words, where, code] of [
  [['run', '--reference', '--only', 'serves-https'], 'out', 0],
  [['run', '--reference', '--only', 'refuses-missing-key', '--fault', 'no-key-asked', '--json'], 'out', 1],
  [['run', '--reference', '--only', 'serves-https'], 'err', 0],
  [['list'], 'out', 3],
  [['list', '--nothing'], 'err', 3],
] as const)
  test(`${words.join(' ')} with a full disk behind std${where} ends with ${code}`, ({ cwd }) => {
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
