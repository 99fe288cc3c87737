import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { stopped } from '../../../src/engine/findings.js';
import type { Results } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { type ReferenceService, startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { bareEnvironment, command, folder, start as startCommand } from '../support/command.js';
import { buildModules, type ModuleBuild } from '../support/module-build.js';
import { expect, inCi, rowsOfTable, someOfTable, test } from '../support/test.js';

// One worker runs these tests, so the modules are built once.
test.describe.configure({ mode: 'default' });

let modules: ModuleBuild;
test.beforeAll(() => {
  modules = buildModules('watchdog');
});
test.afterAll(() => modules.remove());

/** The module's URL, as a literal of JavaScript. */
const built = (file: string): string => JSON.stringify(modules.url(file));

/**
 * A process that watches its event loop, says so, and then does as `work` says. Its own handler
 * answers signals with 9.
 */
const start = (work: string, limits: object): ChildProcess => {
  const script = `
    import { watchEventLoop } from ${built('app/watchdog.js')};
    process.on('SIGTERM', () => process.exit(9));
    process.on('SIGINT', () => process.exit(9));
    const watchdog = watchEventLoop(2, ${JSON.stringify({ every: 200, ...limits })});
    setInterval(() => undefined, 1000);
    await watchdog.ready;
    console.log('working');
    ${work}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'pipe'] });
};

const ended = async (child: ChildProcess): Promise<{ readonly code: number | null; readonly errors: string }> => {
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors };
};

const hangs = {
  'an expression that backtracks': "/^(a+)+$/.test('a'.repeat(60) + '!')",
  'a loop': 'for (;;);',
  'a wait': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
};

const some = someOfTable();
for (const [what, work] of Object.entries(hangs))
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal} ends a process whose event loop is held by ${what}`, some(), async () => {
      const child = start(work, { most: 100_000, mostAfterSignal: 5 });
      const end = ended(child);
      await once(child.stdout ?? child, 'data');
      child.kill(signal);
      const { code, errors } = await end;
      expect(errors).toMatch(
        new RegExp(`^access-conformance: ${signal} came, and the event loop has not turned for \\d+ s \\(in `),
      );
      expect(code).toBe(2);
    });

test('without a signal, time ends it', async () => {
  const { code, errors } = await ended(start(hangs['a loop'], { most: 10, mostAfterSignal: 5 }));
  expect(errors).toMatch(/^access-conformance: the event loop has not turned for 2 s \(in /);
  expect(code).toBe(2);
});

test('a process whose event loop turns answers its signals itself, and is not ended', async () => {
  const child = start('', { most: 100, mostAfterSignal: 50 });
  const end = ended(child);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGTERM');
  expect((await end).code).toBe(9);
});

const reports = 'reports/conformance';

/**
 * A run of the command whose terminal blocks at a finding of the second operation, once the first
 * one is done with.
 */
const startRun = (
  cwd: string,
  temporary: string,
  service: ReferenceService,
  words: readonly string[],
): ChildProcess => {
  const script = `
    import { writeSync } from 'node:fs';
    import picocolors from ${JSON.stringify(import.meta.resolve('picocolors'))};
    import { runApp } from ${built('cli/app.js')};
    import { watchEventLoop } from ${built('app/watchdog.js')};
    const watchdog = watchEventLoop(2, { every: 200, most: 100_000, mostAfterSignal: 5 });
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
    await watchdog.ready;
    let first = false;
    const status = (line) => {
      if (line.includes('listWorkouts  refuses-leftovers')) first = true;
      if (!first || !line.includes('listExercises')) return;
      writeSync(1, 'blocked');
      for (;;);
    };
    const terminal = { out() {}, err: (text) => writeSync(2, text), status, live: true, colours: picocolors.createColors(false), color: false, width: 100 };
    const selected = ['@listExercises', 'refuses-missing-key@listWorkouts', 'refuses-leftovers@listWorkouts'];
    const words = ['run', '--key-page', '--only', [...selected, 'PAGE-1'].join(), ...${JSON.stringify(words)}];
    const signal = new AbortController().signal;
    process.exit(await runApp(words, { env: process.env, cwd: process.cwd(), terminal, signal, watchdog }));`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd,
    env: {
      ...bareEnvironment,
      TMPDIR: temporary,
      BASE_URL: service.baseUrl,
      HTTP_BASE_URL: service.httpBaseUrl,
      API_KEY: service.key,
      CA_FILE: service.caFile,
      KEY_PAGE_URL: service.baseUrl,
      WEB_USERNAME: 'somebody',
      WEB_PASSWORD: 'a-secret-of-the-web',
      ...(service.resolve === undefined ? {} : { RESOLVE: service.resolve }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

const cases = [
  { fault: undefined, verdict: 'incomplete', missing: 'passed', deviation: false },
  { fault: 'no-key-asked', verdict: 'non-conformant', missing: 'failed', deviation: false },
  { fault: 'no-key-asked', verdict: 'incomplete', missing: 'failed', deviation: true },
] as const;

const row = rowsOfTable();
for (const { fault, verdict, missing, deviation } of cases)
  test(
    `a run that hangs leaves what it found: ${fault ?? 'no fault'}${deviation ? ', known' : ''}`,
    row(),
    async ({ cwd }) => {
      const service = await startReference(fault ? { fault } : {});
      const temporary = await folder();
      try {
        const words = deviation ? ['--deviations', 'known.yaml'] : [];
        writeFileSync(join(cwd, 'known.yaml'), '- check: refuses-missing-key@listWorkouts\n  reason: agreed\n');
        const child = startRun(cwd, temporary.path, service, words);
        const end = ended(child);
        await Promise.race([once(child.stdout ?? child, 'data'), end]);
        child.kill('SIGTERM');
        const { code, errors } = await end;
        expect(errors).toMatch(
          /^access-conformance: SIGTERM came, .*; the run ends here, and what was found so far is in /,
        );
        expect(errors).toContain(`${reports}/results.json.\n`);
        expect(code).toBe(2);
        expect(readdirSync(join(cwd, reports))).toEqual(['results.json']);
        expect(readdirSync(temporary.path)).toEqual([]);

        const text = readFileSync(join(cwd, reports, 'results.json'), 'utf8');
        expect(text).not.toContain(service.key);
        expect(text).not.toContain('a-secret-of-the-web');
        const results = JSON.parse(text) as Results;
        const schema = JSON.parse(readFileSync(asset('schema', 'results.schema.json'), 'utf8')) as object;
        const validate = new Ajv2020({ strictRequired: false, strictTypes: false, allowUnionTypes: true }).compile(
          schema,
        );
        validate(results);
        expect(validate.errors ?? []).toEqual([]);
        expect(results).toMatchObject({ complete: false, verdict, exchanges: [] });
        expect(results.requestsSent).toBeGreaterThan(0);
        const found = new Map(results.checks.map((finding) => [finding.id, finding]));
        expect(found.get('refuses-missing-key@listWorkouts')?.outcome).toBe(missing);
        expect(found.get('refuses-leftovers@listWorkouts')?.reason).not.toBe(stopped.reason);
        expect(found.get('opens-without-credentials@listExercises')?.outcome).toBe('passed');
        for (const id of ['observes-bad-key@listExercises', 'makes-a-key@key-page'])
          expect(found.get(id)).toMatchObject({ outcome: stopped.outcome, reason: stopped.reason });
        expect(results.clauses.find(({ id }) => id === 'PAGE-1')?.outcome).toBe('inconclusive');

        const again = await app(['judge', `${reports}/results.json`], { cwd });
        expect(again.err).toBe('');
        expect(again.out).toContain('The recording has no answer to a request that today’s rules look at');
        expect(again.code).toBe(2);
        const file = `${reports}/results.json`;
        expect((await app(['compare', file, file], { cwd })).code).toBe(0);
      } finally {
        await temporary.remove();
        await service.close();
      }
    },
  );

test('a run leaves nothing in the folder of temporary files, however it ends', inCi, async ({ cwd }) => {
  const temporary = await folder();
  try {
    const env = { TMPDIR: temporary.path };
    const words = ['run', '--reference', '--probes', 'standard'];
    expect((await command([...words, '--only', 'HTTPS-1'], { cwd, env })).code).toBe(0);
    expect(readdirSync(temporary.path)).toEqual([]);
    expect(existsSync(join(cwd, reports, 'index.html'))).toBe(true);
    const { child, ended } = startCommand(words, { cwd, env });
    await once(child.stderr ?? child, 'data');
    child.kill('SIGINT');
    await ended;
    expect(readdirSync(temporary.path)).toEqual([]);
  } finally {
    await temporary.remove();
  }
});
