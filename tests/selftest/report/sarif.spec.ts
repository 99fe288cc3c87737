import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { RunRecord } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { workTreeAt } from '../../../src/report/repository.js';
import type { RunSummary } from '../../../src/report/run-summary.js';
import { sarifLog } from '../../../src/report/sarif.js';
import { explain } from '../../../src/rules/index.js';
import { largeRun } from '../support/large-run.js';
import { recordOf } from '../support/run-record.js';
import { broken, conforming, hostileText, incomplete } from '../support/sample-runs.js';
import { expect, test } from '../support/test.js';

const file = asset('tests', 'selftest', 'support', 'schemas', 'sarif-2.1.0-rtm.5.json');
const checksum = '2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8';

/** The parts that are looked at. */
interface Sarif {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly Rule[] } };
      readonly automationDetails: { readonly id: string };
      readonly invocations: readonly [
        { readonly executionSuccessful: boolean; readonly toolExecutionNotifications: readonly unknown[] },
      ];
      readonly results: readonly Result[];
    },
  ];
}
interface Rule {
  readonly id: string;
  readonly helpUri?: string;
  readonly help?: { readonly markdown: string };
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number };
    };
  }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly suppressions?: readonly { readonly justification: string }[];
}

const tree = { root: '/repository', cwd: '/repository' };
const sarifOf = (run: RunSummary, where = tree): Sarif => sarifLog(run, where, explain) as Sarif;
const resultsOf = (run: RunSummary, where = tree): readonly Result[] => sarifOf(run, where).runs[0].results;

const failing = (run: RunSummary) => run.causes.filter(({ outcome }) => outcome === 'failed');

const samples: Readonly<Record<string, () => RunRecord>> = {
  conforming,
  broken,
  hostile: () => broken(hostileText),
  incomplete,
  empty: () => recordOf([], []),
  large: () => largeRun(200, 2),
};

test('the log of every kind of run is valid by the official schema, with a result for each cause that fails', () => {
  const bytes = readFileSync(file);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(checksum);
  // Draft 4 calls the id of a schema otherwise; all else in it means the same in later drafts.
  const { id: _id, $schema: _draft, ...schema } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
  for (const [name, sample] of Object.entries(samples)) {
    const { results } = sample();
    const log = sarifOf(results);
    expect(validate(log), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
    expect(log.runs[0].results.length, name).toBe(failing(results).length);
    expect(log.runs[0].invocations[0].executionSuccessful, name).toBe(results.verdict !== 'incomplete');
  }
  expect(validate({ version: '2.1.0', runs: [{ tool: { driver: {} } }] })).toBe(false);
});

test('a rule says how it is judged and mended, and how bad it is, where it is a matter of security', () => {
  const headline = { severity: 'exposed', one: 'Plain HTTP serves {operation}' } as const;
  const { tool, results } = sarifOf(
    recordOf(
      broken().results.checks.map((finding) =>
        finding.rule === 'refuses-plain-http' ? { ...finding, headline } : finding,
      ),
      [],
    ).results,
  ).runs[0];
  expect(results.length).toBeGreaterThan(0);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  for (const rule of tool.driver.rules) {
    expect(rule.help?.markdown).toContain('## How servers fix it');
    expect(rule.helpUri).toMatch(/^https:\/\//);
  }
  const plain = tool.driver.rules.find(({ id }) => id === 'refuses-plain-http/exposed');
  expect(plain?.helpUri).toBe('https://cwe.mitre.org/data/definitions/319.html');
  expect(Number(plain?.properties['security-severity'])).toBeGreaterThan(7);
  const form = tool.driver.rules.find(({ id }) => id === 'opens-without-credentials/form');
  expect(form?.properties).not.toHaveProperty('security-severity');
});

test('what could not be judged is a notification: it is neither wrong nor mended', () => {
  const { invocations, results } = sarifOf(incomplete().results).runs[0];
  expect(results).toEqual([]);
  expect(invocations[0].executionSuccessful).toBe(false);
  expect(invocations[0].toolExecutionNotifications.length).toBeGreaterThan(0);
});

test('a fingerprint is of the cause: it stays where lines move and files are renamed, and no two are equal', () => {
  const run = broken().results;
  const moved: RunSummary = {
    ...run,
    startedAt: '2026-06-01T00:00:00.000Z',
    contract: { ...run.contract, sha256: 'f'.repeat(64) },
    operations: run.operations.map((operation, at) => ({ ...operation, position: `other.yaml:${1000 + at}` })),
    clauses: run.clauses.map((clause) => ({ ...clause, position: 'other.yaml:1' })),
  };
  const prints = (of: RunSummary): readonly (string | undefined)[] =>
    resultsOf(of).map(({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash);
  expect(prints(moved)).toEqual(prints(run));
  expect(new Set(prints(run)).size).toBe(prints(run).length);
  // Alerts of one target are not closed by the run of another.
  const other = { ...run, target: { ...run.target, name: 'production' } };
  expect(sarifOf(other).runs[0].automationDetails.id).not.toBe(sarifOf(run).runs[0].automationDetails.id);
});

test('locations are the lines of operations, from the root of the repository', ({ cwd }) => {
  const run = broken().results;
  const [cause] = failing(run);
  const [operation = ''] = cause?.operations ?? [];
  const at = (position: string, where = tree) => {
    const operations = run.operations.map((each) => (each.id === operation ? { ...each, position } : each));
    const clauses = run.clauses.map(({ position: _position, ...clause }) => clause);
    const found = resultsOf({ ...run, operations, clauses, causes: cause ? [cause] : [] }, where)[0]?.locations[0];
    return [found?.physicalLocation.artifactLocation.uri, found?.physicalLocation.region.startLine];
  };
  expect(at('api/parts/workouts.yaml:12')).toEqual(['api/parts/workouts.yaml', 12]);
  expect(at('parts/a b#.yaml:3', { root: '/repository', cwd: '/repository/api' })).toEqual([
    'api/parts/a%20b%23.yaml',
    3,
  ]);
  // Nothing says where a file outside of the repository lies.
  expect(at('/home/somebody/openapi.yaml:7')).toEqual(['openapi.yaml', 7]);
  expect(at('https://api.example.com/openapi.json:9')).toEqual(['api.example.com/openapi.json', 9]);
  expect(at('access-conformance/openapi/fitness-data-service.yaml:5')).toEqual([
    'access-conformance/openapi/fitness-data-service.yaml',
    5,
  ]);
  expect(workTreeAt(join(asset('src'), 'report'))).toMatchObject({ root: asset() });
  expect(workTreeAt(cwd, { GITHUB_WORKSPACE: '/w' })).toEqual({ root: '/w', cwd });
});

test('an accepted deviation is suppressed, with its reason', () => {
  const run = broken().results;
  const [cause] = failing(run);
  if (!cause) throw new Error('the broken run has a cause');
  const checks = run.checks.map((finding) =>
    cause.checks.includes(finding.id) ? { ...finding, deviation: { reason: 'the old gateway' } } : finding,
  );
  const [result] = resultsOf({ ...run, checks, causes: [{ ...cause, accepted: true }] });
  expect(result?.suppressions).toMatchObject([{ justification: 'the old gateway' }]);
});

test('what servers say is text: no links, no control characters', () => {
  const text = JSON.stringify(sarifOf(broken(hostileText).results));
  expect(text).not.toMatch(/\]\(/);
  expect(text).not.toMatch(/\\u001b|\u202e/);
});
