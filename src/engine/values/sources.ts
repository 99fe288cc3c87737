import { memoize } from '../../collections.js';
import type { Contract, Fillable, MissingParameter, Operation, UnprobedOperation } from '../../contract/model.js';
import { pathSegments } from '../../urls.js';
import { isSingularOf, nounOf, pathParameters, patternOf } from './template.js';

/** Which operations may give the values of a parameter. */

/** An operation that is only unprobed because it lacks values of parameters. */
export type Wanting = UnprobedOperation & { readonly fillable: Fillable };

export const isWanting = (operation: UnprobedOperation): operation is Wanting => operation.fillable !== undefined;

/**
 * Turns an operation with examples into one without values, for a key that does not open it with
 * the examples.
 */
export const withoutExamples = (operation: Operation & { readonly exampled: Fillable }): Wanting => {
  const { id, method, path, access, exampled } = operation;
  return { id, method, path, access, why: 'no-value', reason: '', fillable: exampled };
};

export const isExampled = (operation: Operation): operation is Operation & { readonly exampled: Fillable } =>
  operation.exampled !== undefined;

/**
 * The scope in which a parameter has the same value: all operations below one path, or all
 * parameters of that name outside paths.
 */
export const valueScopeOf = ({ name, in: place }: MissingParameter, path: string): string =>
  (place === 'path' ? pathParameters(path).find((each) => each.name === name)?.prefix : undefined) ??
  `${place} ${name}`;

/** Whether a collection names a parameter: `projects` names `project` and `projectId`. */
export const isNamedBy = ({ name }: Pick<MissingParameter, 'name'>, noun: string): boolean =>
  noun !== '' &&
  (isSingularOf(name, noun) || isSingularOf(name.replace(/[_-]?(?:id|pk|uuid|slug|key|name)$/i, ''), noun));

/** Ids of readable operations, by the pattern of their path and by the noun at its end. */
const readsOf = memoize((contract: Contract) => {
  const byPattern = new Map<string, string[]>();
  const byNoun = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, key: string, id: string): void =>
    void to.set(key, [...(to.get(key) ?? []), id]);
  const reads = [
    ...contract.operations.filter(({ method }) => method === 'GET'),
    ...contract.unprobed.filter(isWanting),
  ];
  for (const { id, path } of reads) {
    add(byPattern, patternOf(pathSegments(path)), id);
    const noun = nounOf(path);
    if (noun !== undefined) add(byNoun, noun, id);
  }
  return { byPattern, byNoun };
});

/**
 * The operations in whose answers a value is looked for first: sources of links, and lists at the
 * parent path (also `/tags` for `/tag/{id}`) or, for a query parameter, lists with its name.
 */
export const sourcesFor = (
  contract: Contract,
  { id, path }: { readonly id: string; readonly path: string },
  parameter: MissingParameter,
): { readonly place: string; readonly operations: readonly string[] } => {
  const linked = (contract.links ?? []).flatMap((link) =>
    link.to === id && link.parameter === parameter.name ? [link.from] : [],
  );
  const { byPattern, byNoun } = readsOf(contract);
  const { collections = [], noun: own = '' } = pathParameters(path).find(({ name }) => name === parameter.name) ?? {};
  const standing = collections.flatMap((collection) => byPattern.get(collection) ?? []);
  const lists =
    parameter.in === 'path'
      ? standing.length > 0
        ? standing
        : [...byNoun].flatMap(([noun, ids]) => (isSingularOf(own, noun) ? ids : []))
      : parameter.in === 'query'
        ? [...byNoun].flatMap(([noun, ids]) => (isNamedBy(parameter, noun) ? ids : []))
        : [];
  const operations = [...new Set([...linked, ...lists])].filter((each) => each !== id);
  return { place: valueScopeOf(parameter, path), operations };
};

/** Returns a predicate: whether other operations take values from the answers of an operation. */
export const sourceTestFor = (wanting: readonly Wanting[]): ((operation: Pick<Operation, 'path'>) => boolean) => {
  const collections = new Set(wanting.flatMap(({ path }) => pathParameters(path).flatMap((each) => each.collections)));
  return ({ path }) => collections.has(patternOf(pathSegments(path)));
};

/** Ids of operations whose answers may contain the values, and of those that these need. */
export const operationsLeadingTo = (wanting: readonly Wanting[], contract: Contract): ReadonlySet<string> => {
  const needed = new Set<string>();
  const follow = (each: Wanting): void => {
    for (const parameter of each.fillable.missing)
      for (const id of sourcesFor(contract, each, parameter).operations) {
        if (needed.has(id)) continue;
        needed.add(id);
        const own = contract.unprobed.find((other) => other.id === id);
        if (own && isWanting(own)) follow(own);
      }
  };
  for (const each of wanting) follow(each);
  return needed;
};
