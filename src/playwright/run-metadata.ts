import type { Clause, Gap } from '../contract/model.js';
import type { JudgedSubject } from '../engine/build-results.js';
import type { Deviation } from '../engine/deviations.js';
import type { Baseline } from '../engine/facts.js';

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
  /** `HISTORY` */
  readonly history: boolean;
}

/** One for each deployment. */
export interface Heads {
  readonly reportsDir: string;
  readonly heads: readonly Head[];
}

export const metadataName = 'accessConformance';

/** The heads of the deployments that the settings name. */
export const headsOf = async (): Promise<readonly Head[]> => {
  // Loaded where it is needed: a worker has to start quickly.
  const [{ openSessions }, { subjectOf }] = await Promise.all([
    import('./session.js'),
    import('../engine/build-results.js'),
  ]);
  const { sessions } = await openSessions();
  return sessions.map(
    ({ contract, target, options, checks, keyPageChecks, project, deviations, baseline, settings }) => ({
      ...subjectOf(contract, target, options),
      project,
      clauses: contract.clauses,
      gaps: contract.gaps,
      checks: [...checks, ...keyPageChecks].map(({ id }) => id),
      deviations,
      strict: target.strict,
      baseline,
      history: settings.values.HISTORY,
    }),
  );
};
