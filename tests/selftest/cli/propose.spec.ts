import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { folder } from '../support/command.js';
import { expect, inCi, test } from '../support/test.js';

test('from a service without a document to a contract that is judged, and an alarm when it drifts', inCi, async () => {
  const service = await startReference();
  const { path: cwd, remove } = await folder();
  const env = { API_KEY: service.key, CA_FILE: service.caFile, HTTP_BASE_URL: 'none', PROBES: 'standard' };
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const done = await app(args, { cwd, env: { ...env, ...more } });
    return { code: done.code, said: `${done.out}${done.err}` };
  };
  const paths = ['/api/v2/workout/', '/api/v2/exercise/', '/nowhere'].flatMap((path) => ['--path', path]);
  const init = await run(['init', '--from-url', service.baseUrl, ...paths]);
  expect(init.said).toMatch(
    /protected\s+\/api\/v2\/workout\/\npublic\s+\/api\/v2\/exercise\/\nabsent\s+\/nowhere\nwrote openapi.yaml; the key travels as Authorization: Token <key>/,
  );
  expect(await run(['init', '--from-url', service.baseUrl, ...paths])).toMatchObject({ code: 3 });

  const target = { BASE_URL: service.baseUrl, CONTRACT: 'openapi.yaml' };
  expect((await run(['run'], target)).code).toBe(0);
  expect((await run(['baseline'])).said).toMatch(/^wrote access-baseline.json: \d+ facts\n/);
  expect((await run(['propose'])).said).toMatch(/^wrote proposed.overlay.yaml: 5 actions in force, 0 left/);
  const compared = { BASELINE: 'access-baseline.json', FAIL_ON_DRIFT: 'true' };
  const same = await run(['run'], { ...target, ...compared, OVERLAY: 'proposed.overlay.yaml' });
  expect(same.code).toBe(0);
  expect(same.said).toContain('DOC-3');
  expect(same.said).toContain('BASELINE is of another contract (overlays count)');
  expect(same.said).toMatch(/Conformant: 2 of 2 operations judged/);

  const over = await run(['propose']);
  expect(over).toMatchObject({
    code: 3,
    said: expect.stringContaining('proposed.overlay.yaml was in force in that run'),
  });

  const baseline = JSON.parse(readFileSync(join(cwd, 'access-baseline.json'), 'utf8'));
  const texts = [
    JSON.stringify(baseline),
    readFileSync(join(cwd, 'proposed.overlay.yaml'), 'utf8'),
    readFileSync(join(cwd, 'reports', 'proposal.html'), 'utf8'),
  ].join('\n');
  expect(texts).not.toContain(service.key);
  await service.close();

  const other = await startReference({ variant: 'refuses-403' });
  const drifted = await app(['run'], {
    cwd,
    env: { ...env, ...target, ...compared, API_KEY: other.key, CA_FILE: other.caFile, BASE_URL: other.baseUrl },
  });
  expect(drifted.code).toBe(1);
  expect(drifted.out).toMatch(/refusal-without-key@GET \/api\/v2\/workout\/: .*status was 401, is 403/s);
  expect(drifted.out).toMatch(/Drifted: \d+ facts? (?:is|are) not as the baseline says/);
  expect(drifted.out).toMatch(/is 403 \(the same in\s+3 reads\)\n {2}curl -isS \S.*\/api\/v2\/workout\/\n/);
  const page = readFileSync(join(cwd, 'reports', 'conformance', 'index.html'), 'utf8');
  expect(page).toMatch(
    /<section id="drift">.*curl -isS .*<details class="evidence" data-check="\d+" data-part="exchanges">/s,
  );
  const partial = await app(['run', '--only', 'AUTH-3'], {
    cwd,
    env: { ...env, ...target, API_KEY: other.key, CA_FILE: other.caFile, BASE_URL: other.baseUrl },
  });
  expect(partial.code).toBe(0);
  expect(await run(['baseline'])).toMatchObject({ code: 3, said: expect.stringContaining('selected checks alone') });
  await other.close();
  await remove();
});

test('FAIL_ON_DRIFT without a baseline, and a file that is none, are errors of the settings', async () => {
  const { path: cwd, remove } = await folder();
  const env = { BASE_URL: 'https://127.0.0.1:1', API_KEY: 'a-key-of-nobody' };
  const without = await app(['run'], { cwd, env: { ...env, FAIL_ON_DRIFT: 'true' } });
  expect([without.code, without.err]).toEqual([3, expect.stringContaining('has nothing to compare with')]);
  const wrong = await app(['run'], { cwd, env: { ...env, BASELINE: join(process.cwd(), 'package.json') } });
  expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('it is no baseline')]);
  await remove();
});

test('init --from-url writes the query of a path as parameters with examples', async () => {
  const { path: cwd, remove } = await folder();
  const service = await startReference();
  const env = { API_KEY: service.key, CA_FILE: service.caFile, HTTP_BASE_URL: service.httpBaseUrl };
  const made = await app(
    [
      'init',
      '--from-url',
      service.baseUrl,
      '--path',
      '/api/v2/workout/?limit=2&sort=a%20b',
      '--path',
      '/api/v2/exercise/',
    ],
    { cwd, env },
  );
  expect(made.out).toMatch(/protected\s+\/api\/v2\/workout\/\?limit=2&sort=a%20b\npublic\s+\/api\/v2\/exercise\//);
  const { paths } = parse(readFileSync(join(cwd, 'openapi.yaml'), 'utf8'));
  expect(Object.keys(paths)).toEqual(['/api/v2/workout/', '/api/v2/exercise/']);
  expect(paths['/api/v2/workout/'].get.parameters).toMatchObject([
    { name: 'limit', in: 'query', example: '2' },
    { name: 'sort', in: 'query', example: 'a b' },
  ]);
  await service.close();
  await remove();
});

test('what follows a run reads its overlays, PARAMETERS and REPORTS_DIR where the run did', inCi, async () => {
  const service = await startReference();
  const { path: cwd, remove } = await folder();
  const lines = [
    `BASE_URL=${service.baseUrl}`,
    `API_KEY=${service.key}`,
    `CA_FILE=${service.caFile}`,
    'HTTP_BASE_URL=none',
    'OVERLAY=own.yaml',
    'PARAMETERS=parameters.yaml',
    'REPORTS_DIR=seen',
    'PROBES=standard',
  ];
  writeFileSync(join(cwd, '.env'), `${lines.join('\n')}\n`);
  writeFileSync(join(cwd, 'parameters.yaml'), '{}\n');
  writeFileSync(
    join(cwd, 'own.yaml'),
    'overlay: 1.0.0\ninfo: {title: x, version: "1"}\nactions:\n  - {target: $.info, update: {x-a: 1}}\n',
  );
  const run = (...args: string[]) => app(args, { cwd });
  expect((await run('run')).code).toBe(0);
  const proposed = await run('propose');
  const setting = /OVERLAY=\S*own\.yaml,proposed\.overlay\.yaml/;
  expect(proposed.out).toMatch(setting);
  expect(readFileSync(join(cwd, 'proposed.overlay.yaml'), 'utf8')).toMatch(setting);
  expect(await run('judge', 'seen/conformance/results.json')).toMatchObject({ code: 0 });
  expect((await run('baseline')).code).toBe(0);
  const same = await run('run', '--baseline', 'access-baseline.json');
  expect(same.out).toContain('✓ All facts that were compared are as the baseline says');
  await service.close();
  await remove();
});
