import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReference } from '../../../src/reference/index.js';
import { readTarget } from '../../../src/settings/target.js';
import { forTargets, readTargets, TargetsError } from '../../../src/settings/targets-file.js';
import { app } from '../support/app.js';
import { protectedList } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

const problems = (cwd: string, text: string, env: Readonly<Record<string, string>> = { KEY: 'secret' }): string => {
  writeFileSync(join(cwd, 'targets.yaml'), text);
  try {
    readTargets(join(cwd, 'targets.yaml'), { shown: 'targets.yaml', env, cwd });
  } catch (error) {
    if (error instanceof TargetsError) return error.message;
    throw error;
  }
  return '';
};

test('each target has its own settings, key and folder, and nobody else’s', ({ cwd }) => {
  writeFileSync(
    join(cwd, 'targets.yaml'),
    [
      'targets:',
      '  - {name: Staging EU, baseUrl: https://staging.example, keyVariable: KEY, ca: ca.pem, overlay: [a.yaml, b.yaml]}',
      '  - name: production',
      '    baseUrl: https://example.com',
      '    httpBaseUrl: none',
    ].join('\n'),
  );
  const env = { KEY: 'secret', API_KEY: 'of another one', API_KEY_OTHER: 'another', BASE_URL: 'https://other.example' };
  const [staging, production] = readTargets(join(cwd, 'targets.yaml'), { shown: 'targets.yaml', env, cwd });
  expect(staging).toMatchObject({ name: 'Staging EU', folder: 'staging-eu', position: 'targets.yaml:2' });
  expect(staging?.fixed).toMatchObject({
    BASE_URL: 'https://staging.example',
    API_KEY: 'secret',
    CA_FILE: join(cwd, 'ca.pem'),
    OVERLAY: `${join(cwd, 'a.yaml')},${join(cwd, 'b.yaml')}`,
  });
  expect(production?.fixed).toMatchObject({ HTTP_BASE_URL: 'none' });
  expect(production?.fixed).toHaveProperty('API_KEY', undefined);
  expect(production?.fixed).toHaveProperty('API_KEY_OTHER', undefined);
});

for (const [what, text, said] of [
  ['no name', '- baseUrl: https://a.example\n', 'targets.yaml:1 the target has no name'],
  ['no base URL', '- name: a\n', 'targets.yaml:1 the target has no baseUrl'],
  [
    'a key',
    '- {name: a, baseUrl: "https://a.example",\n   key: KEY}\n',
    'targets.yaml:2 a target has no member "key": a key stands in no file',
  ],
  ['a member called as its setting', '- {name: a, baseUrl: "https://a.example", caFile: ca.pem}\n', 'did you mean ca?'],
  ['a misspelt member', '- {name: a, baseUlr: "https://a.example"}\n', 'did you mean baseUrl?'],
  [
    'a secret for a variable',
    '- {name: a, baseUrl: "https://a.example", keyVariable: "s3cr3t-k3y"}\n',
    'must be the name of an environment variable',
  ],
  [
    'a variable that is not set',
    '- {name: a, baseUrl: "https://a.example", keyVariable: NOBODY}\n',
    'the variable NOBODY is not set',
  ],
  [
    'a key for a variable',
    '- {name: a, baseUrl: "https://a.example", keyVariable: c0ffee5ca1ab1e00decafbad}\n',
    'the variable (its name is not shown, it may be the key) is not set',
  ],
  [
    'one folder for two',
    '- {name: a b, baseUrl: "https://a.example"}\n- {name: A-B, baseUrl: "https://b.example"}\n',
    'targets.yaml:2 A-B has the folder of a b (targets.yaml:1)',
  ],
  ['nothing', '[]\n', 'targets.yaml:1 the file must be a list'],
  ['text', 'staging\n', 'targets.yaml:1 the file must be a list'],
  ['no YAML', '- [\n', 'targets.yaml:'],
] as const)
  test(`refused with file and line: ${what}`, ({ cwd }) => {
    const found = problems(cwd, text);
    expect(found).toContain(said);
    expect(found).not.toContain('s3cr3t');
  });

test(
  'judges them one after the other, writes a folder each and the matrix; the worst exit code',
  inCi,
  async ({ cwd }) => {
    const services = await Promise.all([startReference(), startReference({ fault: 'no-key-asked' })]);
    const [good, bad] = services;
    if (!good || !bad) throw new Error('two services were started');
    try {
      copyFileSync(good.caFile, join(cwd, 'good.pem'));
      copyFileSync(bad.caFile, join(cwd, 'bad.pem'));
      const entry = (name: string, { baseUrl, httpBaseUrl }: typeof good, more = ''): string =>
        `- name: ${name}\n  baseUrl: ${baseUrl}\n  httpBaseUrl: ${httpBaseUrl}\n  ca: ${name}.pem\n  keyVariable: ${name.toUpperCase()}_KEY\n${more}`;
      const env = { GOOD_KEY: good.key, BAD_KEY: bad.key, API_KEY: 'nobody-may-see-this-one', PROBES: 'standard' };
      writeFileSync(join(cwd, 'targets.yaml'), `${entry('good', good)}${entry('bad', bad)}`);
      const both = await app(['run', '--targets', 'targets.yaml', '--quiet'], { cwd, env });
      expect(both.err).toBe('');
      expect(both.out).toMatch(/good\nConformant: .*\n\nbad\nNot conformant: /);
      expect(both.out).toContain('1 of 2 deployments conformant. Worse than good in');
      expect(both.code).toBe(1);
      for (const name of ['good', 'bad']) {
        const results = JSON.parse(readFileSync(join(cwd, 'reports', name, 'conformance/results.json'), 'utf8'));
        expect(results.target.name).toBe(name);
      }
      expect(readFileSync(join(cwd, 'reports/compare.html'), 'utf8')).toContain(
        '<a href="bad/conformance/index.html">bad</a>',
      );

      // Known deviations are those of one target.
      writeFileSync(join(cwd, 'known.yaml'), '- {check: "refuses-*@listWorkouts", reason: x}\n');
      const only = (text: string) => writeFileSync(join(cwd, 'targets.yaml'), text);
      only(`${entry('good', good)}${entry('bad', bad, '  deviations: known.yaml\n')}`);
      const [before, refused] = [good.requests, await app(['run', '--targets', 'targets.yaml'], { cwd, env })];
      expect(refused.err).toContain('known.yaml:1');
      expect(refused.code).toBe(3);
      // Found before anything was sent, to the first one either.
      expect(good.requests).toBe(before);
      only(entry('good', good).replace(good.baseUrl, 'http://plain.example'));
      const wrong = await app(['run', '--targets', 'targets.yaml'], { cwd, env });
      expect(wrong.err).toContain('targets.yaml:1 the target good:');
      expect(wrong.code).toBe(3);
    } finally {
      await Promise.all(services.map((service) => service.close()));
    }
  },
);

