import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ReferenceService, startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { command, start } from '../support/command.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/** `run --resume`, as a user calls it. */

const environment = ({ baseUrl, httpBaseUrl, caFile, key }: ReferenceService, cwd: string): Record<string, string> => ({
  BASE_URL: baseUrl,
  HTTP_BASE_URL: httpBaseUrl,
  CA_FILE: caFile,
  API_KEY: key,
  XDG_STATE_HOME: join(cwd, 'state'),
  CONCURRENCY: '8',
});

const keptIn = (cwd: string): readonly string[] => {
  const folder = join(cwd, 'state', 'access-conformance', 'interrupted');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

/** Starts a run, and ends it as soon as it has something to go on with. */
const interrupted = async (cwd: string, env: Record<string, string>, signal: 'SIGKILL' | 'SIGINT'): Promise<void> => {
  const { child, ended } = start(['run'], { cwd, env });
  while (child.exitCode === null && !keptIn(cwd).some((file) => readFileSync(file, 'utf8').split('\n').length > 4))
    await pause(5);
  child.kill(signal);
  await ended;
};

test('a run that was killed goes on, and leaves nothing when it is whole', inCi, async ({ cwd }) => {
  const service = await startReference({ latencyMs: 40 });
  try {
    const env = environment(service, cwd);
    await interrupted(cwd, env, 'SIGKILL');
    expect(keptIn(cwd)).toHaveLength(1);
    const { code, err } = await command(['run', '--resume'], { cwd, env });
    expect(err).toMatch(/Resuming the run of .*: [1-9]\d* answers kept; controls are asked again\./);
    expect(code).toBe(0);
    const results = JSON.parse(readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8'));
    expect(results.resumed.exchanges).toBeGreaterThan(0);
    expect(keptIn(cwd)).toEqual([]);
    // What is not part of the run alone is not judged again otherwise.
    const again = await app(['judge', 'reports/conformance/results.json'], { cwd, env });
    expect([again.code, again.err]).toEqual([0, expect.any(String)]);
    const anew = await app(['run', '--resume', '--only', 'HTTPS-1'], { cwd, env });
    expect(anew.err).toContain('Nothing to resume');
    expect(anew.code).toBe(0);
  } finally {
    await service.close();
  }
});

test('another key or another setting is said, and the run starts anew', inFull, async ({ cwd }) => {
  const service = await startReference({ latencyMs: 40 });
  try {
    const env = environment(service, cwd);
    await interrupted(cwd, env, 'SIGINT');
    const [file = ''] = keptIn(cwd);
    expect(readFileSync(file, 'utf8')).not.toContain(service.key);
    const { err } = await command(['run', '--resume', '--strict'], { cwd, env: { ...env, API_KEY: 'f'.repeat(40) } });
    expect(err).toMatch(/Not resumed: the run of .* had another key or certificate, STRICT\. Starting anew\./);
  } finally {
    await service.close();
  }
});

test('a run that MAX_REQUESTS cut goes on with what it left out', inFull, async ({ cwd }) => {
  const service = await startReference();
  try {
    const env = { ...environment(service, cwd), MAX_REQUESTS: '150' };
    const codes: (number | null)[] = [];
    for (let run = 0; run < 4; run += 1) {
      const { code } = await command(['run', ...(run === 0 ? [] : ['--resume'])], { cwd, env });
      codes.push(code);
      if (keptIn(cwd).length === 0) break;
    }
    expect(codes.at(-1)).toBe(0);
    expect(codes.length).toBeGreaterThan(1);
    const results = JSON.parse(readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8'));
    expect(results.requestsSent).toBeLessThanOrEqual(150);
    expect(results.gates).toBeUndefined();
  } finally {
    await service.close();
  }
});
