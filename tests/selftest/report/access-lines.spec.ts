import type { MatrixCell } from '../../../src/engine/results.js';
import { accessLines } from '../../../src/report/describe-finding.js';
import { expect, test } from '../support/test.js';

/** The access matrix of the console. */

const plain = (_outcome: string, text: string): string => text;

type Run = Parameters<typeof accessLines>[0];

/** A run of so many operations, of which the last opens to ben against the document. */
const runOf = (count: number, alive: readonly string[]): Run => {
  const ids = Array.from({ length: count }, (_, index) => `op${index + 1}`);
  const names = ['nobody', ...alive];
  const matrix = ids.flatMap((operation) =>
    names.map((identity): MatrixCell => {
      const opens = identity !== 'nobody' && (identity !== 'ben' || operation === ids.at(-1));
      return {
        operation,
        identity,
        documented: identity === 'ada' ? 'opens' : 'refuses',
        seen: opens ? 'opens' : 'refuses',
      };
    }),
  );
  return {
    matrix,
    identities: names.map((name) => (name === 'nobody' ? { name } : { name, alive: true })),
    operations: ids.map((id) => ({ id, method: 'GET', path: `/${id}`, access: 'protected', probed: true })),
    checks: [],
  } as unknown as Run;
};

test('has a column for each identity', () => {
  const [, head, row] = accessLines(runOf(2, ['ada', 'ben']), plain);
  expect(head?.trim().split(/\s{2,}/)).toEqual(['Who gets what', 'nobody', 'ada', 'ben']);
  expect(row?.trim().split(/\s{2,}/)).toEqual(['GET /op1', '✓ refuses', '✓ opens', '✓ refuses']);
});

test('shows up to 20 operations, and those that differ from the document before others', () => {
  const lines = accessLines(runOf(25, ['ada', 'ben']), plain);
  const rows = lines.filter((line) => line.startsWith('GET '));
  expect(rows).toHaveLength(20);
  expect(rows.at(-1)).toMatch(/^GET \/op25 .*≠ opens$/);
  expect(lines).toContain('and 5 more operations in the report');
});

test('is left out where one holder of a key asked', () => {
  expect(accessLines(runOf(2, ['ada']), plain)).toEqual([]);
});
