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

const typeOf = (value: unknown): Type =>
  value === null ? 'null' : isArray(value) ? 'array' : isObject(value) ? 'object' : (typeof value as Type);

/** Schemas that apply to one value: plain ones, and the alternatives of each union. */
interface Conjunction {
  readonly all: readonly JsonObject[];
  readonly unions: readonly (readonly unknown[])[];
  /** Whether one of them is `false`. */
  readonly never: boolean;
}

type Registry = Readonly<Record<string, unknown>>;

/** Resolves references and flattens `allOf`. */
const conjunctionOf = (schemas: readonly unknown[], registry: Registry): Conjunction => {
  const all = new Set<JsonObject>();
  const unions: (readonly unknown[])[] = [];
  let never = false;
  const visit = (schema: unknown): void => {
    if (schema === false) never = true;
    if (!isObject(schema) || all.has(schema)) return;
    all.add(schema);
    const { $ref, allOf, anyOf, oneOf } = schema;
    if (typeof $ref === 'string' && Object.hasOwn(registry, $ref)) visit(registry[$ref]);
    if (isArray(allOf)) for (const each of allOf) visit(each);
    for (const union of [anyOf, oneOf]) if (isArray(union) && union.length > 0) unions.push(union);
  };
  for (const schema of schemas) visit(schema);
  return { all: [...all], unions, never };
};

const memberSchemas = (all: readonly JsonObject[], name: string): readonly unknown[] =>
  all.flatMap(({ properties, patternProperties, additionalProperties }) => {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    // An unreadable pattern may match any name.
    const matching = Object.entries(isObject(patternProperties) ? patternProperties : {}).flatMap(([pattern, each]) =>
      (readPattern(pattern)?.test(name) ?? true) ? [each] : [],
    );
    const named = [...own, ...matching];
    return named.length > 0 || additionalProperties === undefined ? named : [additionalProperties];
  });

const itemSchemas = (all: readonly JsonObject[], index: number): readonly unknown[] =>
  all.flatMap(({ prefixItems, items }) => {
    if (isArray(prefixItems) && index < prefixItems.length) return [prefixItems[index]];
    return items === undefined || isArray(items) ? [] : [items];
  });

/** Whether the types of a schema allow a value of this type. */
const admits = ({ type: stated }: JsonObject, type: Type, value?: unknown): boolean => {
  const allowed = isArray(stated) ? stated : [stated ?? type];
  if (allowed.includes(type)) return true;
  return type === 'number' && allowed.includes('integer') && (value === undefined || Number.isInteger(value));
};

const allowedValues = (schema: JsonObject): readonly unknown[] | undefined =>
  'const' in schema ? [schema.const] : isArray(schema.enum) ? schema.enum : undefined;

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

const greatestOf = (all: readonly JsonObject[], keyword: string): number =>
  Math.max(...all.flatMap(({ [keyword]: bound }) => (typeof bound === 'number' ? [bound] : [])));

const leastOf = (all: readonly JsonObject[], keyword: string): number =>
  Math.min(...all.flatMap(({ [keyword]: bound }) => (typeof bound === 'number' ? [bound] : [])));

const tooManyMembers = 'it asks for more members than it allows';

/** Pairs of bounds, by the type of the values that they limit. */
const bounds: Readonly<Partial<Record<Type, readonly [least: string, greatest: string, words: string]>>> = {
  string: ['minLength', 'maxLength', 'its least length is more than its most'],
  array: ['minItems', 'maxItems', 'its least number of items is more than its most'],
  object: ['minProperties', 'maxProperties', tooManyMembers],
};

const noNumber = (all: readonly JsonObject[]): boolean => {
  const [above, below] = [greatestOf(all, 'exclusiveMinimum'), leastOf(all, 'exclusiveMaximum')];
  const [low, high] = [Math.max(above, greatestOf(all, 'minimum')), Math.min(below, leastOf(all, 'maximum'))];
  return low > high || (low === high && (above === low || below === high));
};

/** Maximum combinations of alternatives to try. */
const most = 3_000;

/**
 * Searches for contradictions in schemas of one registry: why no value fits all of some
 * schemas, `undefined` where one may.
 */
