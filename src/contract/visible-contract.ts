import { memoizePerObject } from '../collections.js';
import { visible } from '../visible.js';
import type { Contract, Operation, SecurityScheme, UnprobedOperation } from './model.js';

/** The same with visible text in these members, which are texts or lists of texts, or absent. */
const shown = <T extends object>(of: T, ...names: readonly (keyof T)[]): T => {
  const copy = { ...of };
  for (const name of names) {
    const value: unknown = of[name];
    if (typeof value === 'string') Object.assign(copy, { [name]: visible(value) });
    else if (Array.isArray(value)) Object.assign(copy, { [name]: value.map(visible) });
  }
  return copy;
};

/**
 * Escapes control and bidirectional characters in names and texts of a contract, which get into
 * reports, logs and pages. What is sent or compared (target, header fields, key placement) is
 * unchanged.
 */
export const withVisibleText = (contract: Omit<Contract, 'schemas'>): Omit<Contract, 'schemas'> => {
  // Schemes are compared by identity.
  const scheme = memoizePerObject((of: SecurityScheme) => shown(of, 'name', 'doubt'));
  const requirements = ({ requirements: all }: Operation | UnprobedOperation): Pick<Operation, 'requirements'> =>
    all ? { requirements: all.map((way) => way.map((stated) => shown(stated, 'name', 'scopes'))) } : {};
  return {
    ...shown(contract, 'title', 'version', 'server'),
    clauses: contract.clauses.map((clause) => shown(clause, 'id', 'short', 'text', 'source')),
    gaps: contract.gaps.map((gap) => shown(gap, 'id', 'question', 'source', 'excluded')),
    operations: contract.operations.map((operation) => ({
      ...shown(operation, 'id', 'method', 'path'),
      security: operation.security.map(scheme),
      ...(operation.alternatives ? { alternatives: operation.alternatives.map((way) => way.map(scheme)) } : {}),
      ...requirements(operation),
    })),
    unprobed: contract.unprobed.map((operation) => ({
      ...shown(operation, 'id', 'method', 'path', 'reason', 'details'),
      ...requirements(operation),
    })),
    schemes: contract.schemes.map(scheme),
    warnings: contract.warnings.map((warning) => shown(warning, 'message', 'hint')),
  };
};
