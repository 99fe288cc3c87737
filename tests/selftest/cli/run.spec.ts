import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { command, start } from '../support/command.js';
import { answer, type RawServer, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

/** Everything below a folder, as one text. */
const everythingIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

test('the embedded service is conformant, whatever .env says of another one', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, '.env'), 'BASE_URL=https://x.example\nAPI_KEY_FILE=nowhere\nNO_SUCH_NAME=1\n');
  const { code, out } = await command(['run', '--reference'], { cwd, env: { API_KEY: 'a b', CA_FILE: 'nowhere' } });
  expect(out).toMatch(/^Conformant: 3 of 3 operations judged/m);
  expect(out.trimEnd().split('\n').length).toBeLessThan(25);
  expect(out.trimEnd().split('\n').at(-1)).toBe('Results  reports/conformance/results.json');
  expect(code).toBe(0);
});

test('a fault is not conformant: 1, and --json gives the results alone', inCi, async ({ cwd }) => {
  const { code, out, err } = await app(
    ['run', '--reference', '--fault', 'no-key-asked', '--probes', 'standard', '--json'],
    { cwd },
  );
  const results = JSON.parse(out);
  expect(results).toMatchObject({ verdict: 'non-conformant', schemaVersion: 1 });
  expect(results.clauses.find(({ id }: { id: string }) => id === 'AUTH-3').outcome).toBe('failed');
  expect(err).toContain('Not conformant');
  expect(code).toBe(1);
});

test('--only judges these alone, --quiet prints one line', inCi, async ({ cwd }) => {
  const { code, out, err } = await app(['run', '--reference', '--only', 'AUTH-3', '--only', 'serves-*', '--quiet'], {
    cwd,
  });
  expect(out.trim().split('\n')).toHaveLength(1);
  expect(err).toBe('');
  expect(code).toBe(0);
  const rules = new Set(resultsIn(cwd).checks.map(({ rule }: { rule: string }) => rule));
  expect(rules).toContain('refuses-missing-key');
  expect(rules).toContain('serves-https');
  expect(rules).not.toContain('opens-without-credentials');
});

test('a clause of the key page alone, without the page: 2, with what would judge it', inCi, async ({ cwd }) => {
  const { code, out } = await app(['run', '--reference', '--only', 'PAGE-1', '--quiet'], { cwd });
  expect(out).toMatch(/^Not judged: nothing that was selected can pass or fail \(The key page .* --key-page .*\)\./);
  expect(code).toBe(2);
});

test('a deployment through .env: key good, wrong, missing', async ({ cwd }) => {
  const service = await startReference();
  try {
    const lines = (key: string): string =>
      `BASE_URL=${service.baseUrl}/\nHTTP_BASE_URL=${service.httpBaseUrl}\nCA_FILE=${service.caFile}\n${key}\n`;
    for (const [line, expected, said] of [
      [`API_KEY=${service.key}`, 0, /Conformant/],
      ['API_KEY=0123456789abcdef0123456789abcdef01234567', 2, /Not judged in full/],
      ['', 2, /Not judged in full/],
    ] as const) {
      writeFileSync(join(cwd, '.env'), lines(line));
      const env = line === '' ? { API_KYE: service.key } : { STRIC: 'true', DATE: '1' };
      const { code, out, err } = await app(['run', '--probes', 'standard'], { cwd, env });
      expect(out).toMatch(said);
      expect(code).toBe(expected);
      const isMisspelt = err.includes('The environment has STRIC, which is no setting: did you mean STRICT?');
      expect(isMisspelt).toBe(line !== '');
      expect(err).not.toContain('DATE');
      if (line === '') expect(err).toMatch(/No key was given .* The environment has API_KYE: did you mean API_KEY\?/);
    }
    writeFileSync(join(cwd, 'key'), `${service.key}\n`);
    writeFileSync(join(cwd, '.env'), lines('API_KEY_FILE=key'));
    const { out, err } = await app(['run', '--quiet'], { cwd });
    for (const form of [service.key, Buffer.from(service.key).toString('base64').slice(0, -4)]) {
      expect(everythingIn(join(cwd, 'reports'))).not.toContain(form);
      expect(out + err).not.toContain(form);
    }
  } finally {
    await service.close();
  }
});

test('a dead port cannot be judged: 2', async ({ cwd }) => {
  const { code, out } = await app(['run', '--base-url', 'https://127.0.0.1:1', '--http-base-url', 'none'], {
    cwd,
    env: { API_KEY: 'hunter2hunter2' },
  });
  expect(out).toContain('Not judged: the deployment gave no answer');
  expect(code).toBe(2);
});

test('a reports folder that cannot be made: one line that names it, before anything is sent', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, 'taken'), '');
  const { code, err } = await app(['run', '--reference', '--reports-dir', 'taken/reports'], { cwd });
  expect(err).toContain(join(cwd, 'taken/reports'));
  expect(err).toContain('--reports-dir');
  expect(code).toBe(3);
  // Root may write everywhere.
  if (process.getuid?.() === 0) return;
  chmodSync(cwd, 0o500);
  expect((await app(['run', '--reference'], { cwd })).code).toBe(3);
  chmodSync(cwd, 0o700);
});

test('Ctrl-C: what there is gets written at once, marked incomplete, and the exit code is 2', async ({ cwd }) => {
  // From some request on it never answers, and is given longer than a test may take: a run that
  // waited for it would not end.
  const server: RawServer = await rawServer(() => (server.heads.length <= 3 ? answer(404) : undefined));
  try {
    const { child, ended } = start(['run', '--base-url', server.origin, '--http-base-url', 'none'], {
      cwd,
      env: { API_KEY: 'hunter2hunter2', INSECURE_TLS: 'true', TIMEOUT_MS: '600000' },
    });
    await expect.poll(() => server.heads.length).toBeGreaterThan(3);
    // As from `timeout` and npm, which pass a signal on: two at once are one.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    const { code, out, err } = await ended;
    expect(err).toContain('Stopping');
    expect(out).toContain('cut short');
    expect(resultsIn(cwd)).toMatchObject({ complete: false, verdict: 'incomplete' });
    expect(code).toBe(2);
  } finally {
    await server.close();
  }
});

test(
  'no colour without a terminal, with NO_COLOR, and for a reader that goes away nothing breaks',
  inCi,
  async ({ cwd }) => {
    const escapeCharacter = String.fromCharCode(27);
    const little = ['run', '--reference', '--only', 'HTTPS-1'];
    expect((await command(little, { cwd })).out).not.toContain(escapeCharacter);
    expect((await app([...little, '--quiet'], { cwd, env: { NO_COLOR: '1', FORCE_COLOR: '1' } })).out).not.toContain(
      escapeCharacter,
    );
    const { child, ended } = start(['run', '--reference', '--only', 'AUTH-3', '--probes', 'standard', '--json'], {
      cwd,
    });
    child.stdout?.destroy();
    expect((await ended).code).toBe(0);
    expect(existsSync(join(cwd, 'reports/conformance/index.html'))).toBe(true);
  },
);

test('--write-deviations proposes the failed checks, and never over a file', inCi, async ({ cwd }) => {
  const words = [
    'run',
    '--reference',
    '--fault',
    'no-key-asked',
    '--only',
    'refuses-missing-key',
    '--write-deviations',
  ];
  expect((await app(words, { cwd })).code).toBe(1);
  expect(readFileSync(join(cwd, 'deviations.yaml'), 'utf8')).toContain('- check: refuses-missing-key@listWorkouts');
  const again = await app(words, { cwd });
  expect(again.err).toContain('not overwritten');
  expect(again.code).toBe(3);
});
