import type { Judgement, Slice } from '../rules/rule.js';
import type { Probe } from '../wire/types.js';
import { exchangeId, judgeThrough, type Sender, type Series } from './ask.js';
import type { Check } from './plan.js';
import { carriesKey } from './stages.js';

/**
 * For a keyed read that only checks whether the key still works: the same read without occasion.
 */
const earlier = ({ occasion, ...probe }: Probe): Probe | undefined =>
  occasion !== undefined && carriesKey(probe) ? probe : undefined;

/**
 * Judges a check in advance, assuming that each unsent keyed read for an occasion gets the same
 * answer as the earlier read. All other probes that the check asks for are sent.
 */
export const foresee = (check: Check, slice: Slice | undefined, sender: Sender): Promise<Judgement> => {
  const assumed = new Map<string, string>();
  const isAssumed = (series: Series): boolean => {
    const [probe, next] = series;
    const before = probe && next === undefined ? earlier(probe) : undefined;
    if (!probe || !before || !sender.get(exchangeId(before))) return false;
    assumed.set(exchangeId(probe), exchangeId(before));
    return true;
  };
  return judgeThrough((ask) => check.judge(ask, slice), {
    get: (id) => sender.get(id) ?? sender.get(assumed.get(id) ?? ''),
    send: (all, ahead) =>
      sender.send(
        all.filter((series) => !isAssumed(series)),
        ahead,
      ),
  });
};
