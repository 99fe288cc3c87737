import type { CauseResult } from '../engine/results.js';
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

/** Causes of any of the runs: new ones first, then those that not all runs have, worst first among equals. */
export const compareCauses = (runs: readonly RunSummary[]): readonly ComparedCause[] => {
  const known = new Map<string, CauseResult>();
  const own = runs.map((run) => {
    const causes = causesIn(run);
    for (const cause of causes) if (!known.has(cause.id)) known.set(cause.id, cause);
    return {
      ids: new Set(causes.map(({ id }) => id)),
      judged: new Set(run.checks.flatMap((finding) => (isUnjudged(finding) ? [] : [finding.id]))),
    };
  });
  return [...known.values()]
    .map(({ id, title, severity, checks }): ComparedCause => {
      const seen = own.map(({ ids, judged }): CauseSight => {
        if (ids.has(id)) return 'seen';
        return checks.every((check) => judged.has(check)) ? 'unseen' : 'unjudged';
      });
      return { id, title, severity, seen, change: changeOf(seen) };
    })
    .sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change));
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
