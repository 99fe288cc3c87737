import type { Clause, Gap } from '../contract/model.js';
import { type JudgedSubject, subjectOf } from '../engine/build-results.js';
import type { Deviation } from '../engine/deviations.js';
import type { Baseline } from '../engine/facts.js';
import type { Session } from './session.js';

/**
 * The part of the results that does not depend on findings, in the metadata of the Playwright
 * configuration, so that blob reports of shards have it.
 */
export interface Head extends JudgedSubject {
  /** The deployment's project; `''` for the only one. */
  readonly project: string;
  readonly clauses: readonly Clause[];
  readonly gaps: readonly Gap[];
  /** Ids of every planned check, in their order. */
  readonly checks: readonly string[];
  readonly deviations: readonly Deviation[];
  readonly strict: boolean;
  readonly baseline?: Baseline | undefined;
}

/** One for each deployment. */
export interface Heads {
  readonly reportsDir: string;
  readonly heads: readonly Head[];
}

export const metadataName = 'accessConformance';

export const metadataOf = (session: Session): Head => {
  const { contract, target, options, checks, keyPageChecks } = session;
  return {
    ...subjectOf(contract, target, options),
    project: session.project,
    clauses: contract.clauses,
    gaps: contract.gaps,
    checks: [...checks, ...keyPageChecks].map(({ id }) => id),
    deviations: session.deviations,
    strict: target.strict,
    baseline: session.baseline,
  };
};
