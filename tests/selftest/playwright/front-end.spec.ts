import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { type ReferenceOptions, startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { filesIn, unpacked } from '../support/artefacts.js';
import { allReporters, type Front, playwright, startPlaywright } from '../support/front-end.js';
import { password, startWithPages } from '../support/key-page.js';
import { rawServer } from '../support/raw-server.js';
import { expect, inCi, inFull, rowsInCi, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

/**
 * The Playwright front-end as it is shipped and started: green only where the command would exit 0,
 * and no key in anything it leaves.
 */

const judged = async (
  cwd: string,
  how: ReferenceOptions,
  change: (env: Record<string, string>) => Record<string, string> = (env) => env,
  args: readonly string[] = [],
): Promise<Front & { readonly key: string }> => {
  const service = await startReference(how);
  try {
    const { baseUrl, httpBaseUrl, key, caFile } = service;
    const env = change({ BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, API_KEY: key, CA_FILE: caFile });
    return { ...(await playwright(cwd, env, args)), key };
  } finally {
    await service.close();
  }
};

const without = ({ API_KEY: _key, ...env }: Record<string, string>): Record<string, string> => env;

test('a conforming service is green, and the results are those of the command', async ({ cwd }) => {
  const { code, output } = await judged(cwd, {});
  expect(output).toContain('Conformant');
  expect(code).toBe(0);
  expect(resultsIn(cwd).verdict).toBe('conformant');
});

/** One check is enough where all end alike: each that fails costs Playwright a worker. */
const atItsPath = ['--grep', '@service|takes-documented-format@'];

interface JsonTest {
  readonly title: string;
  readonly tags: readonly string[];
  readonly tests: readonly [
    {
      readonly results: readonly [
        {
          readonly status: string;
          readonly errors: readonly { readonly message: string }[];
          readonly steps?: readonly unknown[];
          readonly attachments: readonly { readonly name: string }[];
          readonly annotations: readonly { readonly type: string }[];
        },
      ];
    },
  ];
}

test(
  'one run for all tests: a failure says its finding first, a pass has no attachment, and no key is anywhere',
  inCi,
  async ({ cwd }) => {
    const service = await startReference({ fault: 'compares-first-half' });
    const { baseUrl, httpBaseUrl, key, caFile } = service;
    const env = { BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, API_KEY: key, CA_FILE: caFile, PROBES: 'standard' };
    try {
      const reporters = `json,html,${asset('dist', 'src', 'playwright', 'reporter.js')}`;
      const { code } = await playwright(
        cwd,
        {
          ...env,
          PLAYWRIGHT_JSON_OUTPUT_NAME: join(cwd, 'out.json'),
          PLAYWRIGHT_HTML_OUTPUT_DIR: join(cwd, 'html'),
          PLAYWRIGHT_HTML_OPEN: 'never',
        },
        ['--grep', '@listWorkouts', `--reporter=${reporters}`],
      );
      expect(code).toBe(1);
      // A failed test ends its worker, and nothing is sent again.
      const whole = resultsIn(cwd).requestsSent;
      expect(service.requests).toBeLessThanOrEqual(whole);
      type Suite = { readonly title: string; readonly specs?: readonly JsonTest[]; readonly suites?: readonly Suite[] };
      const { suites } = JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8')) as { suites: readonly Suite[] };
      const operations = suites.flatMap((file) => file.suites ?? []);
      expect(operations.map(({ title }) => title)).toEqual(['GET /api/v2/workout/ · listWorkouts']);
      const all = operations.flatMap(({ specs = [] }) => specs);
      const of = (status: string) =>
        all.flatMap(({ tests: [{ results }] }) => (results[0].status === status ? results : []));
      // What the server takes beyond the contract is shown with its exchanges.
      const quiet = of('passed').filter(({ annotations: [first] }) => first?.type === 'passed');
      expect(quiet.length).toBeGreaterThan(5);
      for (const { attachments, steps = [] } of quiet) expect([...attachments, ...steps]).toEqual([]);
      const [failed] = of('failed');
      expect(failed?.errors[0]?.message.split('\n')[0]).toMatch(/GET \/api\/v2\/workout\/ opens .*half/);
      expect(failed?.errors[0]?.message).toContain('clause:   AUTH-3: A protected resource does not open');
      expect(failed?.errors[0]?.message).toMatch(/--cacert "\$\{CA_FILE:\?\}"/);
      expect(failed?.attachments.map(({ name }) => name)).toContain('exchanges');
      expect(
        all.find(({ title }) => title === 'refuses empty, wrong and half keys · refuses-worthless-keys')?.tags,
      ).toEqual(['AUTH-3', 'listWorkouts', 'refuses-worthless-keys@listWorkouts']);
      for (const [name, bytes] of filesIn(cwd))
        for (const each of [bytes, ...unpacked(bytes)]) expect(each.includes(key), name).toBe(false);

      // One check sends its own requests and its controls alone, as the command does.
      const { output } = await playwright(cwd, env, ['--grep', 'refuses-missing-key@listWorkouts']);
      expect(output).toContain('Conformant in the selected checks');
      const one = resultsIn(cwd);
      expect(one.checks.map(({ id }) => id)).toEqual(['refuses-missing-key@listWorkouts']);
      await app(['run', '--only', 'refuses-missing-key@listWorkouts', '--reports-dir', 'command', '--quiet'], {
        cwd,
        env,
      });
      const command = JSON.parse(readFileSync(join(cwd, 'command', 'conformance', 'results.json'), 'utf8')) as Results;
      expect(one.requestsSent).toBe(command.requestsSent);
      expect({ ...one.coverage, part: one.recording.part }).toEqual({
        ...command.coverage,
        part: command.recording.part,
      });
      expect(one.requestsSent).toBeLessThan(whole / 2);
    } finally {
      await service.close();
    }
  },
);

test('with a wrong key it is incomplete, and says why', inFull, async ({ cwd }) => {
  const wrong = '0123456789abcdef0123456789abcdef01234567';
  const { code, output } = await judged(cwd, {}, (env) => ({ ...env, API_KEY: wrong }), atItsPath);
  expect(code).toBe(2);
  expect(output).toContain('the key may be wrong or expired');
  expect(resultsIn(cwd).verdict).toBe('incomplete');
});

test('without a key it is incomplete, and says why', inFull, async ({ cwd }) => {
  const { code, output } = await judged(cwd, {}, without, atItsPath);
  expect(code).toBe(2);
  expect(output).toContain('set API_KEY');
  expect(resultsIn(cwd).verdict).toBe('incomplete');
});

test(
  'SIGTERM ends a run as Ctrl-C does: the reports are written, and nothing is left behind',
  inCi,
  async ({ cwd }) => {
    const server = await rawServer(() => undefined);
    mkdirSync(join(cwd, 'tmp'));
    const { child, ended } = startPlaywright(cwd, {
      BASE_URL: server.origin,
      API_KEY: '0123456789abcdef',
      INSECURE_TLS: 'true',
      // It is never answered: only the signal ends the run.
      TIMEOUT_MS: '600000',
      TMPDIR: join(cwd, 'tmp'),
    });
    await expect.poll(() => server.heads.length).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(2);
    expect(resultsIn(cwd)).toMatchObject({ verdict: 'incomplete', complete: false });
    expect(readdirSync(join(cwd, 'tmp'))).toEqual([]);
    await server.close();
  },
);

test('a dead port is incomplete', inFull, async ({ cwd }) => {
  const { code, output } = await playwright(cwd, { BASE_URL: 'https://127.0.0.1:9', API_KEY: '0123456789abcdef' }, [
    '--grep',
    'serves-https@',
  ]);
  expect(output).toContain('Not judged: the deployment gave no answer.');
  expect(code).toBe(2);
  expect(resultsIn(cwd).verdict).toBe('incomplete');
});

test('a list of the checks judges nothing, and leaves the reports of the last run alone', inCi, async ({ cwd }) => {
  const { code, output } = await playwright(cwd, { BASE_URL: 'https://127.0.0.1:9' }, ['--list']);
  expect(output).toContain(
    'GET /api/v2/workout/ · listWorkouts › refuses a request without a key · refuses-missing-key',
  );
  expect(code).toBe(0);
  expect(existsSync(join(cwd, 'reports', 'conformance'))).toBe(false);
});

test('without a base URL it says how to give one', inCi, async ({ cwd }) => {
  const { code, output } = await playwright(cwd, {});
  expect(code).toBe(3);
  expect(output).toContain('access-conformance run --base-url');
});

test(
  'a run in which everything selected is left out or only observed is not green, whichever reporter is chosen',
  inCi,
  async ({ cwd }) => {
    const { code } = await judged(cwd, {}, (env) => ({ ...env, PROBES: 'standard' }), [
      '--grep',
      'however its path is spelled|observes-neighbours',
      '--reporter=dot',
    ]);
    expect(code).not.toBe(0);
  },
);

test('a shard by itself calls nothing conformant', inCi, async ({ cwd }) => {
  const { code, output } = await judged(cwd, {}, (env) => env, [
    '--shard=1/2',
    '--grep',
    '@list(Exercises|Ingredients)',
  ]);
  expect(output).toContain('Shard 1 of 2: nothing is broken in this part; access-conformance merge gives the verdict.');
  expect(code).toBe(0);
  const reports = join(cwd, 'reports', 'conformance');
  for (const name of ['summary.md', 'index.html', 'badge.json'])
    expect(readFileSync(join(reports, name), 'utf8'), name).not.toMatch(/>Conformant|## Conformant|"conformant/);
});

const row = rowsInCi();
for (const how of [{ variant: 'refusals-echo-the-request', fault: 'compares-first-half' }, { variant: 'echoes-key' }])
  test(
    `the key is in no artefact of any reporter, with traces on: ${Object.values(how).join(', ')}`,
    row(),
    async ({ cwd }) => {
      const reporters = allReporters(cwd);
      const { key, output, code } = await judged(cwd, how, (env) => ({ ...env, ...reporters.env }), [
        '--trace',
        'on',
        '--grep',
        // A check of each outcome has what any other leaves.
        `${process.env.ZOO === 'all' ? '' : '(refuses-worthless-keys|takes-no-other-format|observes-refusals)'}@listWorkouts`,
        reporters.flag,
      ]);
      // One of the two is green, the other red: what fails is told in more places.
      expect(code).toBe(how.fault ? 1 : 0);
      const failed = resultsIn(cwd).clauses.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ id }) => id)).toEqual(how.fault ? ['AUTH-3'] : []);
      const spellings = [
        key,
        Buffer.from(key).toString('base64').slice(0, 40),
        Buffer.from(`Token ${key}`).toString('base64').slice(8, 48),
      ];
      const holds = (bytes: Buffer): boolean => spellings.some((spelling) => bytes.includes(spelling));
      expect(holds(Buffer.from(output)), 'console').toBe(false);
      const names: string[] = [];
      for (const [name, bytes] of filesIn(cwd)) {
        names.push(name);
        expect(holds(bytes), name).toBe(false);
        for (const inner of unpacked(bytes)) expect(holds(inner), `inside ${name}`).toBe(false);
      }
      for (const wanted of ['out.json', 'out.xml', 'results.json', 'index.html', '.zip'])
        expect(
          names.some((name) => name.endsWith(wanted)),
          wanted,
        ).toBe(true);
    },
  );

