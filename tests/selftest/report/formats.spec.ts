import { readFileSync } from 'node:fs';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import type { Finding, RunRecord } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { badgeOf, junitXml } from '../../../src/report/ci-formats.js';
import { consoleSummary } from '../../../src/report/console.js';
import { markdownSummary } from '../../../src/report/markdown.js';
import { githubAnnotations } from '../../../src/report/repository.js';
import { decisiveExchanges } from '../../../src/report/write.js';
import { because } from '../../../src/rules/support/judgement.js';
import { largeRun } from '../support/large-run.js';
import { recordOf, withFindings } from '../support/run-record.js';
import { broken, conforming, hostileText, incomplete } from '../support/sample-runs.js';
import { expect, inCi, test } from '../support/test.js';

const junit = async (record: RunRecord): Promise<string> =>
  [...junitXml(record.results, await decisiveExchanges(record))].join('');

const samples = { conforming, broken, hostile: () => broken(hostileText), incomplete, empty: () => recordOf([], []) };
const shape = readFileSync(asset('tests', 'selftest', 'support', 'junit-shape.xsd'), 'utf8');

for (const [name, sample] of Object.entries(samples)) {
  test(`the JUnit file of a ${name} run has the shape that Jenkins takes`, async () => {
    const record = sample();
    const schema = XmlDocument.fromString(shape);
    const validator = XsdValidator.fromDoc(schema);
    const document = XmlDocument.fromString(await junit(record));
    try {
      expect(() => validator.validate(document)).not.toThrow();
      const number = (path: string): number => document.find(path).length;
      const { counts, checks } = record.results;
      expect(number('//testcase')).toBe(checks.length);
      expect(number('//testcase/failure[@message][string-length(.) > 0]')).toBe(counts.failed);
      expect(number('//testcase/error[@message]')).toBe(counts.inconclusive);
      expect(number('//testcase/skipped[@message]')).toBe(counts.blocked + counts.excluded);
      expect(number('//testcase[@classname = ../@name]')).toBe(checks.length);
    } finally {
      document.dispose();
      validator.dispose();
      schema.dispose();
    }
  });
}

test('JUnit carries clause, reason and curl line of a failure, and hostile bytes as text', async () => {
  const xml = await junit(broken(hostileText));
  expect(xml).toMatch(/^clause: {3}AUTH-3: \S/m);
  expect(xml).toContain('https://fitness.example/api/v2/workout.json');
  expect(xml).toContain('&lt;/script&gt;');
  expect(xml).toContain('\\x1b[2J');
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
});

test('a known deviation is a skipped test that says so', async () => {
  const [failed] = broken().results.checks.filter(({ outcome }) => outcome === 'failed');
  if (!failed) throw new Error('the broken run has a failed check');
  const record = recordOf([{ ...failed, deviation: { reason: 'agreed until the gateway is replaced' } }], []);
  expect(record.results.verdict).toBe('deviating');
  expect(await junit(record)).toContain('<skipped message="known deviation: agreed until the gateway is replaced');
  expect(badgeOf(record.results)).toMatchObject({ message: 'deviating, 1 known, 0 of 3 operations', color: 'yellow' });
  expect(githubAnnotations(record.results)).toEqual([]);
});

test('the Markdown summary puts failures first and lets nothing of a server be markup', async () => {
  const record = broken(hostileText);
  const text = markdownSummary(record.results, await decisiveExchanges(record));
  expect(text.indexOf('What is broken')).toBeLessThan(text.indexOf('The contract'));
  const outside = text.replace(/```[\s\S]*?```/g, '');
  expect(outside).not.toMatch(/<script|<img/);
  expect(outside).toContain('&lt;/script&gt;');
  expect(text).toMatch(/```sh\ncurl -isS --http1.1 .*\n```/);
});

test('the Markdown summary of a hopeless run stays below 900 kB and counts what it leaves out', inCi, async () => {
  // From the root of the work tree; nothing that GitHub could show lies outside of it.
  const own = broken().results;
  const below = githubAnnotations(own, { cwd: '/w/tests', workspace: '/w' });
  expect(below[0]).toMatch(/^::error file=tests\/openapi\/fitness-data-service\.yaml,line=94,title=/);
  const elsewhere = [
    githubAnnotations(own, { cwd: '/w/node_modules/x', workspace: '/w' }),
    githubAnnotations(own, { cwd: '/x', workspace: '/w' }),
  ];
  for (const [line] of elsewhere) expect(line).toMatch(/^::error title=/);
  const { results } = largeRun(300, 1);
  const checks = results.checks.map((finding) => ({
    ...finding,
    outcome: 'failed' as const,
    reason: `${finding.reason} ${'ö'.repeat(900)}`,
  }));
  const text = markdownSummary({ ...withFindings(results, checks), verdict: 'non-conformant' });
  expect(Buffer.byteLength(text)).toBeLessThan(900_000);
  expect(text).toMatch(/\*[\d,]+ more did not fit here/);
  expect(text).toContain('| clause | outcome | |');
});

