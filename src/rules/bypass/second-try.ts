import type { Probe } from '../../wire/types.js';
import type { Reading } from '../oracle/table.js';
import { again } from '../support/requests.js';
import { type Attempted, type Judging, readBypass } from './bypass.js';
import { lookCloser } from './closer-look.js';

/** A bypass that seems to open the operation is sent again. */

export const isRecord = ({ verdict, line }: Reading): boolean => verdict === 'granted' && line === 1;

const mostTries = 6;

/**
 * The second try. If the first one gave a record, up to four more follow: a broken backend may open
 * only now and then.
 */
export const seenAgain = (judging: Judging, first: Attempted): Attempted => {
  const mayComeAgain = isRecord(first.reading);
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
  const exchange = before ? (ask.inSeries([before, probe]).at(-1) ?? ask(probe)) : ask(probe);
  const first = { bypass, exchange, reading: readBypass(ask, bypass, exchange, controls) };
  return lookCloser(judging, first);
};

/**
 * Another try of a pair. A made-up query gets another name, so that it does not meet what the first
 * try left in a cache.
 */
const freshly = (probe: Probe, round: number): Probe => ({
  ...again(probe, round),
  target: probe.target.replace(/(nothing-[0-9a-f]{12})/, `$1-${round}`),
});
