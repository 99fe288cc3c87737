import type { ErrorObject } from 'ajv';
import { isObject } from '../collections.js';
import { child, isArray, type JsonObject, plainPathOf, pointerOf } from './json-values.js';
import { readPattern } from './schema-parts.js';
import { isUnion, type ValidationMessage } from './validation-messages.js';

/**
 * Finds schemas that allow no value, by keywords that exclude each other. Whatever it does not
 * understand (`not`, `if`, patterns) is taken to allow some value.
 */

const types = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
type Type = (typeof types)[number];

export const typeOf = (value: unknown): Type =>
  value === null ? 'null' : isArray(value) ? 'array' : isObject(value) ? 'object' : (typeof value as Type);

/** Schemas that apply to one value: plain ones, and the alternatives of each union. */
export interface Conjunction {
  readonly all: readonly JsonObject[];
  readonly unions: readonly (readonly unknown[])[];
  /** Whether one of them is `false`. */
  readonly never: boolean;
}

export type Registry = Readonly<Record<string, unknown>>;

/** Resolves references and flattens `allOf`. */
export const conjunctionOf = (schemas: readonly unknown[], registry: Registry): Conjunction => {
  const all: JsonObject[] = [];
  const unions: (readonly unknown[])[] = [];
  const seen = new Set<unknown>();
  let never = false;
  const visit = (schema: unknown): void => {
    if (schema === false) never = true;
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    all.push(schema);
    const { $ref, allOf, anyOf, oneOf } = schema;
    if (typeof $ref === 'string' && Object.hasOwn(registry, $ref)) visit(registry[$ref]);
    if (isArray(allOf)) for (const each of allOf) visit(each);
    for (const union of [anyOf, oneOf]) if (isArray(union) && union.length > 0) unions.push(union);
  };
  for (const schema of schemas) visit(schema);
  return { all, unions, never };
};

/** The schemas for the member `name`. */
export const memberSchemas = (all: readonly JsonObject[], name: string): readonly unknown[] =>
  all.flatMap((schema) => {
    const { properties, patternProperties, additionalProperties } = schema;
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const matching = Object.entries(isObject(patternProperties) ? patternProperties : {}).filter(
      // An unreadable pattern may match any name.
      ([pattern]) => readPattern(pattern)?.test(name) ?? true,
    );
    const named = [...own, ...matching.map(([, each]) => each)];
    return named.length > 0 || additionalProperties === undefined ? named : [additionalProperties];
  });

/** The schemas for the item at `index`. */
export const itemSchemas = (all: readonly JsonObject[], index: number): readonly unknown[] =>
  all.flatMap(({ prefixItems, items }) => {
    if (isArray(prefixItems) && index < prefixItems.length) return [prefixItems[index]];
    return items === undefined || isArray(items) ? [] : [items];
  });

const allowedTypes = ({ type }: JsonObject): readonly string[] | undefined =>
  typeof type === 'string' ? [type] : isArray(type) ? type.map(String) : undefined;

/** Whether the types of a schema allow a value of this type. */
export const admits = (schema: JsonObject, type: Type, value?: unknown): boolean => {
  const allowed = allowedTypes(schema);
  if (!allowed || allowed.includes(type)) return true;
  return type === 'number' && allowed.includes('integer') && (value === undefined || Number.isInteger(value));
};

const valuesOf = (schema: JsonObject): readonly unknown[] | undefined =>
  'const' in schema ? [schema.const] : isArray(schema.enum) ? schema.enum : undefined;

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const extremeOf = (all: readonly JsonObject[], keyword: string, of: (...values: number[]) => number): number =>
  of(...all.flatMap((schema) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : [])));

const boundsCross = (all: readonly JsonObject[], least: string, greatest: string): boolean =>
  extremeOf(all, least, Math.max) > extremeOf(all, greatest, Math.min);

const noNumber = (all: readonly JsonObject[]): boolean => {
  const [low, above] = [extremeOf(all, 'minimum', Math.max), extremeOf(all, 'exclusiveMinimum', Math.max)];
  const [high, below] = [extremeOf(all, 'maximum', Math.min), extremeOf(all, 'exclusiveMaximum', Math.min)];
  return (
    Math.max(low, above) > Math.min(high, below) || (above >= Math.min(high, below) && above > low) || below <= low
  );
};

/** Maximum combinations of alternatives to try. */
const most = 3_000;

/** Finds contradictions in the schemas of one registry. */
export class Satisfiable {
  readonly #registry: Registry;
  readonly #ids = new Map<JsonObject, number>();
  readonly #known = new Set<string>();
  readonly #underWay = new Set<string>();
  #left = 0;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Why no value fits all of these schemas; `undefined` where one may. */
  contradictionIn(schemas: readonly unknown[]): string | undefined {
    this.#left = most;
    this.#underWay.clear();
    return this.#contradiction(schemas);
  }

