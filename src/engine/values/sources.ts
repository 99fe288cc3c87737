import { memoize } from '../../collections.js';
import type { Contract, Fillable, MissingParameter, Operation, UnprobedOperation } from '../../contract/model.js';
import { isSingularOf, nounOf, pathParameters, segmentsOf, shapeOf } from './template.js';

/** An operation that nothing but values of parameters keeps from being probed. */
export type Wanting = UnprobedOperation & { readonly fillable: Fillable };

export const isWanting = (operation: UnprobedOperation): operation is Wanting => operation.fillable !== undefined;

/** An operation that examples of the document stand in, which the key does not open with them. */
export const withoutExamples = (operation: Operation & { readonly exampled: Fillable }): Wanting => {
  const { id, method, path, access, exampled } = operation;
  return { id, method, path, access, why: 'no-value', reason: '', fillable: exampled };
};

export const isExampled = (operation: Operation): operation is Operation & { readonly exampled: Fillable } =>
  operation.exampled !== undefined;

/**
 * What one value serves: every operation below one path, or every parameter of one name elsewhere.
 */
export const valueScopeOf = ({ name, in: place }: MissingParameter, path: string): string =>
  (place === 'path' ? pathParameters(path).find((each) => each.name === name)?.prefix : undefined) ??
  `${place} ${name}`;

/** `project`, `project_id` and `projectId` are named by the collection `projects`. */
export const isNamedBy = ({ name }: Pick<MissingParameter, 'name'>, noun: string): boolean =>
  noun !== '' &&
  (isSingularOf(name, noun) || isSingularOf(name.replace(/[_-]?(?:id|pk|uuid|slug|key|name)$/i, ''), noun));

/** Ids of reads by the shape of their path, and by the noun at its end. */
const readsOf = memoize((contract: Contract) => {
  const byShape = new Map<string, string[]>();
  const byNoun = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, key: string, id: string): void =>
    void to.set(key, [...(to.get(key) ?? []), id]);
  const reads = [
    ...contract.operations.filter(({ method }) => method === 'GET'),
    ...contract.unprobed.filter(isWanting),
  ];
  for (const { id, path } of reads) {
    add(byShape, shapeOf(segmentsOf(path)), id);
    const noun = nounOf(path);
    if (noun !== undefined) add(byNoun, noun, id);
  }
  return { byShape, byNoun };
});

/**
 * The operations whose answers are where a value of a parameter is looked for first: those that
 * links name, and lists that stand at the path in front of it (`/tags` for `/tag/{id}` too) or, for
 * a query, are named like it.
 */
export const sourcesFor = (
  contract: Contract,
  { id, path }: { readonly id: string; readonly path: string },
  parameter: MissingParameter,
): { readonly place: string; readonly operations: readonly string[] } => {
  const linked = (contract.links ?? []).flatMap((link) =>
    link.to === id && link.parameter === parameter.name ? [link.from] : [],
  );
  const { byShape, byNoun } = readsOf(contract);
  const { collections = [], noun: own = '' } = pathParameters(path).find(({ name }) => name === parameter.name) ?? {};
  const standing = collections.flatMap((collection) => byShape.get(collection) ?? []);
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

/** Whether other operations take values from the answers of one. */
export const sourceTestFor = (wanting: readonly Wanting[]): ((operation: Pick<Operation, 'path'>) => boolean) => {
  const collections = new Set(wanting.flatMap(({ path }) => pathParameters(path).flatMap((each) => each.collections)));
  return ({ path }) => collections.has(shapeOf(segmentsOf(path)));
};

/**
 * Ids of the operations whose answers may hold the values, and of those that these need in turn.
 */
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
