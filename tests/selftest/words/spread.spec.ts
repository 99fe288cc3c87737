import type { GateResult } from '../../../src/engine/results.js';
import { missedBySpread } from '../../../src/report/run-summary.js';
import { expect, test } from '../support/test.js';

test('a spread run says how seldom a trick at one operation alone is seen', () => {
  const whole = { of: 100, tried: 100 };
  const gate: GateResult = { id: 'GET /a', operations: ['a', 'b'], tricks: 50, tricksTried: 50, places: whole };
  const said = (...gates: readonly GateResult[]): string => missedBySpread({ verdict: 'conformant', gates });
  expect(said({ ...gate, places: { of: 100, tried: 3 } })).toBe(
    'A hole that one trick opens at one operation alone is found in 3\u00a0% of cases; PROBES=extended tries everything.',
  );
  expect(said({ ...gate, places: { of: 900, tried: 2 } })).toContain('found in under 1\u00a0% of cases;');
  // Everything was sent.
  expect(said(gate)).toBe('');
  // A run that was cut short has not sent what it was to send.
  expect(missedBySpread({ verdict: 'incomplete', gates: [{ ...gate, places: { of: 100, tried: 3 } }] })).toBe('');
});
