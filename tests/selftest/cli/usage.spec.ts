import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { printFailure } from '../../../src/cli/app.js';
import { makeTerminal } from '../../../src/cli/terminal.js';
import { app } from '../support/app.js';
import { command } from '../support/command.js';
import { documentOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

test('a run that saw nothing is no baseline, and leaves the accepted one alone', async ({ cwd }) => {
  writeFileSync(join(cwd, 'access-baseline.json'), 'accepted');
  await app(['run', '--base-url', 'https://127.0.0.1:1', '--http-base-url', 'none'], { cwd });
  const { code, err } = await app(['baseline'], { cwd });
  expect(err).toContain('saw nothing of the deployment');
  expect(code).toBe(3);
  expect(readFileSync(join(cwd, 'access-baseline.json'), 'utf8')).toBe('accepted');
});

test('commands that need no deployment say nothing of the path of BASE_URL', async ({ cwd }) => {
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(documentOf({ servers: [{ url: 'https://x.example/v1' }] })));
  const { code, err } = await app(['list', '--contract', 'api.json'], { cwd });
  expect(err).toBe('');
  expect(code).toBe(0);
});

test.describe('wrong usage ends with 3 and says what to do', () => {
  for (const [words, said] of [
    [[], /a command is missing/],
    [['rnu'], /did you mean access-conformance run/],
    [['frobnicate'], /the commands are run/],
    [['--base-url', 'https://x.example'], /the command comes first/],
    [['run', '--base-ulr', 'https://x.example'], /did you mean --base-url/],
    [['run', '--base-url'], /--base-url needs a value/],
    [['run', '--reference', '--fault', 'a', '--fault', 'b'], /--fault is given twice/],
    [['run', '--base-url', '--strict'], /--base-url needs a value/],
    [['run', '--quiet=yes'], /takes no value/],
    [['run', '--strict=maybe', '--base-url', 'https://x.example'], /STRICT is "maybe" \(from a flag\)/],
    [['run', '--concurrency', '4', '--concurrency', '5'], /given twice/],
    [['run', 'https://x.example'], /"https:\/\/x.example" is one argument too many/],
    [['run', 'API_KEY=hunter2'], /"API_KEY=…" is one argument too many/],
    [['run', 'S3cretS3cret9x'], /The last of them is one argument too many/],
    [['run', '--fault', 'no-key-asked'], /add --reference/],
    [['run', '--reference', '--fault', 'no-key-aksed'], /did you mean no-key-asked/],
    [['run', '--reference', '--base-url', 'https://x.example'], /has no place/],
    [['run', '--reference', '--only', 'AUTH-33'], /did you mean AUTH-3\?/],
    [['run', '--reference', '--only', 'refuses-*@listWorkout'], /did you mean refuses-\*@listWorkouts\?/],
    [['run', '--reference', '--only', 'AUTH-3@listWorkout'], /did you mean AUTH-3@listWorkouts\?/],
    [['run', '--base-url', 'http://x.example'], /HTTPS-2/],
    [['run', '--key-page', '--base-url', 'https://x.example'], /KEY_PAGE_URL/],
    [['run', '-x'], /has no flag -x\./],
    [['run', '--only', ''], /--only is empty/],
    [['explain'], /explain needs ID\./],
    [['compare', 'old.json'], /compare needs B\/results\.json\./],
    [['serve', '--port', '70000'], /65535/],
    [['help', 'rnu'], /did you mean run/],
    [['init', '--ci', 'jenkins'], /github or gitlab/],
  ] as const)
    test(words.join(' ') || 'nothing at all', async ({ cwd }) => {
      const { code, out, err } = await app(words, { cwd });
      expect(err).toMatch(said);
      expect(err).not.toMatch(/^\s+at /m);
      expect(out).toBe('');
      expect(code).toBe(3);
    });

  test('without a base URL: how to give one, and how to see a run without', async ({ cwd }) => {
    const { code, err } = await app(['run'], { cwd, env: { BASEURL: 'https://x.example' } });
    expect(code).toBe(3);
    expect(err).toMatch(
      /BASEURL: did you mean BASE_URL\?[\s\S]*--base-url[\s\S]*\.env[\s\S]*run --reference[\s\S]*npm run demo/,
    );
  });

  for (const flag of ['--api-key', '--api-key-tokenauth', '--web-password', '--api-token'])
    test(`${flag} is refused with the reason, and its value not shown`, async ({ cwd }) => {
      for (const words of [[flag, 'hunter2'], [`${flag}=hunter2`]]) {
        const { code, err } = await app(['run', ...words], { cwd });
        expect(code).toBe(3);
        expect(err).toMatch(/seen by every process[\s\S]*\.env/);
        expect(err).not.toContain('hunter2');
      }
    });

  test('a key that stands in a path is refused before anything is sent, and not shown', async ({ cwd }) => {
    const env = { BASE_URL: 'https://api.example', API_KEY: 'exercise' };
    const { code, err } = await app(['run'], { cwd, env });
    expect(code).toBe(3);
    expect(err).toMatch(/API_KEY: its value is part of a path/);
    expect(err).not.toContain('exercise');
  });

  test('a contract that cannot be used is named with its line', async ({ cwd }) => {
    writeFileSync(join(cwd, 'api.yaml'), 'openapi: 3.1.0\ninfo: {title: x, version: 1\n');
    const { code, err } = await app(['list', '--contract', 'api.yaml'], { cwd });
    expect(code).toBe(3);
    expect(err).toMatch(/api\.yaml:\d+:\d+/);
  });
});

