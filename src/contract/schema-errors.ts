import type { ErrorObject } from 'ajv';
import { isObject } from '../collections.js';
import { isScalar, plainPathOf, pointerOf, valueAt } from './json-values.js';
import { resolved } from './official-schema.js';

/** Errors of the official OpenAPI schema: which of them a person needs, and what they say. */

/**
 * Members that an error is about: one is missing, unknown or misnamed, or several exclude each
 * other.
 */
export const membersOf = ({ params, schema }: ErrorObject): readonly string[] => {
  const one = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  return [one ?? valueAt(schema, ['required']) ?? []].flat();
};

/** JSON Pointer of what an error is about, which may be missing. */
export const placeOf = (error: ErrorObject): string => {
  const [member = error.propertyName, another] = membersOf(error);
  return member && another === undefined ? `${error.instancePath}${pointerOf([member])}` : error.instancePath;
};

/**
 * Names of members, and beginnings (`x-…`) or patterns of names, of all schemas that a schema
 * applies to the same value.
 */
const namesIn = (schema: unknown, root: unknown): readonly string[] => {
  if (!isObject(schema)) return [];
  const { $ref, then, else: otherwise, allOf, dependentSchemas, properties, patternProperties } = schema;
  const applied = [$ref && resolved(schema, root), then, otherwise, allOf, Object.values(dependentSchemas ?? {})];
  const patterns = Object.keys(Object(patternProperties)).map((each) => each.replace(/^\^\\?([\w/-]+)$/, '$1…'));
  const own = [...Object.keys(Object(properties)), ...patterns];
  return [...own, ...applied.flat().flatMap((each) => namesIn(each, root))];
};

const keyOf = ({ instancePath, keyword }: ErrorObject): string => `${instancePath}/ ${keyword}`;

/** Whether a condition that failed by another error left a member unknown that it allows. */
const isConsequence = (error: ErrorObject, all: readonly ErrorObject[], root: unknown): boolean =>
  error.keyword === 'unevaluatedProperties' &&
  namesIn(error.parentSchema, root).includes(error.params.unevaluatedProperty) &&
  all.some((other) => keyOf(other) !== keyOf(error) && keyOf(other).startsWith(`${error.instancePath}/`));

/**
 * The errors that a person needs, of all that a mistake causes: one a place.
 * @param errors with `verbose` and `allErrors`
 * @param root the schema that the errors come from
 */
export const relevantErrors = (errors: readonly ErrorObject[], root: unknown): readonly ErrorObject[] => {
  const all = errors.filter(({ keyword }) => keyword !== 'if');
  // What has the wrong type needs no other error.
  const ordered = all.toSorted((a, b) => Number(b.keyword === 'type') - Number(a.keyword === 'type'));
  const first = new Map(ordered.toReversed().map((error) => [placeOf(error), error]));
  return all.filter((error) => first.get(placeOf(error)) === error && !isConsequence(error, all, root));
};

/** What an error asks of a value. */
export const demandOf = ({ params, message = '' }: ErrorObject): string => {
  const allowed = [params.allowedValues ?? params.allowedValue ?? []].flat();
  return allowed.length > 0 ? `must be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}` : message;
};

/** What an error is about: a member by its name, an item of a list by its own where it has one. */
const subjectOf = ({ instancePath, data }: ErrorObject): string => {
  const last = plainPathOf(instancePath).at(-1);
  const own = /^\d+$/.test(String(last)) ? valueAt(data, ['name']) : undefined;
  return last === undefined ? 'the document' : `"${typeof own === 'string' ? own : last}"`;
};

/**
 * An error in words.
 * @param root the schema that the error comes from
 */
export const describeError = (error: ErrorObject, root: unknown): readonly [message: string, hint?: string] => {
  const [where, members] = [subjectOf(error), membersOf(error)];
  if (error.keyword === 'required') return [`${where} lacks "${members[0]}"`];
  if (members.length > 1) return [`${where} has more than one of ${members.join(', ')}`];
  if (members.length === 1)
    return [
      `"${members[0]}" is not allowed in ${where}`,
      members[0] === '$ref'
        ? 'OpenAPI has no reference here: `npx -y @redocly/cli bundle FILE -o openapi.yaml` replaces it by what it names.'
        : `Allowed: ${namesIn(error.parentSchema, root).join(', ')}.`,
    ];
  if (error.propertyName !== undefined) return [`the name "${error.propertyName}" in ${where} ${demandOf(error)}`];
  const is = isScalar(error.data) || error.data === null ? `, and is ${JSON.stringify(error.data)}` : '';
  return [`${where} ${demandOf(error)}${is}`];
};
