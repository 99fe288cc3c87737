import type { Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { nearestName } from '../did-you-mean.js';
import { fits } from './deviations.js';
import { readDeviationsFile } from './deviations-file.js';

type Named = Pick<Operation, 'id' | 'method' | 'path'>;

/** Whether an entry names an operation, by its id or as `GET /path`. */
const names = (pattern: string, { id, method, path }: Named): boolean =>
  fits(pattern, id) || fits(pattern, `${method} ${path}`);

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
export const leaveOutByFile = (contract: Contract, file: string, shown: string, now = new Date()): Contract => {
  const all: readonly Named[] = [...contract.operations, ...contract.unprobed];
  const wrong = (pattern: string): string | undefined => {
    if (all.some((operation) => names(pattern, operation))) return undefined;
    const near = nearestName(
      pattern,
      all.map(({ id }) => id),
    );
    return `no operation is called ${pattern}${near ? `; did you mean ${near}?` : '; access-conformance plan names every operation'}`;
  };
  const entries = readDeviationsFile(file, { shown, now, wrong: { leaveOut: wrong } }).filter(
    ({ member }) => member === 'leaveOut',
  );
  return leaveOut(contract, (operation) => {
    const entry = entries.find(({ name }) => names(name, operation));
    return entry && `Left out on purpose (${entry.position}): ${entry.reason}`;
  });
};
