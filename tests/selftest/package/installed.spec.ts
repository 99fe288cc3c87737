import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { commandNames } from '../../../src/cli/app.js';
import { packageRoot, tool } from '../../../src/package.js';
import { type Served, serveApart } from '../support/served.js';
import { type StagedPackage, stagePackage } from '../support/staged-package.js';
import { expect, inCi, test } from '../support/test.js';

/** The package as a user gets it: packed once, installed into an empty folder, and used there. */

const exec = promisify(execFile);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Nothing of this test run's environment but what a shell has. */
const shellOnly = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && /^(?:PATH|HOME|TMPDIR|LANG|CHROMIUM_PATH|npm_config_|NPM_CONFIG_)/.test(name)
        ? [[name, value]]
        : [],
    ),
  );

const runIn = async (
  folder: string,
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> => {
  const [program, ...args] = command;
  try {
    const { stdout, stderr } = await exec(program, args, {
      cwd: folder,
      env: { ...shellOnly(), NO_COLOR: '1', ...env },
      maxBuffer: 64 << 20,
    });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number | string; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, out: stdout ?? '', err: stderr ?? '' };
  }
};

/**
 * Where there is no registry, the packages that the manifest asks for are taken from the checkout,
 * and no others.
 */
const installFromCheckout = async (folder: string, tarball: string): Promise<void> => {
  const home = join(folder, 'node_modules', tool.name);
  mkdirSync(home, { recursive: true });
  await exec('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  const { stdout } = await exec('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: packageRoot });
  for (const from of stdout.trim().split('\n').slice(1))
    cpSync(from, join(folder, relative(packageRoot, from)), { recursive: true });
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  for (const [name, file] of [
    [tool.name, join(home, 'dist', 'src', 'cli', 'main.js')],
    ['playwright', join(folder, 'node_modules', '@playwright', 'test', 'cli.js')],
  ] as const)
    writeFileSync(join(folder, 'node_modules', '.bin', name), `#!/bin/sh\nexec node '${file}' "$@"\n`, { mode: 0o755 });
};

const bin = (name: string): string => join(folder, 'node_modules', '.bin', name);

let staged: StagedPackage;
let folder: string;
let served: Served;

test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  test.setTimeout(900_000);
  staged = stagePackage();
  folder = mkdtempSync(join(tmpdir(), 'access-conformance-user-'));
  const { tarball } = await staged.pack();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=1', tarball];
  const installed = spawnSync('npm', install, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (installed.status !== 0) {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ENOTCACHED/.test(installed.stderr))
      throw new Error(`npm install failed:\n${installed.stderr}`);
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    await installFromCheckout(folder, tarball);
  }
  served = await serveApart([bin(tool.name)], { cwd: folder });
});

