import { startReference } from '../../../src/reference/index.js';
import { repeatedBasePath } from '../../../src/rules/documented-request/repeated-base-path.js';
import { command, folder } from '../support/command.js';
import { judgeReference, judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** A base URL that holds the beginning of the documented paths is the setting's fault, and no server's. */

const said = (base: string, part: string): string =>
  `${base} ends in a part of the documented path. The contract appends /api/v2/workout/ itself: leave ${part} out of BASE_URL.`;

for (const [prefix, part] of [
  ['/api/v2', '/api/v2'],
  ['/api', '/api'],
  ['/api/v2/workout', '/api/v2/workout'],
] as const)
  test(`BASE_URL that ends in ${prefix} is inconclusive, in the words of doctor`, async () => {
    const service = await startReference();
    const baseUrl = `${service.baseUrl}${prefix}/`;
    const run = await judgeRunning({ ...service, baseUrl });
    expect(run.failedClauses).toEqual([]);
    expect(run.results.verdict).toBe('incomplete');
    const check = run.check('serves-documented-path@listWorkouts');
    const sentence = said(`${service.baseUrl}${prefix}`, part);
    expect([check.outcome, check.reason]).toEqual(['inconclusive', sentence]);
    const { path: cwd, remove } = await folder();
    const doctor = await command(['doctor', '--base-url', baseUrl, '--ca-file', service.caFile], { cwd });
    for (const words of sentence.split('. '))
      expect(doctor.out.replace(/\s+/g, ' ')).toContain(words.replace(/\.$/, ''));
    await remove();
    await service.close();
  });

test('a deployment that is really there is judged as any other', async () => {
  const open = await judgeReference({ variant: 'base-path-repeats' });
  expect(open.results.verdict).toBe('conformant');
});

test('the longest end of the base URL that the path begins with, in whole segments', () => {
  const part = (basePath: string, path: string) =>
    repeatedBasePath({ origin: 'https://a.example', basePath }, [path])?.advice.match(/leave (\S+)/)?.[1];
  expect(part('/x/v1', '/v1/things')).toBe('/v1');
  expect(part('/v1/v1', '/v1/v1/things')).toBe('/v1/v1');
  expect(part('/x/api/v1', '/api/v2/things')).toBe('/api/v1');
  expect(part('/x', '/v1/things')).toBeUndefined();
  expect(part('', '/v1/things')).toBeUndefined();
  expect(part('/v', '/v1/things')).toBeUndefined();
  expect(part('/v1/x', '/v1/things')).toBeUndefined();
  expect(part('/v1', '/')).toBeUndefined();
  expect(part('/v1', '/?v1')).toBeUndefined();
});
