import { isObject, orUndefined, wordsIn } from '../collections.js';

/** Helpers for parsed JSON and YAML. */

export type ValuePath = readonly (string | number)[];

export type JsonObject = Readonly<Record<string, unknown>>;

export const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** A text; YAML reads the version 1.0 as a number. Empty for anything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * The own member of an object or item of an array, else `undefined`. Inherited names do not count.
 */
export const child = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;

/** A pointer without the numbers of rows: `/data/0/id` becomes `/data/-/id`. */
export const inAnyRow = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/-');

/** Sets an own member, also one named `__proto__`. */
export const setMember = (into: Record<string | number, unknown>, name: string | number, value: unknown): void => {
  if (name in into) Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  else into[name] = value;
};

export const valueAt = (value: unknown, path: ValuePath): unknown => {
  let current = value;
  for (const key of path) current = child(current, key);
  return current;
};

/**
 * The path of a value that more than `most` objects and lists are around. The recursion ends there:
 * whatever goes deeper may overflow the stack.
 */
export const tooDeepIn = (value: unknown, most: number): ValuePath | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (most === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const below = tooDeepIn(member, most - 1);
    if (below) return [key, ...below];
  }
  return undefined;
};

/** JSON Pointer (RFC 6901) of a path. */
export const pointerOf = (path: ValuePath): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** A reference token of a JSON Pointer without its escapes (RFC 6901, section 4). */
const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Path of a JSON Pointer that stands in JSON: nothing is percent-decoded. */
export const plainPathOf = (pointer: string): ValuePath => pointer.split('/').slice(1).map(unescaped);

/** Path of a JSON Pointer, percent-decoded; `undefined` when it is none. */
export const pathOfPointer = (pointer: string): ValuePath | undefined => {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  const tokens = pointer.slice(1).split('/');
  return orUndefined(() => tokens.map((token) => unescaped(decodeURIComponent(token))));
};

/** Keywords whose value maps names to schemas: the names are no keywords. */
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Members that map names to objects: the names are no keywords. */
const mapsOfNames = new Set([
  ...schemaMaps,
  ...wordsIn(`
  paths webhooks responses schemas parameters headers requestBodies securitySchemes links callbacks pathItems
  content mediaTypes encoding variables
`),
]);

/** Members that hold data: a `$ref` inside is no reference. */
const dataMembers = new Set(
  wordsIn(`
  example examples default enum const value dataValue mapping security
`),
);

/** Visits every object of OpenAPI or JSON Schema once: no data, and no maps of names. */
export const forEachObject = (root: unknown, visit: (value: JsonObject, path: ValuePath) => void): void => {
  const seen = new Set<object>();
  const walk = (value: unknown, path: ValuePath, names: boolean): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (isArray(value))
      for (const [index, item] of value.entries()) if (typeof item === 'object') walk(item, [...path, index], false);
    if (!isObject(value)) return;
    if (!names) visit(value, path);
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'object') continue;
      if (!names && (dataMembers.has(name) || name.startsWith('x-'))) continue;
      walk(member, [...path, name], !names && mapsOfNames.has(name));
    }
  };
  walk(root, [], false);
};