test('annotations stand on the contract’s line, at most ten, one a finding', inCi, () => {
  const lines = githubAnnotations(broken(`${hostileText}\n::set-output name=x::y`).results);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(
    /^::error file=openapi\/fitness-data-service.yaml,line=94,title=Plain HTTP lets the API answer GET \/api\/v2\/workout\/::HTTPS-2: does not answer over plain HTTP \(listWorkouts\): /,
  );
  for (const line of lines) expect(line).not.toMatch(/[\n\r\u001b]/);
  const { results } = largeRun(1_000, 1);
  const checks = results.checks.map((finding) => ({ ...finding, outcome: 'failed' as const }));
  const many = githubAnnotations(withFindings(results, checks));
  expect(many).toHaveLength(10);
  expect(many[9]).toMatch(/ \([\d,]+ more findings in the summary\)$/);
  const cause = because('nothing-at-path', 404);
  const same = checks.map((finding) => ({ ...finding, cause }));
  const alike = githubAnnotations(withFindings(results, same));
  expect(alike[0]).toContain('title=1%2C000 operations ');
  expect(alike[0]).toContain('(listThing0, listThing1, listThing2 and 997 more)');
});

test('the badge counts clauses and never speaks of a hundred percent', () => {
  const badges = Object.values(samples).map((sample) => badgeOf(sample().results));
  expect(badges.map(({ message, color }) => `${message} ${color}`)).toEqual([
    'conformant, 3 of 3 operations brightgreen',
    '3 of 9 clauses broken red',
    '3 of 9 clauses broken red',
    'not judged in full, 1 of 4 operations lightgrey',
    'nothing judged lightgrey',
  ]);
  expect(JSON.stringify(badges)).not.toContain('%');
});

const paths = {
  results: 'reports/conformance/results.json',
  page: 'reports/conformance/index.html',
  junit: '',
  sarif: '',
  markdown: '',
  badge: '',
};

test('the console says a clean run in less than 25 lines, the paths last', () => {
  const text = consoleSummary(conforming().results, { color: false, width: 100, paths });
  expect(text.split('\n').length).toBeLessThan(25);
  expect(text).toContain('Conformant: 3 of 3 operations judged.');
  expect(text.trimEnd().split('\n').slice(-2)).toEqual([
    'Report   reports/conformance/index.html',
    'Results  reports/conformance/results.json',
  ]);
  expect(text).not.toMatch(/\u001b/);
});

test('the console puts failures first with reason and curl line, and neutralises what servers send', async () => {
  const record = broken(hostileText);
  const text = consoleSummary(record.results, {
    color: true,
    width: 80,
    paths,
    decisive: await decisiveExchanges(record),
  });
  expect(text.indexOf('does not answer over plain HTTP')).toBeLessThan(text.indexOf('checks:'));
  expect(text).toContain('  curl -isS --http1.1');
  expect(text).toContain('\\x1b[2J');
  expect(text.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test('the console says which variables of the shell its curl lines read', () => {
  const { results } = broken();
  const of = (name: string): string => `\${${name}:?}`;
  const curl = [
    `curl --cacert "${of('CA_FILE')}" -H "Authorization: Token $(printf %s "${of('API_KEY')}" | sed 1p)" "https://a/${of('ID_1')}"; : '$ID_1 is x'`,
  ];
  const text = (causes: typeof results.causes): string =>
    consoleSummary({ ...results, causes }, { color: false, width: 100 });
  expect(text(results.causes.map((cause) => ({ ...cause, curl })))).toContain(
    '\nThe curl lines read $CA_FILE and $API_KEY of your shell. What .env has: set -a; . ./.env; set +a\n',
  );
  expect(text(results.causes.map((cause) => ({ ...cause, curl: [] })))).not.toContain('of your shell');
});

test('the console says what to do about what could not be judged, once for all that say the same', () => {
  const text = consoleSummary(incomplete().results, { color: false, width: 100, paths });
  expect(text).toContain('Set INGREDIENT_PATH');
  expect(text).toContain(
    'Not judged in full: 1 of 4 operations judged, 3 missed; nothing is broken in what was judged.',
  );
});

test('findings of one cause are one entry, whatever their sentences; without a cause, each is its own', () => {
  const [one, other] = incomplete().results.checks.filter(({ outcome }) => outcome === 'blocked');
  if (!one || !other) throw new Error('the incomplete run has blocked checks');
  const cause = { id: 'no-key' } as const;
  const entries = (findings: readonly Finding[]): number => {
    const text = consoleSummary(recordOf(findings, []).results, { color: false, width: 100 });
    return (text.slice(0, text.indexOf('Not judged')).match(/^⊘ \S+ \S+ could not be judged$/gm) ?? []).length;
  };
  const differently = { ...other, reason: 'Said in other words.' };
  expect(
    entries([
      { ...one, cause },
      { ...differently, cause },
    ]),
  ).toBe(1);
  expect(
    entries([
      { ...one, cause },
      { ...other, cause: { ...cause, values: ['API_KEY_ADMIN'] } },
    ]),
  ).toBe(2);
  expect(entries([one, { ...other, reason: one.reason }])).toBe(2);
});