  #contradiction(schemas: readonly unknown[]): string | undefined {
    this.#left -= 1;
    if (this.#left < 0) return undefined;
    const { all, unions, never } = conjunctionOf(schemas, this.#registry);
    if (never) return 'it is false';
    const key = all
      .map((schema) => this.#idOf(schema))
      .sort((a, b) => a - b)
      .join(',');
    if (this.#known.has(key)) return undefined;
    // No finite value contains one like itself.
    if (this.#underWay.has(key)) return 'it asks for a value like itself in each value';
    this.#underWay.add(key);
    const reason = this.#choose(all, unions);
    this.#underWay.delete(key);
    if (reason === undefined) this.#known.add(key);
    return reason;
  }

  #idOf(schema: JsonObject): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }

  /** Tries one alternative of each union. */
  #choose(
    all: readonly JsonObject[],
    unions: readonly (readonly unknown[])[],
    chosen: ReadonlySet<readonly unknown[]> = new Set(),
  ): string | undefined {
    const own = this.#plain(all);
    const [first, ...others] = unions.filter((union) => !chosen.has(union));
    if (own !== undefined || !first) return own;
    let reason: string | undefined;
    for (const alternative of first) {
      const more = conjunctionOf([alternative], this.#registry);
      const found = more.never
        ? 'it is false'
        : this.#choose([...all, ...more.all], [...others, ...more.unions], new Set([...chosen, first]));
      if (found === undefined || this.#left < 0) return undefined;
      reason ??= found;
    }
    return `each alternative is excluded: ${reason}`;
  }

  /** Checks schemas without their unions. */
  #plain(all: readonly JsonObject[]): string | undefined {
    this.#left -= 1;
    if (this.#left < 0) return undefined;
    const lists = all.flatMap((schema) => {
      const list = valuesOf(schema);
      return list ? [list] : [];
    });
    if (lists.length > 0)
      return lists
        .flat()
        .some(
          (value) =>
            lists.every((list) => list.some((each) => same(each, value))) &&
            all.every((schema) => admits(schema, typeOf(value), value)),
        )
        ? undefined
        : 'none of the values that it lists is allowed by the rest of it';
    const left = types.filter((type) => all.every((schema) => admits(schema, type)));
    if (left.length === 0) return 'its types exclude each other';
    let reason: string | undefined;
    for (const type of left) {
      const found = this.#ofType(type, all);
      if (found === undefined) return undefined;
      reason ??= found;
    }
    return reason;
  }

  #ofType(type: Type, all: readonly JsonObject[]): string | undefined {
    if (type === 'number') return noNumber(all) ? 'its bounds exclude each other' : undefined;
    if (type === 'string')
      return boundsCross(all, 'minLength', 'maxLength') ? 'its least length is more than its most' : undefined;
    if (type === 'array') return this.#ofArrays(all);
    return type === 'object' ? this.#ofObjects(all) : undefined;
  }

  #ofArrays(all: readonly JsonObject[]): string | undefined {
    if (boundsCross(all, 'minItems', 'maxItems')) return 'its least number of items is more than its most';
    if (extremeOf(all, 'minItems', Math.max) <= 0) return undefined;
    const found = this.#contradiction(itemSchemas(all, 0));
    return found === undefined ? undefined : `it asks for an item, and none is allowed: ${found}`;
  }

  #ofObjects(all: readonly JsonObject[]): string | undefined {
    const required = new Set(
      all.flatMap((schema) =>
        isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [],
      ),
    );
    if (required.size > extremeOf(all, 'maxProperties', Math.min) || boundsCross(all, 'minProperties', 'maxProperties'))
      return 'it asks for more members than it allows';
    for (const name of required) {
      const found = this.#contradiction(memberSchemas(all, name));
      if (found !== undefined) return `it asks for the member ${JSON.stringify(name)}, and none is allowed: ${found}`;
    }
    return undefined;
  }
}

/** A schema, and the registry of its references. */
export interface DocumentSchema {
  readonly schema: unknown;
  readonly registry: Registry;
}

const admitsType = (alternative: unknown, value: unknown, registry: Registry): boolean => {
  const { all, never } = conjunctionOf([alternative], registry);
  return !never && all.every((schema) => admits(schema, typeOf(value)));
};

/** All schemas that apply to `value`; of a union, the only alternative that allows its type. */
const applicableSchemas = (schemas: readonly unknown[], value: unknown, registry: Registry): readonly JsonObject[] => {
  const { all, unions } = conjunctionOf(schemas, registry);
  const only = unions.flatMap((union) => {
    const left = union.filter((alternative) => admitsType(alternative, value, registry));
    return left.length === 1 ? left : [];
  });
  return only.length === 0 ? all : [...all, ...conjunctionOf(only, registry).all];
};

/**
 * The first place on the path of an error where the schema allows no value, or where no alternative
 * fits and one of them allows no value. The document is at fault there.
 */
export const contradictionAt = (
  errors: readonly ErrorObject[],
  body: unknown,
  { schema, registry }: DocumentSchema,
): Pick<ValidationMessage, 'pointer' | 'message'> | undefined => {
  const satisfiable = new Satisfiable(registry);
  const contradictionIn = (schemas: readonly unknown[], pointer: string): string | undefined => {
    const own = satisfiable.contradictionIn(schemas);
    if (own !== undefined || !errors.some((error) => error.instancePath === pointer && isUnion(error))) return own;
    const alternatives = conjunctionOf(schemas, registry).unions.flat();
    const [first] = alternatives.flatMap((each) => satisfiable.contradictionIn([...schemas, each]) ?? []);
    return first && `one of its alternatives, ${first}`;
  };
  for (const { instancePath } of errors) {
    let schemas: readonly unknown[] = [schema];
    let value = body;
    let pointer = '';
    for (const key of [...plainPathOf(instancePath), undefined]) {
      const reason = contradictionIn(schemas, pointer);
      if (reason !== undefined) return { pointer, message: `has a schema there that no value fits (${reason})` };
      if (key === undefined) break;
      const all = applicableSchemas(schemas, value, registry);
      schemas = isArray(value) ? itemSchemas(all, Number(key)) : memberSchemas(all, String(key));
      value = child(value, key);
      pointer += pointerOf([key]);
    }
  }
  return undefined;
};
