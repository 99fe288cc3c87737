import type { ErrorObject } from 'ajv';
import { isArray, isObject, isScalar, type Path, pathOf, pointerOf, valueAt } from './json-values.js';

/** Errors of the official OpenAPI schema: which of them a person needs, and what they say. */

/** Keywords that only say that something below them failed. */
const wrappers = new Set(['if', 'anyOf', 'oneOf', 'allOf', 'not', '$ref', 'propertyNames', 'false schema']);

/** The member that an error calls unknown. */
const unknownMember = ({ keyword, params }: ErrorObject): string | undefined => {
  if (keyword === 'additionalProperties') return String(params.additionalProperty);
  return keyword === 'unevaluatedProperties' ? String(params.unevaluatedProperty) : undefined;
};

const isWithin = (pointer: string, outer: string): boolean => pointer === outer || pointer.startsWith(`${outer}/`);

/**
 * Whether an error calls a member unknown only because something at or below that member is wrong:
 * `unevaluatedProperties` knows no member of a subschema that failed.
 */
export const isConsequence = (error: ErrorObject, others: readonly ErrorObject[]): boolean => {
  const name = unknownMember(error);
  if (name === undefined) return false;
  const member = `${error.instancePath}${pointerOf([name])}`;
  return others.some(({ instancePath }) => isWithin(instancePath, member));
};

/** Members by which an object of OpenAPI says which alternative of a `oneOf` it is meant to be. */
const discriminators = ['type', 'in'] as const;

type Alternative = Readonly<Record<string, unknown>>;

const alternativesOf = (oneOf: unknown, root: unknown): readonly Alternative[] =>
  (isArray(oneOf) ? oneOf : []).flatMap((written: unknown) => {
    const reference = isObject(written) ? written.$ref : undefined;
    const found = typeof reference === 'string' ? valueAt(root, pathOf(reference.slice(1)) ?? []) : written;
    return isObject(found) ? [found] : [];
  });

/** The values that an alternative allows for a member; `undefined` where it allows any. */
const allowedFor = (alternative: Alternative, member: string): readonly unknown[] | undefined => {
  const schema = valueAt(alternative, ['properties', member]);
  if (!isObject(schema)) return undefined;
  return isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
};

/**
 * Each alternative of a `oneOf` has errors. Drops those of alternatives for another `type` or `in`;
 * where no alternative takes the value, one error says which values all of them take.
 * @param errors with `verbose` and `allErrors`
 * @param root the schema that the errors come from
 */
export const ofMeantAlternative = (errors: readonly ErrorObject[], root: unknown): readonly ErrorObject[] => {
  const dropped = new Set<unknown>();
  const merged: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'oneOf' || error.params.passingSchemas !== null || !isObject(error.data)) continue;
    const alternatives = alternativesOf(error.schema, root);
    const member = discriminators.find((name) => alternatives.every((each) => allowedFor(each, name)));
    if (member === undefined || error.data[member] === undefined) continue;
    const value = error.data[member];
    const others = alternatives.filter((each) => !allowedFor(each, member)?.includes(value));
    for (const other of others) {
      const schemas = [other, ...Object.values(isObject(other.properties) ? other.properties : {})];
      for (const each of errors)
        if (isWithin(each.instancePath, error.instancePath) && schemas.includes(each.parentSchema)) dropped.add(each);
    }
    const allowedValues = alternatives.flatMap((each) => allowedFor(each, member) ?? []);
    if (others.length === alternatives.length)
      merged.push({
        ...error,
        instancePath: `${error.instancePath}/${member}`,
        keyword: 'enum',
        params: { allowedValues },
      });
  }
  return [...errors.filter((error) => !dropped.has(error)), ...merged];
};

/**
 * Nobody meant a reference; and responses lack `default` only where nothing else is wrong with
 * them.
 */
