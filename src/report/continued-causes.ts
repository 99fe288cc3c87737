import { isGroupedByWays, waysOf } from '../engine/causes/same-cause.js';
import { isOpen } from '../engine/outcomes.js';
import type { CauseResult, Finding } from '../engine/results.js';

/** Finds the causes of one run in another. */

/** A cause of a run, as far as it is needed to find it again in another run. */
export interface TracedCause {
  readonly id: string;
  readonly outcome: CauseResult['outcome'];
  /** Operation ids; none where it is about the whole service. */
  readonly operations?: readonly string[];
  /** Requests that show it, where findings that share one of them have one cause. */
  readonly ways?: readonly string[];
}

/** Distinct requests that show a cause; none where other things tell it from others of its kind. */
export const waysOfCause = (
  { checks }: Pick<CauseResult, 'checks'>,
  findings: ReadonlyMap<string, Finding>,
): readonly string[] => {
  const own = checks.flatMap((id) => findings.get(id) ?? []).filter(({ cause }) => cause && isGroupedByWays(cause));
  return [...new Set(own.flatMap(waysOf))];
};

const standsFor = ({ outcome }: TracedCause): string => (isOpen(outcome) ? 'open' : outcome);

const idWithoutPlace = ({ id, ways = [] }: TracedCause): string =>
  id.split(ways.length > 0 ? /[:@~]/ : /[@~]/, 1)[0] ?? id;

const shareOne = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((each) => others.includes(each));

/**
 * Whether both causes are one defect: a common request shows both, or neither has such requests.
 */
const isSameWrong = (one: TracedCause, other: TracedCause): boolean => {
  const [ways, otherWays] = [one.ways ?? [], other.ways ?? []];
  return (ways.length === 0 && otherWays.length === 0) || shareOne(ways, otherWays);
};

/**
 * Finds the causes of an earlier run that each later cause continues: the same defect at a common
 * operation, or else the same id. An id alone is not enough: it contains the place of the cause,
 * which changes when operations are mended or break.
 */
export const continuationsOf = <Later extends TracedCause, Earlier extends TracedCause>(
  later: readonly Later[],
  earlier: readonly Earlier[],
): ReadonlyMap<Later, readonly Earlier[]> => {
  const keysOf = (cause: TracedCause): readonly string[] =>
    (cause.operations ?? []).map((operation) => `${standsFor(cause)} ${idWithoutPlace(cause)} ${operation}`);
  const at = new Map<string, Earlier[]>();
  for (const cause of earlier) for (const key of keysOf(cause)) at.set(key, [...(at.get(key) ?? []), cause]);
  const continued = new Set<Earlier>();
  const found = new Map<Later, readonly Earlier[]>();
  for (const cause of later) {
    const there = new Set(keysOf(cause).flatMap((key) => at.get(key) ?? []));
    const same = [...there].filter((each) => isSameWrong(cause, each));
    for (const each of same) continued.add(each);
    if (same.length > 0) found.set(cause, same);
  }
  const byId = new Map(earlier.filter((cause) => !continued.has(cause)).map((cause) => [cause.id, cause]));
  for (const cause of later) {
    const same = found.has(cause) ? undefined : byId.get(cause.id);
    if (same && standsFor(cause) === standsFor(same)) found.set(cause, [same]);
  }
  return found;
};