class Contradictions {
  readonly #registry: Registry;
  readonly #ids = new Map<JsonObject, number>();
  readonly #known = new Set<string>();
  readonly #underWay = new Set<string>();
  #left = 0;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  of(schemas: readonly unknown[]): string | undefined {
    this.#left = most;
    this.#underWay.clear();
    return this.#contradiction(schemas);
  }

  #nameOf(all: readonly JsonObject[]): string {
    for (const schema of all) if (!this.#ids.has(schema)) this.#ids.set(schema, this.#ids.size);
    return all
      .map((schema) => this.#ids.get(schema))
      .sort()
      .join();
  }

  /** The first reason, where there is one against each. */
  #againstEach<T>(all: readonly T[], reasonOf: (one: T) => string | undefined): string | undefined {
    let first: string | undefined;
    for (const one of all) {
      const reason = reasonOf(one);
      if (reason === undefined || this.#left < 0) return undefined;
      first ??= reason;
    }
    return first;
  }

  #contradiction(schemas: readonly unknown[]): string | undefined {
    this.#left -= 1;
    if (this.#left < 0) return undefined;
    const { all, unions, never } = conjunctionOf(schemas, this.#registry);
    if (never) return 'it is false';
    const name = this.#nameOf(all);
    if (this.#known.has(name)) return undefined;
    // No finite value contains one like itself.
    if (this.#underWay.has(name)) return 'it asks for a value like itself in each value';
    this.#underWay.add(name);
    const reason = this.#chosen(all, unions);
    this.#underWay.delete(name);
    if (reason === undefined) this.#known.add(name);
    return reason;
  }

  /** Tries one alternative of each union. */
  #chosen(
    all: readonly JsonObject[],
    unions: readonly (readonly unknown[])[],
    done: ReadonlySet<readonly unknown[]> = new Set(),
  ): string | undefined {
    const own = this.#plain(all);
    const [first, ...others] = unions.filter((union) => !done.has(union));
    if (own !== undefined || !first) return own;
    const reason = this.#againstEach(first, (alternative) => {
      const more = conjunctionOf([alternative], this.#registry);
      return more.never
        ? 'it is false'
        : this.#chosen([...all, ...more.all], [...others, ...more.unions], new Set([...done, first]));
    });
    return reason && `each alternative is excluded: ${reason}`;
  }

  /** Checks schemas without their unions. */
  #plain(all: readonly JsonObject[]): string | undefined {
    this.#left -= 1;
    if (this.#left < 0) return undefined;
    const lists = all.flatMap((schema) => {
      const list = allowedValues(schema);
      return list ? [list] : [];
    });
    const isAllowed = (value: unknown): boolean =>
      lists.every((list) => list.some((each) => same(each, value))) &&
      all.every((schema) => admits(schema, typeOf(value), value));
    if (lists.length > 0)
      return lists.flat().some(isAllowed) ? undefined : 'none of the values that it lists is allowed by the rest of it';
    const possible = types.filter((type) => all.every((schema) => admits(schema, type)));
    return possible.length === 0
      ? 'its types exclude each other'
      : this.#againstEach(possible, (type) => this.#ofType(type, all));
  }

  #ofType(type: Type, all: readonly JsonObject[]): string | undefined {
    const [least = '', greatest = '', words] = bounds[type] ?? [];
    if (greatestOf(all, least) > leastOf(all, greatest)) return words;
    if (type === 'number') return noNumber(all) ? 'its bounds exclude each other' : undefined;
    if (type === 'array') {
      const item = greatestOf(all, 'minItems') > 0 ? this.#contradiction(itemSchemas(all, 0)) : undefined;
      return item && `it asks for an item, and none is allowed: ${item}`;
    }
    return type === 'object' ? this.#ofObjects(all) : undefined;
  }

  #ofObjects(all: readonly JsonObject[]): string | undefined {
    const names = new Set(all.flatMap(({ required }) => (isArray(required) ? required : [])));
    if (names.size > leastOf(all, 'maxProperties')) return tooManyMembers;
    for (const name of names) {
      const found = this.#contradiction(memberSchemas(all, String(name)));
      if (found !== undefined) return `it asks for the member ${JSON.stringify(name)}, and none is allowed: ${found}`;
    }
    return undefined;
  }
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

/** Most alternatives that are followed at one place, of all unions around it. */
const mostWays = 100;

/**
 * The first place on the path of an error where the schema allows no value, or where no alternative
 * fits and one of them allows no value, there or further down. The document is at fault there.
 */
export const contradictionAt = (
  errors: readonly ErrorObject[],
  body: unknown,
  { schema, registry }: { readonly schema: unknown; readonly registry: Registry },
): Pick<ValidationMessage, 'pointer' | 'message'> | undefined => {
  const contradictions = new Contradictions(registry);
  const unfit = new Set(errors.filter(isUnion).map(({ instancePath }) => instancePath));
  /** The schemas that apply by each alternative of the unions that do not fit. */
  const alternativesIn = (schemas: readonly unknown[], pointer: string): readonly (readonly unknown[])[] =>
    unfit.has(pointer)
      ? conjunctionOf(schemas, registry).unions.flatMap((each) => each.map((one) => [...schemas, one]))
      : [];
  const seen = new Set<string>();
  for (const { instancePath } of errors) {
    let ways: readonly (readonly unknown[])[] = [[schema]];
    let value = body;
    let pointer = '';
    for (const key of [...plainPathOf(instancePath), undefined]) {
      const among = ways.flatMap((way) => alternativesIn(way, pointer)).slice(0, mostWays);
      for (const way of seen.has(pointer) ? [] : [...ways, ...among]) {
        const reason = contradictions.of(way);
        if (reason === undefined) continue;
        const said = way === ways[0] ? reason : `one of its alternatives, ${reason}`;
        return { pointer, message: `has a schema there that no value fits (${said})` };
      }
      seen.add(pointer);
      if (key === undefined) break;
      ways = [...ways, ...among].flatMap((way) => {
        const all = applicableSchemas(way, value, registry);
        const inside = isArray(value) ? itemSchemas(all, Number(key)) : memberSchemas(all, String(key));
        return inside.length > 0 || way === ways[0] ? [inside] : [];
      });
      value = child(value, key);
      pointer += pointerOf([key]);
    }
  }
  return undefined;
};
