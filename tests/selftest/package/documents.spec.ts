import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot, tool } from '../../../src/package.js';
import { faults, variants } from '../../../src/reference/index.js';
import { pageFaults } from '../../../src/reference/pages/pages.js';
import { rules } from '../../../src/rules/index.js';
import { entryNamed } from '../../../src/settings/table.js';
import { expect, test } from '../support/test.js';

/** What the documents say is there, is there. */

const guides = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs/implementing.md',
  'docs/install.md',
  'docs/writing-a-rule.md',
  'docs/ci/README.md',
  'docs/examples/README.md',
];
const textOf = (name: string): string => readFileSync(join(packageRoot, name), 'utf8');

for (const name of guides)
  test(`${name}: links lead somewhere, and settings exist`, () => {
    const text = textOf(name);
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(
      links.filter((link) => !existsSync(join(packageRoot, dirname(name), link))),
      'links that lead nowhere',
    ).toEqual([]);
    const settings = /`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g;
    // Of the examples, of CI systems, and of the Playwright front-end alone.
    const known = new Set([
      'CERT_FILE',
      'CERT_KEY_FILE',
      'KEYS_FILE',
      'HTTP_PORT',
      'TARGETS_FILE',
      'ACCESS_CONFORMANCE_SEED',
      'ACCESS_CONFORMANCE_SOURCE',
      'NODE_EXTRA_CA_CERTS',
      'XDG_STATE_HOME',
    ]);
    const named = [...text.matchAll(settings)].map(([, setting = '']) => setting);
    const unknown = named.filter(
      (setting) => !known.has(setting) && !setting.startsWith('SECURE_') && entryNamed(setting) === undefined,
    );
    expect(unknown, 'settings that are none').toEqual([]);
  });

test('the guide for implementers shows each clause by faults that break it', () => {
  const guide = textOf('docs/implementing.md');
  const all = [...faults, ...pageFaults];
  const sections = guide.split(/^### \d\. /m).slice(1);
  expect(sections.length).toBe(8);
  for (const section of sections.slice(0, 7)) {
    const [heading = ''] = section.split('\n');
    const [body = ''] = section.split(/^## /m);
    const clauses = heading.match(/[A-Z]+-\d/g) ?? [];
    const shown = [
      ...(/^Faults: (.*)$/m.exec(body)?.[1] ?? '').matchAll(/`([a-z0-9-]+)`/g),
      ...body
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .flatMap((line) => [...(line.split('|').at(-2) ?? '').matchAll(/`([a-z0-9-]+)`/g)]),
    ].map(([, name = '']) => name);
    expect(shown.length, heading).toBeGreaterThan(2);
    const range = /PAGE-1 to PAGE-3/.test(heading) ? ['PAGE-1', 'PAGE-2', 'PAGE-3'] : clauses;
    for (const name of shown) {
      const fault = all.find((one) => one.name === name);
      expect(fault, `${heading} names the fault ${name}`).toBeDefined();
      expect(range, name).toEqual(expect.arrayContaining([fault?.clauses[0]]));
    }
  }
  const named = [...guide.matchAll(/--(?:fault|variant) ([a-z][a-z0-9-]+)/g)].map(([, name = '']) => name);
  // Of the examples, of CI systems, and of the Playwright front-end alone.
  const known = new Set([...all, ...variants].map(({ name }) => name));
  for (const [, name = ''] of guide.matchAll(/`(like-[a-z-]+)`/g)) named.push(name);
  for (const name of named) expect(known, name).toContain(name);
});

test('the changelog names this version and every rule, since a rule changes the colour of builds', () => {
  const changes = textOf('CHANGELOG.md');
  expect(changes).toMatch(new RegExp(`^## ${tool.version.replaceAll('.', '\\.')}\\b`, 'm'));
  for (const { id } of rules) expect(changes).toContain(`\`${id}\``);
});

test('the version of Playwright that the README names is the one that the package brings', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  expect(textOf('README.md')).toContain(`@playwright/test@${dependencies['@playwright/test']}\``);
});

test('the licence is the one that the manifest names', () => {
  expect(textOf('LICENSE')).toMatch(/^MIT License/);
  expect(JSON.parse(textOf('package.json'))).toMatchObject({ license: 'MIT' });
});

test('the table of unexpected verdicts quotes what the suite says', () => {
  const [, table = ''] = textOf('docs/implementing.md').split('## When the verdict is not what you expect');
  const quoted = [...table.matchAll(/^\| "([^"]+)"/gm)].map(([, words = '']) => words);
  expect(quoted.length).toBeGreaterThan(3);
  const files = readdirSync(join(packageRoot, 'src', 'rules'), { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => textOf(join('src', 'rules', name)))
    .join('\n');
  expect(quoted.filter((words) => !sources.includes(words))).toEqual([]);
});

test('commands to paste have no comment behind them, since an interactive zsh has none', () => {
  const commented = [...guides, 'docs/identities.md', 'docs/drift.md', 'docs/live-keys.md'].flatMap((name) =>
    [...textOf(name).matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
      block.split('\n').filter((line) => /\S.*\s#\s/.test(line)),
    ),
  );
  expect(commented).toEqual([]);
});
