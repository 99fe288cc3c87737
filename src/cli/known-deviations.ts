import type { Contract } from '../contract/model.js';
import type { Finding } from '../engine/results.js';
import type { Settings } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { shortPath } from './judged.js';

export interface KnownDeviations {
  readonly deviate: (findings: readonly Finding[]) => readonly Finding[];
  /** Entries that accept nothing any more, a line each. */
  readonly stale: (findings: readonly Finding[]) => readonly string[];
}

/**
 * What `DEVIATIONS` accepts; `undefined` where no file is named.
 * @throws {DeviationsError} for everything that can be found wrong with it before a request is sent
 */
export const deviationsOf = async (input: {
  readonly settings: Settings;
  readonly contract: Contract;
  readonly target: Target;
  readonly cwd: string;
}): Promise<KnownDeviations | undefined> => {
  const file = input.settings.values.DEVIATIONS;
  if (file === undefined) return undefined;
  const { deviate, readDeviations, staleDeviations } = await import('../engine/deviations.js');
  const { wholePlan } = await import('./selection.js');
  const { keyPageChecks, checkOf } = await import('../keypage/judge.js');
  const planned = [
    ...wholePlan(input.contract, input.target).checks.map(({ id, rule }) => ({ id, clauses: rule.clauses })),
    ...keyPageChecks.map(({ rule, clauses }) => ({ id: checkOf(rule), clauses })),
  ];
  const deviations = readDeviations(file, { planned, shown: shortPath(file, input.cwd) });
  const ids = planned.map(({ id }) => id);
  return {
    deviate: deviate(deviations, input.target),
    stale: (findings) => staleDeviations(deviations, ids, findings),
  };
};
