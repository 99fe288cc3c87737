import type { Probe } from '../../wire/types.js';
import type { Reading } from '../oracle/table.js';
import { again } from '../support/requests.js';
import { onItsOwnQuery, splitTarget } from '../support/targets.js';
import { type Attempted, attempt, bypassOf, type Judging, readWithEnd } from './bypass.js';
import { confirmReading } from './confirm-reading.js';

/** Sends again what seemed to open an operation, and what is simpler than it. */

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

/** The request without a bypass, once more. If it opens by now, no other request explains more. */
const plainBeside = ({ anonymous }: Judging['controls']): Probe => ({
  ...anonymous.probe,
  occasion: 'beside any query',
});

const opensPlain = ({ ask, controls }: Judging): boolean =>
  readWithEnd(ask, ask(plainBeside(controls)), controls).verdict === 'granted';

/** The attempts, each replaced by its simpler request or pair if that opens too. */
export const bySimpler = (judging: Judging, proof: readonly Attempted[]): readonly Attempted[] => {
  const { ask, controls } = judging;
  const byQuery = proof.some((one) => isByQuery(judging, one)) ? openedByAnyQuery(judging) : undefined;
  const simplest = proof.map((one) => {
    if (byQuery && isByQuery(judging, one)) return byQuery;
    const { simpler } = one.bypass;
    if (!simpler) return one;
    if (simpler.before) ask.inSeries([simpler.before, simpler.probe]);
    const tried = attempt(ask, simpler, controls);
    const explains = tried.reading.verdict === 'granted' && (simpler.before !== undefined || !opensPlain(judging));
    return explains ? tried : one;
  });
  return [...new Set(simplest)];
};

/** Whether a bypass has a query of its own at the documented path. */
const isByQuery = ({ controls: { anonymous } }: Judging, { bypass: { probe } }: Attempted): boolean => {
  const [path, query] = splitTarget(probe.target);
  const [ownPath, ownQuery] = splitTarget(anonymous.probe.target);
  return probe.method === anonymous.probe.method && path === ownPath && query !== ownQuery;
};

/**
 * A query that means nothing, if it opens the operation while the request without it does not. The
 * same request tells every check so, whatever its own queries are.
 */
const openedByAnyQuery = (judging: Judging): Attempted | undefined => {
  const { ask, subject, controls } = judging;
  const target = onItsOwnQuery(subject, 'any query');
  const one = bypassOf(subject, { words: 'a query that means nothing', how: 'with any query', target });
  // The plain one first: what a keyed read left behind ends, and does not begin, between the two.
  ask.inSeries([plainBeside(controls), one.probe]);
  if (opensPlain(judging)) return undefined;
  const tried = confirmReading(judging, attempt(ask, one, controls));
  return tried.reading.verdict === 'granted' ? tried : undefined;
};