test(
  'what is typed on the key page, and a key that it shows, are in no artefact and no earlier answer, with traces on and DEBUG set',
  inCi,
  async ({ cwd }) => {
    const service = await startWithPages({ givesAway: true });
    const { baseUrl, caFile, url, key, adasKey } = service;
    const env = { BASE_URL: baseUrl, CA_FILE: caFile, API_KEY: key, HTTP_BASE_URL: 'none', KEY_PAGE_URL: url };
    const account = { WEB_USERNAME: 'ada', WEB_PASSWORD: password, KEY_PAGE_GENERATE: 'true' };
    const { CHROMIUM_PATH = '' } = process.env;
    const reporters = allReporters(cwd);
    try {
      const { output } = await playwright(
        cwd,
        { ...env, ...account, ...reporters.env, CHROMIUM_PATH, DEBUG: 'pw:api' },
        ['--trace', 'on', '--grep', 'makes-a-key|shows-the-current-key|refuses-missing-key', reporters.flag],
      );
      expect(output).toMatch(/✓.*makes-a-key/);
      const secrets = [password, JSON.stringify(password).slice(1, -1), adasKey];
      const holds = (bytes: Buffer): boolean => secrets.some((spelling) => bytes.includes(spelling));
      expect(holds(Buffer.from(output)), 'console').toBe(false);
      expect(JSON.stringify(resultsIn(cwd))).toContain('"x-last-key","<secret>"');
      const written = [...filesIn(cwd)];
      for (const wanted of ['html/index.html', '.zip'])
        expect(written.map(([name]) => name).filter((name) => name.endsWith(wanted))).not.toEqual([]);
      for (const [name, bytes] of written)
        for (const each of [bytes, ...unpacked(bytes)]) expect(holds(each), name).toBe(false);
    } finally {
      await service.close();
    }
  },
);
