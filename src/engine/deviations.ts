import { present } from '../collections.js';
import type { Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { didYouMean, wildcard } from '../names.js';
import { type Deviation, readDeviationsFile } from './deviations-file.js';
import { isBroken } from './outcomes.js';
import type { Finding } from './results.js';

/**
 * The DEVIATIONS file: failures that are accepted and operations that are left out, each with a
 * reason.
 */

export type { Deviation } from './deviations-file.js';

/** Every check of the plan, selected or not. Entries are validated against it. */
export type Planned = readonly { readonly id: string; readonly clauses: readonly string[] }[];

/** Whether a check id matches an entry; `*` matches any characters. */
export const matchesPattern = (pattern: string, id: string): boolean =>
  pattern.includes('*') ? wildcard(pattern, 's').test(id) : pattern === id;

/** Returns what is wrong with the check that an entry names. */
const wrongCheck = (check: string, planned: Planned): string | undefined => {
  const [rule = '', operation] = check.split(/@(.*)/s);
  if (operation === undefined || operation === '')
    return `"${check}" is no check id: write rule@operation, for example ${rule || 'refuses-missing-key'}@*`;
  if (rule.includes('*')) return `"${check}": a * stands for operations alone, so a rule must be named before the @`;
  const meant = planned.filter(({ id }) => matchesPattern(check, id));
  if (meant.length === 0) {
    const ids = planned.map(({ id }) => id);
    return `no check is called ${check}; ${didYouMean(check, ids, 'access-conformance list names every check')}`;
  }
  if (meant.every(({ clauses }) => clauses.length === 0))
    return `${check} observes what the contract leaves open: it cannot fail, so there is nothing to accept`;
  return undefined;
};

/**
 * Reads the accepted checks of a deviations file, and validates them against the plan and the date.
 * @param file absolute path
 * @param options.shown name of the file in messages
 * @throws {DeviationsError} with every problem: unreadable or malformed file, missing reason,
 * expired entry, or a check that is not planned
 */
export const readDeviations = (
  file: string,
  { planned, shown = file, now = new Date() }: { planned: Planned; shown?: string; now?: Date },
): readonly Deviation[] => {
  const wrong = (check: string): string | undefined => wrongCheck(check, planned);
  return readDeviationsFile(file, { shown, now, wrong: { check: wrong } }).flatMap(({ member, name, ...entry }) =>
    member === 'check' ? [{ check: name, ...entry }] : [],
  );
};

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

type Named = Pick<Operation, 'id' | 'method' | 'path'>;

/** Whether an entry names an operation, by its id or as `GET /path`. */
const namesOperation = (pattern: string, { id, method, path }: Named): boolean =>
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

/**
 * Removes the operations that a deviations file leaves out.
 * @throws {DeviationsError} also for an entry that names no operation of the document
 */
export const leaveOutByFile = (contract: Contract, file: string, shown: string): Contract => {
  const all: readonly Named[] = [...contract.operations, ...contract.unprobed];
  const wrong = (pattern: string): string | undefined => {
    if (all.some((operation) => namesOperation(pattern, operation))) return undefined;
    const ids = all.map(({ id }) => id);
    return `no operation is called ${pattern}; ${didYouMean(pattern, ids, 'access-conformance plan names every operation')}`;
  };
  const entries = readDeviationsFile(file, { shown, now: new Date(), wrong: { leaveOut: wrong } }).filter(
    ({ member }) => member === 'leaveOut',
  );
  return leaveOut(contract, (operation) => {
    const entry = entries.find(({ name }) => namesOperation(name, operation));
    return entry && `Left out on purpose (${entry.position}): ${entry.reason}`;
  });
};
