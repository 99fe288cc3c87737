import type { Exchange, Probe } from '../../wire/types.js';
import { closesEachTime } from '../oracle/answers.js';
import type { Reading } from '../oracle/table.js';
import { again } from '../support/requests.js';
import { type Attempted, attempt, type Bypass, type Judging } from './bypass.js';
import { confirmReading } from './confirm-reading.js';

/** Sends again what seemed to open an operation. */

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

/** A bypass that seems to open the operation is sent again. */

export const isRecord = ({ verdict, line }: Reading): boolean => verdict === 'granted' && line === 1;

const mostTries = 6;
/** Two that each gave a record prove it; more tries only name those that open often. */
const mostTriedOften = 4;

/** Those that are tried more than twice: the first ones that gave a record. */
export const triedOften = (suspects: readonly Attempted[]): ReadonlySet<Attempted> =>
  new Set(suspects.filter(({ reading }) => isRecord(reading)).slice(0, mostTriedOften));

/** The second try, and up to four more, since one of several servers may be open. */
export const seenAgain = (judging: Judging, first: Attempted, mayComeAgain: boolean): Attempted => {
  let tried = tryAgain(judging, first, 2);
  for (let round = 3; mayComeAgain && tried.reading.verdict !== 'granted' && round <= mostTries; round += 1)
    tried = tryAgain(judging, first, round);
  return tried;
};

const tryAgain = (judging: Judging, { bypass }: Attempted, round: number): Attempted => {
  const { ask, controls, plan } = judging;
  const [before, probe] = plan.inSeries
    ? [bypass.before && freshly(bypass.before, round), freshly(bypass.probe, round)]
    : [undefined, again(bypass.probe, round)];
  if (before) ask.inSeries([before, probe]);
  return confirmReading(judging, { ...attempt(ask, { ...bypass, probe }, controls), bypass });
};

/** Another try of a pair, with another made-up query, since a cache may hold the first. */
const freshly = (probe: Probe, round: number): Probe => ({
  ...again(probe, round),
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, `$1-${round}`),
});