const isSecondary = ({ keyword, params, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean =>
  keyword === 'required' &&
  (params.missingProperty === '$ref' ||
    (params.missingProperty === 'default' &&
      all.some((other) => other.instancePath === instancePath && other.keyword !== 'required')));

/** What has the wrong type needs no other error; a missing member may follow from another one. */
const rank = ({ keyword }: ErrorObject): number => (keyword === 'type' ? 0 : keyword === 'required' ? 2 : 1);

/**
 * The errors that a person needs, of all that one mistake causes: the innermost, and one a place.
 */
export const relevantErrors = (errors: readonly ErrorObject[]): readonly ErrorObject[] => {
  const candidates = errors.filter((error, _index, all) => !wrappers.has(error.keyword) && !isSecondary(error, all));
  const faults = candidates.filter((error) => unknownMember(error) === undefined);
  const innermost = faults.filter(
    ({ instancePath }) => !faults.some((other) => other.instancePath.startsWith(`${instancePath}/`)),
  );
  const byPlace = new Map(
    innermost
      .toReversed()
      .toSorted((a, b) => rank(b) - rank(a))
      .map((error) => [error.instancePath, error]),
  );
  const unknown = candidates.filter(
    (error) =>
      unknownMember(error) !== undefined &&
      !faults.some(({ instancePath }) => isWithin(instancePath, error.instancePath)) &&
      !isConsequence(error, candidates),
  );
  return [...innermost.filter((error) => byPlace.get(error.instancePath) === error), ...unknown];
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return isScalar(value) ? `the ${typeof value} ${JSON.stringify(value)}` : typeof value;
};

const listOf = (values: unknown): string =>
  isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
    : String(values);

/** Names that the schema of an object knows. */
const allowedNames = ({ parentSchema }: ErrorObject): readonly string[] => [
  ...Object.keys(isObject(parentSchema?.properties) ? parentSchema.properties : {}),
  ...Object.keys(isObject(parentSchema?.patternProperties) ? parentSchema.patternProperties : {}).map(
    (pattern) => `names like ${pattern}`,
  ),
];

/** What an error is about: a member by its name, an item of a list by its own where it has one. */
const nameOf = (path: Path, value: unknown): string => {
  const last = path.at(-1);
  if (last === undefined) return 'the document';
  const own = /^\d+$/.test(String(last)) && isObject(value) ? value.name : undefined;
  return `"${typeof own === 'string' ? own : String(last)}"`;
};

/** An error in words, and where in the document it belongs. */
export interface DescribedError {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

const describeUnknown = (error: ErrorObject, name: string, path: Path, where: string): DescribedError => {
  if (path.at(-1) === 'responses' && path.length > 2)
    return {
      path: [...path, name],
      message: `the key "${name}" of "responses" is no status`,
      hint: `${/^[1-5]xx$/i.test(name) ? `Write "${name.toUpperCase()}": the range is spelt with capitals. ` : ''}Allowed: a status such as "200", a range such as "2XX", "default".`,
    };
  const allowed = allowedNames(error);
  const message = `"${name}" is not allowed in ${where}`;
  if (allowed.length === 0) return { path: [...path, name], message };
  return { path: [...path, name], message, hint: `Allowed: ${allowed.join(', ')}.` };
};

/** @param value the value at `path`, which is where the error says that something is wrong */
export const describeError = (error: ErrorObject, path: Path, value: unknown): DescribedError => {
  const where = nameOf(path, value);
  const { keyword, params } = error;
  const name = unknownMember(error);
  if (name !== undefined) return describeUnknown(error, name, path, where);
  switch (keyword) {
    case 'required':
      return { path, message: `${where} lacks "${String(params.missingProperty)}"` };
    case 'type': {
      const message = `${where} must be ${listOf(params.type)}, and is ${kindOf(value)}`;
      const quotes = params.type === 'string' && isScalar(value);
      return quotes ? { path, message, hint: `Write it in quotes: "${String(value)}".` } : { path, message };
    }
    case 'enum':
      return { path, message: `${where} is ${kindOf(value)}`, hint: `Allowed: ${listOf(params.allowedValues)}.` };
    case 'const':
      return { path, message: `${where} must be ${JSON.stringify(params.allowedValue)}, and is ${kindOf(value)}` };
    case 'pattern':
      return { path, message: `${where} must match ${String(params.pattern)}, and is ${kindOf(value)}` };
    default:
      return { path, message: `${where} ${error.message ?? 'does not fit the OpenAPI schema'}` };
  }
};
