import { isGroupedByWays, waysOf } from '../engine/causes/same-cause.js';
import { isOpen } from '../engine/outcomes.js';
import type { CauseResult, Finding } from '../engine/results.js';
import { counted } from '../words.js';
import { findingsById, isUnjudged, type RunSummary } from './run-summary.js';

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

/** Which causes several runs have, and what has changed between them. */

/** Whether a run has a cause; `unjudged`: one of its checks was not judged, so it may be there. */
export type CauseSight = 'seen' | 'unseen' | 'unjudged';

export interface ComparedCause {
  readonly id: string;
  readonly title: string;
  readonly severity: CauseResult['severity'];
  readonly outcome: CauseResult['outcome'];
  readonly seen: readonly CauseSight[];
  readonly operations: readonly number[];
  /** Measured by the first run. `differs`: later runs do not agree. */
  readonly change: 'new' | 'gone' | 'unchanged' | 'unjudged' | 'differs';
}

const changeOf = ([first, ...later]: readonly CauseSight[]): ComparedCause['change'] => {
  const all = (sight: CauseSight): boolean => later.every((each) => each === sight);
  if (first === 'seen') {
    if (all('seen')) return 'unchanged';
    if (all('unseen')) return 'gone';
    return all('unjudged') ? 'unjudged' : 'differs';
  }
  // What the first run did not judge may have been there.
  if (first === 'unjudged') return 'unjudged';
  return all('seen') ? 'new' : 'differs';
};

const order: readonly ComparedCause['change'][] = ['new', 'differs', 'unjudged', 'gone', 'unchanged'];

/** Causes of all runs in sets of which each is one cause; runs by their index. */
const lineagesOf = (runs: readonly (readonly TracedIn[])[]): readonly (readonly TracedIn[])[] => {
  const setOf = new Map<TracedIn, Set<TracedIn>>(runs.flat().map((cause) => [cause, new Set([cause])]));
  const join = (one: TracedIn, other: TracedIn): void => {
    const [into, from] = [setOf.get(one), setOf.get(other)];
    if (!into || !from || into === from) return;
    for (const each of from) setOf.set(each, into.add(each));
  };
  for (const [at, later] of runs.entries())
    for (const earlier of runs.slice(0, at))
      for (const [cause, continued] of continuationsOf(later, earlier)) for (const each of continued) join(each, cause);
  return [...new Set(setOf.values())].map((set) => [...set]);
};

interface TracedIn extends CauseResult {
  readonly run: number;
  readonly ways: readonly string[];
}

/**
 * Causes of any of the runs: new ones first, then those that not all runs have, worst first among
 * equals. The same cause of several runs has one row, titled by the run with most operations.
 */
export const compareCauses = (runs: readonly RunSummary[]): readonly ComparedCause[] => {
  const traced = runs.map((summary, run): readonly TracedIn[] => {
    const findings = findingsById(summary);
    return summary.causes.map((cause) => ({ ...cause, run, ways: waysOfCause(cause, findings) }));
  });
  const judged = runs.map(
    ({ checks }) => new Set(checks.flatMap((finding) => (isUnjudged(finding) ? [] : [finding.id]))),
  );
  return lineagesOf(traced)
    .flatMap((lineage): readonly ComparedCause[] => {
      const [first, ...others] = lineage;
      if (!first) return [];
      const largest = others.reduce(
        (most, each) => (each.operations.length >= most.operations.length ? each : most),
        first,
      );
      const checks = new Set(lineage.flatMap((each) => each.checks));
      const operations = runs.map(
        (_, at) => new Set(lineage.flatMap((each) => (each.run === at ? each.operations : []))).size,
      );
      const seen = judged.map((ids, at): CauseSight => {
        if (lineage.some(({ run }) => run === at)) return 'seen';
        return [...checks].every((check) => ids.has(check)) ? 'unseen' : 'unjudged';
      });
      const { id, title, severity, outcome } = largest;
      return [{ id, title, severity, outcome, seen, operations, change: changeOf(seen) }];
    })
    .sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change));
};

/** `, one operation fewer`: between the first run and the last, of a cause that both have. */
export const sizeChange = ({ seen, operations }: ComparedCause): string => {
  const more = (operations.at(-1) ?? 0) - (operations[0] ?? 0);
  if (more === 0 || seen[0] !== 'seen' || seen.at(-1) !== 'seen') return '';
  return `, ${counted(Math.abs(more), 'operation')} ${more > 0 ? 'more' : 'fewer'}`;
};

const changeWords: Readonly<Record<ComparedCause['change'], string>> = {
  new: 'new',
  differs: 'in some runs',
  unjudged: 'not judged',
  gone: 'gone',
  unchanged: 'unchanged',
};

/** `2 new causes, 1 gone, 4 unchanged`; empty where there are none. */
export const causesSentence = (causes: readonly ComparedCause[]): string => {
  const sizes = order.flatMap((change) => {
    const size = causes.filter((cause) => cause.change === change).length;
    return size === 0 ? [] : [`${size} ${changeWords[change]}`];
  });
  return sizes.length === 0 ? '' : `Causes: ${sizes.join(', ')}`;
};
