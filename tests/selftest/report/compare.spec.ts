import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareRuns, comparisonSentence } from '../../../src/report/compare.js';
import { writeComparison } from '../../../src/report/write-comparison.js';
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
  expect(comparisonSentence(comparison)).toBe('Nothing is worse than in the first run; 4 checks differ');
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
    expect(page.match(/<th scope="col">/g)).toHaveLength(16);
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
