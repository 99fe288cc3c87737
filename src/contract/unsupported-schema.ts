import type { KeywordDefinition } from 'ajv';
import { memoizePerObject } from '../collections.js';
import { child, type JsonObject } from './json-values.js';
import type { Node } from './node.js';

/**
 * What this suite does not support of JSON Schema. A body that such a schema describes is not
 * judged: DOC-2 is inconclusive, and says why.
 */

/** The dialect of JSON Schema 2020-12 and those of OpenAPI 3.1 and 3.2, which build on it. */
const supportedDialects = [
  /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
  /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\/[\w-]+#?$/,
];

/** Keywords whose target depends on the path of references that led to them. */
const unsupportedReferences = ['$dynamicRef', '$recursiveRef'] as const;

/** Whether a file may name a dialect. Looked up once a file: it may have thousands of schemas. */
const mayNameDialect = memoizePerObject(({ bytes }: Node['source']) => bytes.includes('$schema'));

/**
 * The dialect of a schema (OpenAPI 3.1, section 4.8.24.5): the nearest `$schema` around it, else
 * the `jsonSchemaDialect` of the document.
 */
const dialectOf = ({ source, path }: Node, document: Node): unknown => {
  const byDefault = child(document.value, 'jsonSchemaDialect');
  if (!mayNameDialect(source)) return byDefault;
  let value = source.value;
  let uri = child(value, '$schema');
  for (const key of path) {
    value = child(value, key);
    const own = child(value, '$schema');
    if (typeof own === 'string') uri = own;
  }
  return typeof uri === 'string' ? uri : byDefault;
};

/**
 * Why a schema of OpenAPI 3.1 or 3.2 is not supported; `undefined` where it is.
 * @param schema the value of `node`
 */
export const whyUnsupported = (schema: JsonObject, node: Node, document: Node): string | undefined => {
  const dialect = dialectOf(node, document);
  if (typeof dialect === 'string' && !supportedDialects.some((known) => known.test(dialect)))
    return `its dialect ${dialect} is not supported, only that of OpenAPI 3.1 (JSON Schema 2020-12) is`;
  const keyword = unsupportedReferences.find((name) => schema[name] !== undefined);
  return keyword && `the keyword ${keyword} is not supported`;
};

/** Only whole divisors are supported: in binary, 19.99 divided by 0.01 is no whole number. */
export const isUnsupportedDivisor = (multipleOf: unknown): multipleOf is number =>
  typeof multipleOf === 'number' && !Number.isInteger(multipleOf);

/** Marks a schema that cannot be used; its value says why. No document has this keyword. */
const unsupportedKeyword = 'access-conformance:unsupported';

/** Keeps every schema that contains an unsupported one from being compiled. */
export const unsupportedKeywordDefinition: KeywordDefinition = {
  keyword: unsupportedKeyword,
  schemaType: 'string',
  compile: (reason: string) => {
    throw new Error(reason);
  },
};

/**
 * Stands in for a schema that cannot be used.
 * @param reason finishes "… has a schema that cannot be used (…)"
 */
export const unsupportedSchema = (reason: string): Readonly<Record<string, unknown>> => ({
  [unsupportedKeyword]: reason,
});
