import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { command, folder, start as startCommand } from '../support/command.js';
import { buildModules, type ModuleBuild } from '../support/module-build.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

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

test('without a signal, time ends it', inCi, async () => {
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
