import { present } from '../collections.js';
import type { Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { ProblemsError } from '../errors.js';
import { wildcard } from '../names.js';
import { isBroken } from './outcomes.js';
import type { Finding } from './results.js';

/** Failures that are accepted and operations that are left out, each with a reason. */

/** A known deviation (`DEVIATIONS`). The check stays failed; the verdict becomes deviating. */
export interface Deviation {
  /** Check id; `*` in the operation matches any characters (`refuses-missing-key@*`). */
  readonly check: string;
  readonly reason: string;
  /** Last day on which it is valid, `YYYY-MM-DD`, UTC. */
  readonly expires?: string;
  readonly link?: string;
  /** `file:line` of the entry. */
  readonly position: string;
}

/**
 * The deviations file is unusable, or one of its entries no longer applies. Has one line with
 * `file:line` for each problem. Exit code 3.
 */
export class DeviationsError extends ProblemsError {
  override readonly name = 'DeviationsError';
}

/** Every check of the plan, selected or not. Entries are validated against it. */
export type Planned = readonly { readonly id: string; readonly clauses: readonly string[] }[];

/** Whether a check id matches an entry; `*` matches any characters. */
export const matchesPattern = (pattern: string, id: string): boolean =>
  pattern.includes('*') ? wildcard(pattern, 's').test(id) : pattern === id;

/** The entry that applies to a check. An exact entry outranks one with a `*`. */
const entryOf = (deviations: readonly Deviation[], id: string): Deviation | undefined =>
  deviations.find(({ check }) => check === id) ?? deviations.find(({ check }) => matchesPattern(check, id));

/** Whether an entry names the check exactly, without a `*`. */
export const isNamed =
  (deviations: readonly Deviation[]) =>
  (id: string): boolean =>
    deviations.some(({ check }) => check === id);

/** Attaches the matching entry to each finding that would make the run non-conformant. */
export const deviate =
  (deviations: readonly Deviation[], { strict }: { readonly strict: boolean }) =>
  (findings: readonly Finding[]): readonly Finding[] =>
    deviations.length === 0
      ? findings
      : findings.map((finding) => {
          const entry = isBroken(finding.outcome, strict) ? entryOf(deviations, finding.id) : undefined;
          if (!entry) return finding;
          const { reason, expires, link } = entry;
          return { ...finding, deviation: present({ reason, expires, link }) };
        });

/**
 * Lists the stale entries, one line each. An entry is stale when all of its checks were judged with
 * their whole battery and none failed: a check that was left out, blocked or inconclusive may still
 * be broken. A lenient finding keeps its entry, since `STRICT` may need it.
 * @param planned ids of every check of the whole plan
 */
export const staleDeviations = (
  deviations: readonly Deviation[],
  planned: readonly string[],
  findings: readonly Finding[],
): readonly string[] => {
  // The unsent tricks of a check may still show it broken.
  const outcomes = new Map(findings.flatMap(({ id, outcome, tried }) => (tried ? [] : [[id, outcome] as const])));
  return deviations.flatMap(({ check, position }) => {
    const own = planned.filter((id) => matchesPattern(check, id));
    const stale = own.every((id) => outcomes.get(id) === 'passed' || outcomes.get(id) === 'observed');
    if (!stale) return [];
    return [
      `${position} the deviation of ${check} is stale: ${own.length === 1 ? 'it passed' : `all ${own.length} checks passed`}; take the entry out`,
    ];
  });
};

export type Named = Pick<Operation, 'id' | 'method' | 'path'>;

export const namesOperation = (pattern: string, { id, method, path }: Named): boolean =>
  matchesPattern(pattern, id) || matchesPattern(pattern, `${method} ${path}`);

const leftOut = (operation: Named & Pick<Operation, 'access'>, reason: string): UnprobedOperation => {
  const { id, method, path, access } = operation;
  return { id, method, path, access, why: 'left-out', reason };
};

/** Removes the operations for which `reasonOf` returns a reason. */
export const leaveOut = (contract: Contract, reasonOf: (operation: Named) => string | undefined): Contract => {
  const reasons = new Map(
    [...contract.operations, ...contract.unprobed].flatMap((operation) => {
      const reason = reasonOf(operation);
      return reason === undefined ? [] : [[operation.id, leftOut(operation, reason)]];
    }),
  );
  if (reasons.size === 0) return contract;
  return {
    ...contract,
    operations: contract.operations.filter(({ id }) => !reasons.has(id)),
    unprobed: [...contract.unprobed.filter(({ id }) => !reasons.has(id)), ...reasons.values()],
    get schemas() {
      return contract.schemas;
    },
  };
};