test.afterAll(async () => {
  await served?.stop();
  staged?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('every command is there and says what it takes', inCi, async () => {
  // The list of commands loads the module of each.
  const [version, list, one] = await Promise.all([
    runIn(folder, ['npx', tool.name, '--version']),
    runIn(folder, [bin(tool.name), 'help']),
    runIn(folder, [bin(tool.name), 'run', '--help']),
  ]);
  expect(version).toMatchObject({ code: 0, out: `${tool.version}\n` });
  expect(list).toMatchObject({ code: 0, err: '' });
  for (const name of commandNames) expect(list.out).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
  expect(one).toMatchObject({ code: 0, err: '', out: expect.stringContaining('--base-url') });
});

test('judges the embedded service, and one in another process', inCi, async () => {
  const little = ['--reference', '--only', 'refuses-missing-key'];
  const [embedded, faulty, apart, nowhere] = await Promise.all([
    runIn(folder, [bin(tool.name), 'run', ...little, '--reports-dir', 'embedded']),
    runIn(folder, [bin(tool.name), 'run', ...little, '--fault', 'no-key-asked', '--reports-dir', 'faulty']),
    runIn(folder, [bin(tool.name), 'run', '--reports-dir', 'apart'], served.settings),
    runIn(folder, [bin(tool.name), 'run', '--reports-dir', 'nowhere']),
  ]);
  expect([embedded, faulty, apart, nowhere].map(({ code }) => code)).toEqual([0, 1, 0, 3]);
  for (const name of ['results.json', 'index.html', 'junit.xml', 'results.sarif', 'summary.md', 'badge.json'])
    for (const dir of ['embedded', 'faulty', 'apart'])
      expect(existsSync(join(folder, dir, 'conformance', name)), `${dir}/${name}`).toBe(true);
  expect(faulty.out + faulty.err).toContain('AUTH-3');
  for (const name of ['results.json', 'index.html', 'junit.xml', 'results.sarif', 'summary.md'])
    expect(readFileSync(join(folder, 'apart/conformance', name), 'utf8'), name).not.toContain(folder);
  expect(JSON.parse(readFileSync(join(folder, 'apart/conformance/results.json'), 'utf8')).contract.file).toBe(
    `${tool.name}/openapi/fitness-data-service.yaml`,
  );
  expect(nowhere.err).toContain('--base-url');
  const everything = JSON.stringify([apart, readFileSync(join(folder, 'apart/conformance/results.json'), 'utf8')]);
  expect(everything).not.toContain(served.settings.API_KEY);
});

test('shows the same checks in Playwright, by path and from a config of one’s own', inCi, async () => {
  writeFileSync(join(folder, 'playwright.config.js'), `export { default } from '${tool.name}/playwright.config';\n`);
  const [byPath, own] = await Promise.all([
    runIn(folder, [bin('playwright'), 'test', '-c', `node_modules/${tool.name}/dist/playwright.config.js`, '--list'], {
      ...served.settings,
      REPORTS_DIR: 'by-path',
    }),
    runIn(folder, [bin('playwright'), 'test', '--grep', 'refuses-missing-key'], {
      ...served.settings,
      REPORTS_DIR: 'own',
    }),
  ]);
  expect(byPath.code, byPath.out + byPath.err).toBe(0);
  expect(byPath.out).toContain('listWorkouts › refuses a request without a key · refuses-missing-key');
  expect(own.out).toMatch(/\d+ passed/);
  expect(own.code, own.out + own.err).toBe(0);
  const results = readFileSync(join(folder, 'own', 'conformance', 'results.json'), 'utf8');
  expect(JSON.parse(results)).toMatchObject({ verdict: 'conformant', complete: true });
});

/** The examples of the library, as the guide shows them, for the service that runs here. */
const libraryExamples = (): readonly string[] => {
  const guide =
    /## As a library\n([\s\S]*?)\n## /.exec(readFileSync(join(packageRoot, 'README.md'), 'utf8'))?.[1] ?? '';
  const entry = readFileSync(join(packageRoot, 'src', 'index.ts'), 'utf8').replace(/^ \* ?/gm, '');
  const found = [entry, guide].flatMap((text) =>
    [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code),
  );
  const { BASE_URL, CA_FILE, HTTP_BASE_URL } = served.settings;
  const own = `baseUrl: '${BASE_URL}', caFile: '${CA_FILE}', httpBaseUrl: '${HTTP_BASE_URL}'`;
  // Two clauses are enough to see how the call ends, and that a rule of one's own is among the rules.
  return found.map((code) =>
    code.replace(
      /baseUrl: '[^']*'/,
      `${own}, only: [${code.includes('rules:') ? "'sends-hsts', 'HTTPS-1'" : "'AUTH-3', 'HTTPS-1'"}]`,
    ),
  );
};

test('is a library of one call, with types and rules of one’s own', inCi, async () => {
  const [entry = '', guide = '', ownRule = '', ...more] = libraryExamples();
  expect([entry, guide, ownRule].map((code) => code.includes('await judge({ baseUrl'))).toEqual([true, true, true]);
  expect(more).toEqual([]);
  const verdictOfRule = `
console.log(run.results.checks.filter(({ rule }) => rule === 'sends-hsts').map(({ outcome }) => outcome), run.exitCode);
await run.writeReports('own-rule');
await run.dispose();
for (const input of [{ baseUrl: 'nonsense' }, { baseUrl: 'https://localhost:1', noSuchSetting: 1 }, { baseUrl: 'https://localhost:1', rules: [{ ...sendsHsts, clauses: ['NO-1'] }] }])
  console.log(await judge(input).catch(({ name, message }) => name + ': ' + message.split('\\n')[0]));\n`;
  const files = { entry, guide, 'own-rule': ownRule };
  for (const [name, code] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.mts`), code);
    writeFileSync(join(folder, `${name}.mjs`), name === 'own-rule' ? code + verdictOfRule : code);
  }
  writeFileSync(
    join(folder, 'typed.mts'),
    `import { judge, type RunRecord, startReference, type Verdict } from '${tool.name}';
const reasons = (run: RunRecord): string[] => run.results.checks.map(({ reason }) => reason);
const run = await judge({ baseUrl: 'https://api.example.com', concurrency: 4, rate: '20/s', strict: true, overlay: ['a.yaml'] });
const verdict: Verdict = run.results.verdict;
// @ts-expect-error a port is a number
await startReference({ port: 'any' });
// @ts-expect-error a rate has a unit
await judge({ baseUrl: 'https://api.example.com', rate: 20 });
// @ts-expect-error the deployment has to be named
await judge({ strict: true });
console.log(verdict, reasons(run));\n`,
  );
  const compiler = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', 'false'];
  const types = ['--types', 'node', '--typeRoots', join(packageRoot, 'node_modules', '@types')];
  const { API_KEY = '' } = served.settings;
  const [ran, guided, ownRuled, compiled] = await Promise.all([
    runIn(folder, ['node', 'entry.mjs'], { API_KEY }),
    runIn(folder, ['node', 'guide.mjs'], { API_KEY }),
    runIn(folder, ['node', 'own-rule.mjs']),
    runIn(folder, ['node', compiler, ...options, ...types, 'typed.mts', 'entry.mts', 'guide.mts', 'own-rule.mts']),
  ]);
  expect(ran).toEqual({ code: 0, out: 'conformant\n', err: '' });
  expect(guided).toEqual({ code: 0, out: '', err: '' });
  expect(existsSync(join(folder, 'reports', 'conformance', 'index.html'))).toBe(true);
  expect(ownRuled.err).toBe('');
  expect(ownRuled.out.split('\n')).toEqual([
    "[ 'failed', 'failed' ] 1",
    expect.stringMatching(/^SettingsError: BASE_URL is "nonsense"/),
    expect.stringMatching(/^SettingsError: noSuchSetting: there is no setting/),
    expect.stringMatching(/^RulesError: sends-hsts: the contract has no NO-1; it has HTTPS-1, /),
    '',
  ]);
  expect(readFileSync(join(folder, 'own-rule', 'conformance', 'index.html'), 'utf8')).toContain(
    'Add it in the gateway.',
  );
  expect(compiled.out).toBe('');
});

test('names its command where the manifest says', inCi, () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', tool.name, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    dependencies: Record<string, string>;
  };
  const main = join(folder, 'node_modules', tool.name, manifest.bin[tool.name] ?? '');
  expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(dirname(main)).toContain('dist');
  expect(manifest.dependencies['@playwright/test'], 'exact: see CONTRIBUTING.md').toMatch(/^\d+\.\d+\.\d+$/);
});