test('plan, doctor and run take them from TARGETS_FILE too, and tell what is wrong with each', async ({ cwd }) => {
  const targets = (...urls: readonly string[]): void =>
    writeFileSync(join(cwd, 'targets.yaml'), urls.map((url, at) => `- {name: t${at}, baseUrl: "${url}"}\n`).join(''));
  const env = { TARGETS_FILE: 'targets.yaml', BASE_URL: 'https://other.example' };
  targets('https://a.invalid', 'https://b.invalid');
  const planned = await app(['plan'], { cwd, env });
  expect(planned.out).toMatch(/^t0\n[\s\S]*https:\/\/a\.invalid[\s\S]*^t1\n[\s\S]*https:\/\/b\.invalid/m);
  expect(planned.out).not.toContain('other.example');
  expect(planned.code).toBe(0);
  // A flag outranks the environment.
  const one = await app(['plan', '--base-url', 'https://c.invalid'], { cwd, env });
  expect(one.out).not.toMatch(/^t0$/m);
  const looked = await app(['doctor', '--targets', 'targets.yaml'], { cwd, env: { STRIC: 'true' } });
  expect(looked.out).toMatch(/^t0\n[\s\S]*^t1\n/m);
  expect(looked.err).toContain('The environment has STRIC, which is no setting: did you mean STRICT?');
  expect(looked.code).toBe(2);
  targets('http://a.example', 'https://b.example/?q');
  for (const command of ['run', 'plan', 'doctor']) {
    const { code, err } = await app([command], { cwd, env });
    expect(err).toMatch(/targets\.yaml:1 the target t0:[\s\S]*targets\.yaml:2 the target t1:/);
    expect(code).toBe(3);
  }
});

test('what is of one deployment has no place beside several', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, 'targets.yaml'), '- {name: a, baseUrl: "https://a.example"}\n');
  for (const [flags, said] of [
    [['--base-url', 'https://b.example'], '--base-url is of one deployment'],
    [['--json'], '--json is of one deployment'],
    [['--reference'], '--targets has no place'],
  ] as const) {
    const { code, err } = await app(['run', '--targets', 'targets.yaml', ...flags], { cwd });
    expect(err).toContain(said);
    expect(code).toBe(3);
  }
  const nowhere = await app(['run', '--targets', 'nowhere.yaml'], { cwd });
  expect(nowhere.err).toContain('nowhere.yaml:1 the targets file cannot be read (ENOENT)');
  expect(nowhere.code).toBe(3);
  expect(existsSync(join(cwd, 'reports'))).toBe(false);
});

test('each target has its own identities, with keys in variables that no other setting names', async ({ cwd }) => {
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(protectedList));
  const identities = (name: string): string =>
    `- { name: member }\n- { name: ${name}, keys: { key: { variable: API_KEY_${name.toUpperCase()} } } }\n`;
  for (const name of ['ada', 'ben']) writeFileSync(join(cwd, `${name}.yaml`), identities(name));
  const entry = (name: string): string =>
    `- {name: ${name}, baseUrl: "https://${name}.invalid", keyVariable: KEY, identities: ${name}.yaml, contract: openapi.json}\n`;
  writeFileSync(join(cwd, 'targets.yaml'), entry('ada') + entry('ben'));
  const env = { KEY: 'key-of-the-member', API_KEY_ADA: 'key-of-ada-4711', API_KEY_BEN: 'key-of-ben-4712' };
  const seen = await forTargets('targets.yaml', { env, cwd }, async (settings) => {
    const { identities: all = [], keys } = readTarget(settings);
    return [all.map(({ name }) => name), keys];
  });
  expect(seen.done).toEqual([
    [['member', 'ada'], { API_KEY: env.KEY, API_KEY_ADA: env.API_KEY_ADA }],
    [['member', 'ben'], { API_KEY: env.KEY, API_KEY_BEN: env.API_KEY_BEN }],
  ]);
  // What is wrong with one is told with its target, its file and line.
  const { API_KEY_BEN: _ben, ...less } = env;
  const { err, code } = await app(['plan', '--targets', 'targets.yaml'], { cwd, env: less });
  expect(err).toMatch(
    /targets\.yaml:2 the target ben:[\s\S]*ben\.yaml:2:\d+ ben\.keys\.key: the variable API_KEY_BEN is not set/,
  );
  expect(code).toBe(3);
});
