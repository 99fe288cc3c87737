import type { GateResult } from '../../../src/engine/results.js';
import { verdictSentence } from '../../../src/report/run-summary.js';
import { conforming } from '../support/sample-runs.js';
import { expect, test } from '../support/test.js';

test('the verdict of a spread run says how seldom a trick at one operation alone is seen', () => {
  const { results } = conforming();
  const coverage = { operations: 2, judged: 2, leftOut: 0, missed: 0, byReason: {} };
  const gate: GateResult = { id: 'GET /a', operations: ['a', 'b'], tricks: 50, tricksTried: 50 };
  const said = (gates: readonly GateResult[]): string => verdictSentence({ ...results, coverage, gates });
  expect(said([{ ...gate, places: { of: 100, tried: 3 } }])).toContain(
    '(spread: every trick at some operations of the one gate; what one trick opens at one operation alone is seen in 3 % of cases)',
  );
  expect(said([gate, { ...gate, tricksTried: 2, places: { of: 900, tried: 2 } }])).toContain(
    'seen in under 1 % of cases)',
  );
  // Results of an older version do not say it.
  expect(said([gate])).toContain('of the one gate):');
});
