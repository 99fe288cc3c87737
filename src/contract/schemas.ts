import type { Node, References } from './references.js';
import { child, isArray, isObject, pointerOf } from './tree.js';

/** Keywords whose value is a map of names to schemas: names inside are no keywords. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is data, where `$ref` is a member like any other. */
const data = new Set(['const', 'enum', 'default', 'example', 'examples']);

type Converted = Record<string, unknown>;

/** Members that requests alone need: a `writeOnly` one is never in an answer (OpenAPI 3.0, section 4.7.24.2). */
const requiredInAnswers = ({ required, properties }: Converted): unknown =>
  isArray(required)
    ? required.filter((name) => child(child(properties, String(name)), 'writeOnly') !== true)
    : required;

/**
 * OpenAPI 3.0 says `nullable: true` and boolean bounds; JSON Schema 2020-12 says that null is a type and number bounds.
 * Documents of 3.1 that still write them mean the same.
 */
const modernise = (schema: Converted): Converted => {
  const { nullable, ...rest } = schema;
  if (rest.required !== undefined) rest.required = requiredInAnswers(schema);
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (rest[exclusive] === true) {
      rest[exclusive] = rest[bound];
      delete rest[bound];
    }
    if (typeof rest[exclusive] === 'boolean' || rest[exclusive] === undefined) delete rest[exclusive];
  }
  return nullable === true ? orNull(rest) : rest;
};

/** Keywords that may refuse null whatever the type beside them says. */
const demands = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'const', '$ref'] as const;

/**
 * OpenAPI 3.0.3 gives `nullable` a meaning beside `type` alone, after years in which 3.0 said "allows sending a null value"
 * and no more; generators write it beside `allOf`, `$ref` and `enum` for just that. So null always fits.
 */
const orNull = (schema: Converted): Converted => {
  if (typeof schema.type !== 'string' || demands.some((keyword) => schema[keyword] !== undefined))
    return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}),
  };
};

/**
 * Turns schemas of the document into JSON Schema 2020-12 with `$ref`s that name entries of `registry`. Work is done
 * when a schema is asked for, because most runs never look at most of them.
 */
export class Schemas {
  readonly #root: Node;
  readonly #references: References;
  readonly #old: boolean;
  readonly #registry: Converted = {};

  constructor(root: Node, references: References, old: boolean) {
    this.#root = root;
    this.#references = references;
    this.#old = old;
  }

  /** Every schema that a `$ref` of an asked-for schema leads to, directly or not, by that `$ref`. */
  get registry(): Readonly<Converted> {
    return this.#registry;
  }

  portable(node: Node): unknown {
    return this.#convert(node.value, node);
  }

  #convert(value: unknown, from: Node): unknown {
    if (isArray(value)) return value.map((item) => this.#convert(item, from));
    if (!isObject(value)) return value;
    const converted: Converted = {};
    for (const [keyword, member] of Object.entries(value)) {
      if (data.has(keyword) || keyword.startsWith('x-')) converted[keyword] = member;
      else if (maps.has(keyword) && isObject(member))
        converted[keyword] = Object.fromEntries(
          Object.entries(member).map(([name, schema]) => [name, this.#convert(schema, from)]),
        );
      else converted[keyword] = this.#convert(member, from);
    }
    if (typeof value.$ref === 'string') {
      const name = this.#register(from, value.$ref);
      // In OpenAPI 3.0 a reference stands alone and what stands beside it is ignored; but see `orNull`.
      if (this.#old) return value.nullable === true ? orNull({ $ref: name }) : { $ref: name };
      converted.$ref = name;
    }
    return modernise(converted);
  }

  #register(from: Node, reference: string): string {
    const target = this.#references.find(from, reference);
    if (!target) return reference;
    const file = target.source === this.#root.source ? '' : target.source.file;
    const name = `${file}#${pointerOf(target.path)}`;
    if (!Object.hasOwn(this.#registry, name)) {
      this.#registry[name] = true;
      this.#registry[name] = this.#convert(target.value, target);
    }
    return name;
  }
}
