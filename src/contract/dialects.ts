import { child, isArray, type JsonObject } from './json-values.js';
import type { Node } from './references.js';

/** The year or the number of a draft of JSON Schema; 2020 is what OpenAPI 3.1 and 3.2 build on. */
export type Dialect = 4 | 6 | 7 | 2019 | 2020;

const drafts: readonly (readonly [uri: RegExp, dialect: Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, 2020],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\/[\w-]+#?$/, 2020],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, 2019],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 7],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, 6],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, 4],
];

/** Keywords of 2020-12 that demand something, and the first draft that knows them. */
const since: Readonly<Record<string, Dialect>> = {
  const: 6,
  contains: 6,
  propertyNames: 6,
  if: 7,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  maxContains: 2019,
  minContains: 2019,
  unevaluatedItems: 2019,
  unevaluatedProperties: 2019,
  prefixItems: 2020,
  $dynamicRef: 2020,
};

/** The URI of the dialect that `node` is written in: the nearest `$schema` around it, else the document's `jsonSchemaDialect`. */
const uriOf = ({ source, path }: Node, root: Node): unknown => {
  if (!source.bytes.includes('$schema')) return child(root.value, 'jsonSchemaDialect');
  let value = source.value;
  let uri = child(value, '$schema');
  for (const key of path) {
    value = child(value, key);
    const own = child(value, '$schema');
    if (typeof own === 'string') uri = own;
  }
  return typeof uri === 'string' ? uri : child(root.value, 'jsonSchemaDialect');
};

/**
 * The dialect of a schema (OpenAPI 3.1, section 4.8.24.5).
 * @returns the URI itself where it names none that is known
 */
export const dialectOf = (node: Node, root: Node): Dialect | string => {
  const uri = uriOf(node, root);
  if (typeof uri !== 'string') return 2020;
  return drafts.find(([pattern]) => pattern.test(uri))?.[1] ?? uri;
};

/** Why a schema of a dialect cannot be read as one of 2020-12, or `undefined` where it says the same in both. */
export const saidOtherwise = (schema: JsonObject, dialect: Dialect | string): string | undefined => {
  if (dialect === 2020) return undefined;
  if (typeof dialect === 'string') return `it is written in the dialect ${dialect}, which is not known here`;
  const other =
    Object.keys(schema).find((keyword) => ((child(since, keyword) as Dialect | undefined) ?? 4) > dialect) ??
    ['additionalItems', '$recursiveRef'].find((keyword) => schema[keyword] !== undefined) ??
    (isArray(schema.items) ? 'items' : undefined);
  const name = dialect === 2019 ? '2019-09' : `draft 0${dialect}`;
  return other && `it is written in ${name} of JSON Schema, where "${other}" means something else than in 2020-12`;
};

/** Until draft 07 a reference stands alone, and what stands beside it is ignored. */
export const referenceStandsAlone = (dialect: Dialect | string): boolean => typeof dialect === 'number' && dialect <= 7;
