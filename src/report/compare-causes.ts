import type { CauseResult } from '../engine/results.js';
import { counted } from '../words.js';
import { causesIn } from './causes.js';
import { isUnjudged, type RunSummary } from './run-summary.js';

/** Whether a run has a cause; `unjudged`: one of its checks was not judged, so it may be there. */
export type CauseSight = 'seen' | 'unseen' | 'unjudged';

/** A cause over all compared runs, in their order. */
export interface ComparedCause {
  readonly id: string;
  readonly title: string;
  readonly severity: CauseResult['severity'];
  readonly seen: readonly CauseSight[];
  /** Number of operations that each run has it at. */
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

/** Rule and kind of a cause, without what tells it from others of that kind. */
const familyIn = ({ id }: CauseResult): string => id.split(/[:@~]/, 1)[0] ?? id;

/**
 * Whether a cause is a part of another one: where operations of an open place were mended, what is
 * left of it may be a cause for each operation.
 */
const isPartOf = (part: CauseResult, whole: CauseResult): boolean =>
  part.checks.length < whole.checks.length &&
  part.outcome === whole.outcome &&
  part.id !== whole.id &&
  familyIn(part) === familyIn(whole) &&
  part.checks.every((check) => whole.checks.includes(check));

/**
 * Causes of any of the runs: new ones first, then those that not all runs have, worst first among
 * equals.
 */
export const compareCauses = (runs: readonly RunSummary[]): readonly ComparedCause[] => {
  const known = new Map<string, CauseResult>();
  const own = runs.map((run) => {
    const causes = causesIn(run);
    for (const cause of causes) if (!known.has(cause.id)) known.set(cause.id, cause);
    return {
      causes,
      judged: new Set(run.checks.flatMap((finding) => (isUnjudged(finding) ? [] : [finding.id]))),
    };
  });
  const all = [...known.values()];
  return all
    .filter((cause) => !all.some((whole) => isPartOf(cause, whole)))
    .map((cause): ComparedCause => {
      const { id, title, severity, checks } = cause;
      const there = own.map(({ causes }) => causes.filter((each) => each.id === id || isPartOf(each, cause)));
      const seen = own.map(({ judged }, at): CauseSight => {
        if ((there[at] ?? []).length > 0) return 'seen';
        return checks.every((check) => judged.has(check)) ? 'unseen' : 'unjudged';
      });
      const operations = there.map((each) => new Set(each.flatMap((one) => one.operations)).size);
      return { id, title, severity, seen, operations, change: changeOf(seen) };
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
