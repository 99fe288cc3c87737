import type { Exchange, Probe } from '../../wire/types.js';
import { closesEachTime } from '../oracle/answers.js';
import type { Attempted, Bypass } from './bypass.js';

/** Whether a request came soon enough after the one before it to find what that left behind. */

/** Short-lived caches in front of busy services keep answers for a second. */
const momentMs = 1_000;
/** How often a pair is sent if the second request comes too late. */
const mostPairs = 3;

/**
 * Milliseconds between a request and the one before it. If every attempt was closed, the first
 * counts.
 */
const latenessOf = (exchange: Exchange): number =>
  exchange.attempts.at(closesEachTime(exchange) ? 0 : -1)?.timing.sinceBefore ?? 0;

const isLate = ({ exchange, reading }: Attempted): boolean =>
  reading.verdict !== 'granted' && latenessOf(exchange) > momentMs;

/** The same request for another pair, with another made-up query. */
const inPair = (probe: Probe, pair: number): Probe => ({
  ...probe,
  occasion: `${probe.occasion ?? 'pair'} ${pair}`,
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, `$1-pair-${pair}`),
});

/** Sends a pair again if its second request opened nothing and came too late. */
export const inTime = (bypass: Bypass, attemptPair: (bypass: Bypass) => Attempted): Attempted => {
  const { before, probe } = bypass;
  let tried = attemptPair(bypass);
  for (let pair = 1; pair < mostPairs && isLate(tried); pair += 1)
    tried = attemptPair({ ...bypass, probe: inPair(probe, pair), ...(before && { before: inPair(before, pair) }) });
  return tried;
};

/** Reads a pair as unclear if its second request came too late each time. */
export const orTooLate = (one: Attempted): Attempted => {
  if (!isLate(one)) return one;
  const seconds = (latenessOf(one.exchange) / 1000).toFixed(1);
  const seen = `${one.reading.seen}, but sent ${seconds} s after the request before it, too late to show what that left behind`;
  return { ...one, reading: { verdict: 'unclear', line: 3, seen } };
};
