import { memoizePerObject } from '../collections.js';
import { visible } from '../visible.js';
import { isArray } from './json-values.js';
import type { Contract, Operation, SecurityScheme, UnprobedOperation } from './model.js';

/** Shows unseen characters in the texts of a contract. */

/** Like `map`, but returns the list itself if no item changes. */
const mapped = <T>(all: readonly T[], change: (one: T) => T): readonly T[] => {
  const next = all.map(change);
  return next.every((one, index) => one === all[index]) ? all : next;
};

/**
 * Like a spread, but returns the object itself if no member changes: it may be one of thousands.
 */
const withMembers = <T extends object>(of: T, members: { readonly [Name in keyof T]?: T[Name] | undefined }): T => {
  const others = Object.entries(members).filter(([name, value]) => of[name as keyof T] !== value);
  return others.length === 0 ? of : { ...of, ...Object.fromEntries(others) };
};

/** The same with visible text in these members, which are texts or lists of texts, or absent. */
const shown = <T extends object>(of: T, ...names: readonly (keyof T)[]): T => {
  const visibleIn = (value: unknown): unknown =>
    typeof value === 'string' ? visible(value) : isArray(value) ? mapped(value, visibleIn) : value;
  return withMembers(of, Object.fromEntries(names.map((name) => [name, visibleIn(of[name])])) as Partial<T>);
};

/**
 * Escapes control and bidirectional characters in names and texts of a contract, which get into
 * reports, logs and pages. What is sent or compared (target, header fields, key placement) is
 * unchanged.
 */
export const withVisibleText = (contract: Omit<Contract, 'schemas'>): Omit<Contract, 'schemas'> => {
  // Schemes are compared by identity.
  const scheme = memoizePerObject((of: SecurityScheme) => shown(of, 'name', 'doubt'));
  const ways = <T>(all: readonly (readonly T[])[] | undefined, change: (one: T) => T) =>
    all && mapped(all, (way) => mapped(way, change));
  const requirements = ({ requirements: all }: Operation | UnprobedOperation) =>
    ways(all, (stated) => shown(stated, 'name', 'scopes'));
  return {
    ...shown(contract, 'title', 'version', 'server'),
    clauses: contract.clauses.map((clause) => shown(clause, 'id', 'short', 'text', 'source')),
    gaps: contract.gaps.map((gap) => shown(gap, 'id', 'question', 'source', 'excluded')),
    operations: contract.operations.map((operation) =>
      withMembers(shown(operation, 'id', 'method', 'path'), {
        security: mapped(operation.security, scheme),
        alternatives: ways(operation.alternatives, scheme),
        requirements: requirements(operation),
      }),
    ),
    unprobed: contract.unprobed.map((operation) =>
      withMembers(shown(operation, 'id', 'method', 'path', 'reason', 'details'), {
        requirements: requirements(operation),
      }),
    ),
    schemes: contract.schemes.map(scheme),
    warnings: contract.warnings.map((warning) => shown(warning, 'message', 'hint')),
  };
};
