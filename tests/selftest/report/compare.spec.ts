import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareRuns, comparisonSentence } from '../../../src/report/compare.js';
import { writeComparison } from '../../../src/report/write.js';
import { broken, conforming, hostileText, incomplete } from '../support/sample-runs.js';
import { expect, test } from '../support/test.js';

test('the same run twice has no difference', () => {
  const comparison = compareRuns([broken().results, broken().results]);
  expect(comparison.regressed).toBe(false);
  expect(comparison.checks.some(({ differs }) => differs)).toBe(false);
  expect(comparisonSentence(comparison)).toBe('No difference: every check has the same outcome in all runs');
});

test('a later run that is worse has regressed, check by check, differences first', () => {
  const comparison = compareRuns([conforming().results, broken().results]);
  expect(comparison.regressed).toBe(true);
  expect(comparison.regressions.map(({ check, before, after }) => `${check} ${before} ${after}`)).toEqual([
    'refuses-plain-http@listWorkouts passed failed',
    'refuses-other-spellings@listWorkouts passed failed',
    'refuses-proxy-fields@listWorkouts passed failed',
    'opens-without-credentials@listIngredients passed failed',
  ]);
  expect(comparison.checks.slice(0, 4).every(({ differs }) => differs)).toBe(true);
  expect(comparison.clauses.slice(0, 3).map(({ id }) => id)).toEqual(['HTTPS-2', 'AUTH-3', 'AUTH-4']);
});

test('a later run that is better has not', () => {
  const comparison = compareRuns([broken().results, conforming().results]);
  expect(comparison.regressed).toBe(false);
  expect(comparisonSentence(comparison)).toBe(
    'Nothing is worse than in the first run (non-conformant → conformant); 4 checks differ',
  );
});

test('a check that nobody looks at any more is a regression, unless the contract is another one', () => {
  const before = conforming().results;
  const after = { ...before, checks: before.checks.filter(({ rule }) => rule !== 'refuses-missing-key') };
  expect(compareRuns([before, after]).regressions).toMatchObject([
    { check: 'refuses-missing-key@listWorkouts', after: undefined },
  ]);
  const other = { ...after, contract: { ...after.contract, sha256: 'f'.repeat(64) } };
  expect(compareRuns([before, other])).toMatchObject({ regressions: [], sameContract: false, regressed: false });
});

test('checks that were not selected are no regressions', () => {
  const whole = conforming().results;
  const isSelected = ({ rule }: { rule: string }): boolean => rule === 'refuses-missing-key';
  const selected = (of: typeof whole) => ({
    ...of,
    checks: of.checks.filter(isSelected),
    recording: { ...of.recording, part: true as const },
  });
  expect(compareRuns([whole, selected(whole)])).toMatchObject({ regressions: [], regressed: false });
  const worse = broken().results;
  const inPart = compareRuns([selected(whole), worse]).regressions;
  expect(inPart.length).toBe(worse.checks.filter(isSelected).filter(({ outcome }) => outcome === 'failed').length);
});

test('runs of one name are told apart by their time, and a change of the verdict is said', () => {
  const accepted = { reason: 'the old gateway' };
  const before = broken().results;
  const known = before.checks.map((finding) =>
    finding.outcome === 'failed' ? { ...finding, deviation: accepted } : finding,
  );
  const deviating = { ...before, verdict: 'deviating' as const, checks: known };
  const later = { ...before, startedAt: '2026-05-05T10:00:07.000Z' };
  const names = (...runs: readonly (typeof before)[]) => compareRuns(runs).runs.map(({ name }) => name);
  expect(names(deviating, later)).toEqual(['staging, 2026-05-04 09:12', 'staging, 2026-05-05 10:00']);
  expect(names(later, { ...later, startedAt: '2026-05-05T10:00:09.000Z' })).toEqual([
    'staging, 2026-05-05 10:00:07',
    'staging, 2026-05-05 10:00:09',
  ]);
  expect(names(later, later)).toEqual(['staging, 2026-05-05 10:00:07 (1)', 'staging, 2026-05-05 10:00:07 (2)']);
  expect(comparisonSentence(compareRuns([deviating, later]))).toMatch(
    /^Worse than staging, 2026-05-04 09:12 in \d+ checks: staging, 2026-05-05 10:00 \(deviating → non-conformant\)$/,
  );
  const other = { ...later, target: { ...later.target, name: 'production' } };
  expect(names(before, other)).toEqual(['staging', 'production']);
});

test('causes are new, gone or unchanged; what was not judged is not gone', () => {
  const [good, bad, open] = [conforming().results, broken().results, incomplete().results];
  const changes = (...runs: readonly (typeof good)[]) => new Set(compareRuns(runs).causes.map(({ change }) => change));
  // What the server takes beyond the contract, it takes in both.
  expect(changes(good, bad)).toEqual(new Set(['new', 'unchanged']));
  expect(changes(bad, good)).toEqual(new Set(['gone', 'unchanged']));
  expect(changes(bad, bad)).toEqual(new Set(['unchanged']));
  const failed = bad.causes.find(({ checks }) => checks.some((id) => open.checks.some((each) => each.id === id)));
  const unjudged = { ...open, checks: open.checks.map((each) => ({ ...each, outcome: 'inconclusive' as const })) };
  expect(compareRuns([bad, unjudged]).causes.find(({ id }) => id === failed?.id)?.change).toBe('unjudged');
  // Three runs that do not agree.
  expect(changes(bad, good, bad)).toEqual(new Set(['differs', 'unchanged']));
});

test('targets: how many are conformant, a verdict row, and heads that lead to their reports', async ({ cwd }) => {
  const of = (name: string, run: ReturnType<typeof broken>['results']) => ({ ...run, target: { ...run.target, name } });
  const comparison = compareRuns(
    [of('eu', conforming().results), of('us', broken().results), of('x', broken().results)],
    {
      kind: 'targets',
      pages: [join(cwd, 'reports', 'e u', 'conformance', 'index.html')],
    },
  );
  expect(comparisonSentence(comparison)).toBe('1 of 3 deployments conformant');
  const page = await readFile(await writeComparison(comparison, join(cwd, 'reports')), 'utf8');
  expect(page).toContain('<h1>1 of 3 deployments conformant.</h1>');
  expect(page).toContain('<th scope="col"><a href="e%20u/conformance/index.html">eu</a></th>');
  expect(page).toContain('<th scope="row">Verdict</th>');
});

test('needs two runs', () => {
  expect(() => compareRuns([conforming().results])).toThrow(RangeError);
});

test('the matrix page is one file with a column a run', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'compare-'));
  try {
    const page = await readFile(
      await writeComparison(
        compareRuns([conforming().results, broken(hostileText).results, incomplete().results]),
        dir,
      ),
      'utf8',
    );
    expect(page).toContain('Content-Security-Policy');
    expect(page.match(/<th scope="col">/g)).toHaveLength(20);
    expect(page).not.toContain('</script><script>document');
    expect(page).toContain('What became worse');
    expect(page.indexOf('<h2>Clauses')).toBeLessThan(page.indexOf('What became worse'));

    // Deployments beside each other became nothing.
    const later = broken().results;
    const other = { ...later, target: { ...later.target, name: 'production', baseUrl: 'https://production.example' } };
    const beside = await readFile(await writeComparison(compareRuns([conforming().results, other]), dir), 'utf8');
    expect(beside).toContain('What is worse than in staging');
    expect(beside).not.toContain('became');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
