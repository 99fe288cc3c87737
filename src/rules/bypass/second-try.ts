import type { Probe } from '../../wire/types.js';
import type { Reading } from '../oracle/table.js';
import { again } from '../support/requests.js';
import { type Attempted, attempt, type Judging } from './bypass.js';
import { confirmReading } from './confirm-reading.js';

/** Sends again what seemed to open an operation. */

export const isRecord = ({ verdict, line }: Reading): boolean => verdict === 'granted' && line === 1;

const mostTries = 6;
/** Two that each gave a record prove it; more tries only name those that open often. */
const mostTriedOften = 4;

/** The attempts that are tried more than twice: the first ones that gave a record. */
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
  const anew = (one: Probe): Probe => (plan.inSeries ? freshly(one, round) : again(one, round));
  const probe = anew(bypass.probe);
  if (bypass.before && plan.inSeries) ask.inSeries([anew(bypass.before), probe]);
  if (bypass.together) ask.all(bypass.together.map(anew));
  return confirmReading(judging, { ...attempt(ask, { ...bypass, probe }, controls), bypass });
};

/** Another try of a pair, with another made-up query, since a cache may hold the first. */
const freshly = (probe: Probe, round: number): Probe => ({
  ...again(probe, round),
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, `$1-${round}`),
});
