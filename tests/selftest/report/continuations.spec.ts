import { causesOf } from '../../../src/engine/causes/causes.js';
import type { Finding, OperationResult } from '../../../src/engine/results.js';
import { compareCauses } from '../../../src/report/compared-causes.js';
import { type PastRun, pastRunOf, readingOf } from '../../../src/report/history.js';
import type { RunSummary } from '../../../src/report/run-summary.js';
import { because } from '../../../src/rules/support/judgement.js';
import { conforming } from '../support/sample-runs.js';
import { expect, test } from '../support/test.js';

/** Causes are the same over runs although the place in their ids changes. */

const names = ['rooms', 'bookings', 'guests'];
const operations = names.map(
  (name): OperationResult => ({ id: name, method: 'GET', path: `/v1/${name}`, access: 'protected', probed: true }),
);

const finding = (rule: string, operation: string, more: Pick<Finding, 'outcome' | 'cause'>): Finding => ({
  id: `${rule}@${operation}`,
  rule,
  clauses: ['AUTH-3'],
  operation,
  title: rule,
  reason: 'As it was seen.',
  exchanges: [],
  comparedWith: [],
  durationMs: 1,
  ...more,
});

const { results } = conforming();

const runOf = (checks: readonly Finding[], minute: number): RunSummary => ({
  ...results,
  startedAt: `2026-05-04T09:0${minute}:00.000Z`,
  verdict: 'non-conformant',
  operations,
  checks,
  causes: causesOf({ checks, operations, options: {}, exchange: () => undefined }),
});

/** A run in which these operations open without a key, and the others refuse. */
const opening = (minute: number, ...open: readonly string[]): RunSummary =>
  runOf(
    names.map((name) =>
      finding(
        'refuses-missing-key',
        name,
        open.includes(name) ? { outcome: 'failed', cause: because('opens-without-key') } : { outcome: 'passed' },
      ),
    ),
    minute,
  );

/** A run in which each operation opens by these spellings of its path. */
const spelled = (minute: number, ...ways: readonly string[]): RunSummary =>
  runOf(
    names.map((name) =>
      finding('refuses-other-spellings', name, {
        outcome: 'failed',
        cause: { id: 'opens-by-bypass', ways },
      }),
    ),
    minute,
  );

const past = (run: RunSummary): PastRun => {
  const line = pastRunOf(run);
  if (!line) throw new TypeError('a whole run has a line');
  return line;
};

const idsOf = ({ causes = [] }: RunSummary): readonly string[] => causes.map(({ id }) => id.split('@')[1] ?? '');

const [whole, split, elsewhere] = [opening(0, ...names), opening(1, 'rooms', 'guests'), opening(2, 'bookings')];

test('a place that is none when one of its operations is mended brings no new cause', () => {
  expect([idsOf(whole), idsOf(split)]).toEqual([['/*'], ['rooms']]);
  const { standing, gone } = readingOf([past(whole), past(split)]);
  expect(standing.map(({ since, runs }) => [since.startedAt, runs])).toEqual([[whole.startedAt, 2]]);
  expect(gone).toEqual([]);
  expect(compareCauses([whole, split])).toMatchObject([{ change: 'unchanged', operations: [3, 2] }]);
});

test('nor does a place whose operations come to have one cause', () => {
  const { standing, gone } = readingOf([past(split), past(whole)]);
  expect(standing.map(({ since }) => since.startedAt)).toEqual([split.startedAt]);
  expect(gone).toEqual([]);
  expect(compareCauses([split, whole])).toMatchObject([{ change: 'unchanged', operations: [2, 3] }]);
});

test('what opens elsewhere is new, and what was mended is gone', () => {
  const { standing, gone } = readingOf([past(split), past(elsewhere)]);
  expect(standing.map(({ runs, orEarlier }) => [runs, orEarlier])).toEqual([[1, false]]);
  expect(gone).toHaveLength(1);
  expect(compareCauses([split, elsewhere]).map(({ change }) => change)).toEqual(['new', 'gone']);
});

test('a hole with several ways is one cause as long as one of them opens', () => {
  const [both, one, other] = [spelled(0, 'a slash', 'a suffix'), spelled(1, 'a suffix'), spelled(2, 'a dot')];
  expect(both.causes.map(({ id }) => id)).not.toEqual(one.causes.map(({ id }) => id));
  expect(compareCauses([both, one])).toMatchObject([{ change: 'unchanged', id: one.causes[0]?.id }]);
  expect(compareCauses([one, other]).map(({ change }) => change)).toEqual(['new', 'gone']);
  expect(readingOf([past(both), past(one)])).toMatchObject({ standing: [{ runs: 2 }], gone: [] });
  expect(readingOf([past(one), past(other)])).toMatchObject({ standing: [{ runs: 1 }], gone: [{}] });
});

test('a line has few operations: a cause beyond them is found by its id', () => {
  const many = Array.from({ length: 2_001 }, (_, at) => `thing${at}`);
  const [cause] = whole.causes;
  const large = { ...whole, causes: cause ? [{ ...cause, operations: many }] : [] };
  expect(past(large).causes[0]).not.toHaveProperty('operations');
  expect(readingOf([past(large), past(large)]).standing).toMatchObject([{ runs: 2 }]);
});