test.describe('help', () => {
  for (const words of [['help'], ['--help'], ['-h']])
    test(words.join(' '), async ({ cwd }) => {
      const { code, out } = await app(words, { cwd });
      expect(code).toBe(0);
      for (const name of ['run', 'serve', 'list', 'doctor', 'plan', 'init'])
        expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    });

  test('of a command names its flags and no secret', async ({ cwd }) => {
    const { out } = await app(['run', '--help'], { cwd });
    expect(out).toMatch(/--only SELECTOR/);
    expect(out).toMatch(/--base-url URL/);
    expect(out).not.toMatch(/^ +--(api-key|web-password) /m);
  });

  test('of a command that looks without judging shows the settings that it uses', async ({ cwd }) => {
    for (const [name, unused] of [
      ['list', '--reports-dir'],
      ['explain', '--concurrency'],
      ['doctor', '--strict'],
    ] as const) {
      const { out } = await app([name, '--help'], { cwd });
      expect(out).toContain('--contract FILE');
      expect(out).not.toContain(unused);
    }
  });

  test('settings are those of .env.example', async ({ cwd }) => {
    const { out } = await app(['help', 'settings'], { cwd });
    expect(out).toContain('# RATE_LIMIT_WAIT_S=90');
  });

  test('--version', async ({ cwd }) => {
    expect((await command(['--version'], { cwd })).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test.describe('init', () => {
  test('writes .env for its owner alone, CI file and overlay, and never over a file', async ({ cwd }) => {
    const words = ['init', '--ci', 'github', '--overlay-skeleton', '--base-url', 'https://x.example'];
    const { code, out } = await app(words, { cwd });
    expect(code).toBe(0);
    expect(out.match(/^wrote /gm)).toHaveLength(3);
    expect(readFileSync(join(cwd, '.env'), 'utf8')).toContain('BASE_URL=https://x.example\n');
    expect(statSync(join(cwd, '.env')).mode & 0o077).toBe(0);
    expect(existsSync(join(cwd, '.github/workflows/access-conformance.yml'))).toBe(true);

    writeFileSync(join(cwd, '.env'), '# mine\n');
    const again = await app(words, { cwd });
    expect(again.out.match(/^kept /gm)).toHaveLength(3);
    expect(again.out).toContain('kept  .env, which is there already; put BASE_URL=https://x.example into it\n');
    expect(readFileSync(join(cwd, '.env'), 'utf8')).toBe('# mine\n');
  });

  test('CI files stand at the root of the repository, and name the overlay from there', async ({ cwd }) => {
    execFileSync('git', ['init', '-q'], { cwd });
    const below = join(cwd, 'tests', 'access');
    mkdirSync(below, { recursive: true });
    for (const [system, path] of [
      ['github', '.github/workflows/access-conformance.yml'],
      ['gitlab', '.gitlab/access-conformance.yml'],
    ] as const) {
      const { out } = await app(['init', '--ci', system, '--overlay-skeleton'], { cwd: below });
      expect(out).toContain(`wrote ../../${path}\n`);
      const text = readFileSync(join(cwd, path), 'utf8');
      expect(text).toContain('OVERLAY: "tests/access/overlay.yaml"');
      expect(() => parse(text)).not.toThrow();
      if (system === 'github') expect(text).toContain('actions/checkout');
    }
  });

  test('what it writes can be read: .env as settings, the overlay with the contract', async ({ cwd }) => {
    await app(['init', '--overlay-skeleton', '--base-url', 'https://x.example'], { cwd });
    const { code, err } = await app(['list', '--overlay', 'overlay.yaml'], { cwd });
    expect(err).toBe('');
    expect(code).toBe(0);
  });
});

test('list and plan need no deployment, and show no key', async ({ cwd }) => {
  const listed = await app(['list', '--json'], { cwd });
  const { clauses, checks } = JSON.parse(listed.out);
  expect(clauses).toHaveLength(12);
  expect(checks.map(({ id }: { id: string }) => id)).toContain('refuses-missing-key@listWorkouts');

  const planned = await app(['plan', '--base-url', 'https://x.example'], {
    cwd,
    env: { API_KEY: 'hunter2hunter2' },
  });
  expect(planned.code).toBe(0);
  expect(planned.out).toContain("GET https://x.example/api/v2/workout/ -H 'Authorization: Token <API_KEY>'");
  expect(planned.out).not.toContain('hunter2');
  expect(planned.out).not.toMatch(/ (POST|PUT|PATCH|DELETE) /);
});

test('plan counts what is sent with every key of the document, and plan and list say what is not probed', async ({
  cwd,
}) => {
  const responses = { default: { description: '-' } };
  const remove = { security: [{ a: [] }], responses };
  const document = documentOf({
    components: {
      securitySchemes: {
        a: { type: 'apiKey', in: 'header', name: 'A' },
        b: { type: 'apiKey', in: 'header', name: 'B' },
      },
    },
    paths: {
      '/a': {
        get: { operationId: 'readA', security: [{ a: [] }], responses },
        delete: { operationId: 'removeA', ...remove },
      },
      '/b': {
        get: { operationId: 'readB', security: [{ b: [] }], responses },
        delete: { operationId: 'removeB', ...remove },
      },
      '/c': { get: { operationId: 'readC', responses } },
    },
  });
  writeFileSync(join(cwd, 'api.yaml'), JSON.stringify(document));
  const both = ['--contract', 'api.yaml', '--base-url', 'https://x.example'];
  const keys = { API_KEY_A: 'hunter2hunter2', API_KEY_B: 'hunter3hunter3' };
  const bare = await app(['plan', ...both, '--json'], { cwd });
  const keyed = await app(['plan', ...both, '--json'], { cwd, env: keys });
  const { requests, unprobed } = JSON.parse(bare.out);
  expect(requests.length).toBeGreaterThan(100);
  expect(requests).toHaveLength(JSON.parse(keyed.out).requests.length);
  const ids = ['removeA', 'removeB', 'readC'];
  expect(unprobed.map(({ id }: { id: string }) => id)).toEqual(ids);
  const listed = await app(['list', '--json', ...both], { cwd });
  expect(JSON.parse(listed.out).unprobed).toEqual(unprobed);
  for (const name of ['plan', 'list']) {
    const { out } = await app([name, ...both], { cwd });
    expect(out).toContain('3 of 5 operations are not probed, 2 of them protected');
    expect(out).toMatch(
      /^ {2}removeA, removeB {2}DELETE may change something\..*\n {2}readC {2}The document does not say/m,
    );
  }
});

test('a temporary folder without room is named, with what to set', () => {
  let said = '';
  const err = (text: string): void => {
    said += text;
  };
  const terminal = { ...makeTerminal(process.stdout, process.stderr, { NO_COLOR: '1' }), err };
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });
  expect(printFailure(error, { env: {}, terminal })).toBe(3);
  expect(said).toMatch(
    /^access-conformance: cannot keep what was seen in \S+: no space is left on the disk \(ENOSPC\)\n {2}set TMPDIR/,
  );
});
