import { groupBy } from '../../collections.js';
import type { Finding } from '../../engine/results.js';
import type { RunSummary } from '../run-summary.js';

/** A clause or a gap, with the checks that are listed under it. */
export interface Place {
  /** `''` for checks of neither. */
  readonly id: string;
  readonly checks: readonly Finding[];
  /** Ids of its checks that are listed under another clause. */
  readonly elsewhere: readonly string[];
  /** What was observed of a gap, with the ids of the checks that saw it. */
  readonly facts: readonly (readonly [fact: string, checks: readonly string[]])[];
}

/** Places of a run, each check in one of them. */
export interface Places {
  readonly clauses: readonly Place[];
  readonly gaps: readonly Place[];
  /** Checks of no clause and no gap. */
  readonly rest: Place;
}

export const placesOf = (run: RunSummary): Places => {
  const known = new Set(run.clauses.map(({ id }) => id));
  // Of several gaps that a check observes, the first one lists it.
  const gapOf = new Map(
    [...run.gaps].reverse().flatMap((gap) => gap.observations.map(({ check }) => [check, gap.id] as const)),
  );
  const under = groupBy(
    run.checks,
    ({ id, clauses }) => clauses.find((clause) => known.has(clause)) ?? gapOf.get(id) ?? '',
  );
  const checksOf = (id: string): readonly Finding[] => under.get(id) ?? [];
  return {
    clauses: run.clauses.map(({ id, checks }) => {
      const own = new Set(checksOf(id).map((check) => check.id));
      return { id, checks: checksOf(id), elsewhere: checks.filter((check) => !own.has(check)), facts: [] };
    }),
    gaps: run.gaps.map(({ id, observations }) => ({
      id,
      checks: checksOf(id),
      elsewhere: [],
      facts: [...groupBy(observations, ({ fact }) => fact)].map(
        ([fact, told]) => [fact, told.map(({ check }) => check)] as const,
      ),
    })),
    rest: { id: '', checks: checksOf(''), elsewhere: [], facts: [] },
  };
};
