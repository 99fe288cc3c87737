import type { KeywordDefinition } from 'ajv';
import { isObject, memoizePerObject, orUndefined } from '../collections.js';
import { child, isArray, type JsonObject, setMember } from './json-values.js';
import { childNode, itemNodes, type Node } from './node.js';
import type { References } from './references.js';

/** Keywords whose schemas apply to the same value and may describe its members. */
const parts = ['allOf', 'anyOf', 'oneOf', 'then', 'else'] as const;

export const isPart = (keyword: string): boolean => parts.some((part) => part === keyword);

/** Keywords whose schemas apply to the same value. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const;
const singles = ['if', 'then', 'else'] as const;

/** A schema with all parts of its composition, references included. */
const compositionParts = (start: Node, references: References): readonly Node[] => {
  const found: Node[] = [];
  const seen = new Set<unknown>();
  const visit = (node: Node | undefined): void => {
    if (!node || !isObject(node.value) || seen.has(node.value)) return;
    seen.add(node.value);
    found.push(node);
    for (const keyword of lists) for (const part of itemNodes(childNode(node, keyword))) visit(part);
    for (const keyword of singles) visit(childNode(node, keyword));
    if (typeof node.value.$ref === 'string') visit(references.find(node, node.value.$ref));
  };
  visit(start);
  return found;
};

const isWriteOnly = ({ value }: Node): boolean => isObject(value) && value.writeOnly === true;

/**
 * Names of `writeOnly` members, which only requests contain and require (OpenAPI 3.0, section
 * 4.7.24.2). The member's schema, a referenced one or any part of a composition may say so.
 */
export const writeOnlyNames = (schema: Node, references: References): readonly string[] =>
  compositionParts(schema, references).flatMap((part) => {
    const properties = childNode(part, 'properties');
    if (!isObject(properties.value)) return [];
    return Object.keys(properties.value).filter((name) =>
      compositionParts(childNode(properties, name), references).some(isWriteOnly),
    );
  });

/**
 * Whether an alternative requires a `writeOnly` member. Alternatives that differ only in such
 * members are alike in responses, so several may fit.
 */
export const requiresWriteOnly = (omitted: readonly string[], alternatives: Node, references: References): boolean =>
  omitted.length > 0 &&
  itemNodes(alternatives).some((alternative) =>
    compositionParts(alternative, references).some(({ value }) => {
      const required = isObject(value) ? value.required : undefined;
      return isArray(required) && required.some((name) => omitted.some((other) => other === name));
    }),
  );

/** Names and patterns of members, from all parts of a composition. */
export interface DescribedMembers {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
}

/**
 * The members that a schema and its parts describe; `undefined` where it has no parts.
 * @param registry schemas by `$ref`
 */
export const describedMembers = (
  schema: JsonObject,
  registry: Readonly<Record<string, unknown>>,
): DescribedMembers | undefined => {
  if (!parts.some((keyword) => schema[keyword] !== undefined) && schema.$ref === undefined) return undefined;
  const names = new Set<string>();
  const patterns = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (seen.has(value)) return;
    seen.add(value);
    if (isArray(value)) for (const each of value) visit(each);
    if (!isObject(value)) return;
    for (const name of Object.keys(isObject(value.properties) ? value.properties : {})) names.add(name);
    for (const name of Object.keys(isObject(value.patternProperties) ? value.patternProperties : {}))
      patterns.add(name);
    for (const keyword of parts) visit(value[keyword]);
    const { $ref } = value;
    if (typeof $ref === 'string' && Object.hasOwn(registry, $ref)) visit(registry[$ref]);
  };
  visit(schema);
  return { names: [...names].sort(), patterns: [...patterns].sort() };
};

/** A part with `additionalProperties: false` that also allows the members of the other parts. */
export const allowingMembers = (
  part: Record<string, unknown>,
  { names, patterns }: DescribedMembers,
): Record<string, unknown> => {
  const own = (keyword: string): JsonObject => (isObject(part[keyword]) ? part[keyword] : {});
  const withMembers = (keyword: string, all: readonly string[]): JsonObject => {
    const members: Record<string, unknown> = { ...own(keyword) };
    for (const name of all) if (!Object.hasOwn(members, name)) setMember(members, name, true);
    return members;
  };
  return {
    ...part,
    properties: withMembers('properties', names),
    ...(patterns.length > 0 ? { patternProperties: withMembers('patternProperties', patterns) } : {}),
  };
};

/** Reads `pattern` as ECMA-262, as JSON Schema says, and never as another dialect. */

const isSyntax = (character: string): boolean => '^$\\.*+?()[]{}|/'.includes(character);

/** Any dialect reads an escaped punctuation character as itself; the `u` flag refuses most. */
const plainly = (pattern: string): string =>
  pattern.replace(/\\([^A-Za-z0-9])/gu, (pair, character: string) =>
    isSyntax(character) ? pair : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/**
 * Syntax of other dialects (`\Z`, `\p{L}`, `x{,5}`, `[[:alpha:]]`, `[a-z&&[^b]]`) that ECMA-262
 * without `u` silently reads as literal characters.
 */
const foreign = /\\[^dDwWsSbBtnrfvxu]|\\u\{|\{,|\[:|\[\[|&&/;

const compiled = (pattern: string, flags: string): RegExp | undefined => orUndefined(() => new RegExp(pattern, flags));

/**
 * The pattern as a regular expression; `undefined` where it is invalid or perhaps of another
 * dialect.
 */
export const readPattern = (pattern: string): RegExp | undefined => {
  const unicode = compiled(plainly(pattern), 'u');
  if (unicode || foreign.test(pattern.replace(/\\[^A-Za-z]/gu, ''))) return unicode;
  return compiled(pattern, '');
};

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

/** Marks the condition that a `discriminator` makes of a union. No document has this keyword. */
export const discriminatedKeyword = 'access-conformance:discriminated';

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
