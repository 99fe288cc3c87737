import type { ErrorObject } from 'ajv';
import { isArray, isObject, isScalar, type Path, pointerOf, valueAt } from './json-values.js';
import { resolved } from './meant-alternative.js';

/** Errors of the official OpenAPI schema: which of them a person needs, and what they say. */

/** The member that an error calls unknown. */
export const unknownMember = ({ keyword, params, schema }: ErrorObject): string | undefined => {
  if (keyword === 'additionalProperties') return String(params.additionalProperty);
  if (keyword === 'unevaluatedProperties') return String(params.unevaluatedProperty);
  const excluded = keyword === 'not' ? valueAt(schema, ['required']) : undefined;
  return isArray(excluded) && excluded.length === 1 ? String(excluded[0]) : undefined;
};

/** JSON Pointer of what an error is about, which may be missing. */
export const placeOf = (error: ErrorObject): string => {
  const { keyword, params, instancePath, propertyName } = error;
  const member = keyword === 'required' ? String(params.missingProperty) : (unknownMember(error) ?? propertyName);
  return member === undefined ? instancePath : `${instancePath}${pointerOf([member])}`;
};

/** Every schema that a schema applies to the same value, itself included. */
const appliedSchemas = (schema: unknown, root: unknown): readonly unknown[] => {
  if (!isObject(schema)) return [];
  const { $ref, allOf = [], dependentSchemas = {} } = schema;
  const applied = [
    $ref && resolved(schema, root),
    schema.then,
    schema.else,
    ...Object.values({ ...Object(allOf), ...Object(dependentSchemas) }),
  ];
  return [schema, ...applied.flatMap((each) => appliedSchemas(each, root))];
};

const namesIn = (schemas: readonly unknown[], keyword: string): readonly string[] =>
  schemas.flatMap((schema) => Object.keys(valueAt(schema, [keyword]) ?? {}));

/** Whether an error is there only because of another one. */
const isConsequence = (error: ErrorObject, all: readonly ErrorObject[], root: unknown): boolean => {
  const { keyword, params, instancePath, parentSchema } = error;
  const others = all.filter((other) => other.keyword !== keyword || other.instancePath !== instancePath);
  // A condition that failed leaves the members that it allows unknown.
  if (keyword === 'unevaluatedProperties')
    return (
      namesIn(appliedSchemas(parentSchema, root), 'properties').includes(params.unevaluatedProperty) &&
      others.some((other) => `${other.instancePath}/`.startsWith(`${instancePath}/`))
    );
  // Responses need `default` only where they have no status.
  return params.missingProperty === 'default' && others.some((other) => other.instancePath === instancePath);
};

/**
 * The errors that a person needs, of all that a mistake causes: one a place.
 * @param errors with `verbose` and `allErrors`
 * @param root the schema that the errors come from
 */
export const relevantErrors = (errors: readonly ErrorObject[], root: unknown): readonly ErrorObject[] => {
  const all = errors.filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames');
  // What has the wrong type needs no other error.
  const ordered = all.toSorted((a, b) => Number(b.keyword === 'type') - Number(a.keyword === 'type'));
  const byPlace = new Map(ordered.toReversed().map((error) => [placeOf(error), error]));
  return [...byPlace.values()].filter((error) => !isConsequence(error, all, root)).toReversed();
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  return isScalar(value) ? `the ${typeof value} ${JSON.stringify(value)}` : 'an object';
};

const listOf = (values: unknown): string =>
  [values]
    .flat()
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ');

/** What an error is about: a member by its name, an item of a list by its own where it has one. */
const nameOf = (path: Path, value: unknown): string => {
  const last = path.at(-1);
  const own = /^\d+$/.test(String(last)) ? valueAt(value, ['name']) : undefined;
  return last === undefined ? 'the document' : `"${typeof own === 'string' ? own : last}"`;
};

/**
 * An error in words.
 * @param path where the error says that something is wrong
 * @param value the value there
 * @param root the schema that the error comes from
 */
export const describeError = (
  error: ErrorObject,
  path: Path,
  value: unknown,
  root: unknown,
): readonly [message: string, hint?: string] => {
  const { keyword, params, schema, parentSchema, propertyName, message } = error;
  const where = propertyName === undefined ? nameOf(path, value) : `the name "${propertyName}"`;
  const unknown = unknownMember(error);
  if (unknown !== undefined) {
    const schemas = appliedSchemas(parentSchema, root);
    const patterns = namesIn(schemas, 'patternProperties').map((pattern) => `names like ${pattern}`);
    const allowed = new Set([...namesIn(schemas, 'properties'), ...patterns]);
    return [`"${unknown}" is not allowed in ${where}`, `Allowed: ${[...allowed].join(', ')}.`];
  }
  switch (keyword) {
    case 'required':
      return [`${where} lacks "${params.missingProperty}"`];
    case 'type': {
      const said = `${where} must be ${listOf(params.type)}, and is ${kindOf(value)}`;
      return params.type === 'string' && isScalar(value) ? [said, `Write it in quotes: "${value}".`] : [said];
    }
    case 'enum':
    case 'const':
      return [`${where} is ${kindOf(value)}`, `Allowed: ${listOf(params.allowedValues ?? params.allowedValue)}.`];
    case 'not':
      return [`${where} has more than one of ${listOf(valueAt(schema, ['required']))}`];
    default:
      return [`${where} ${message}`];
  }
};
