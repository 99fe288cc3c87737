import { isObject, lazy } from '../collections.js';
import { child, isArray, type JsonObject, pointerOf, schemaMaps, type ValuePath } from './json-values.js';
import { childNode, type Node, nodeAt, positionOf } from './node.js';
import type { References } from './references.js';
import {
  discriminatedKeyword,
  isPart,
  requiresWriteOnly,
  unsupportedSchema,
  whyUnsupported,
  writeOnlyNames,
} from './schema-parts.js';

/** The alternatives of a schema, and the member that selects one. */
interface Union {
  readonly keyword: 'oneOf' | 'anyOf';
  readonly member: string;
  /** `$ref` of an alternative by the member's value. */
  readonly references: ReadonlyMap<string, string>;
}

const isName = (text: string): boolean => /^[\w.-]+$/.test(text);

/** The implicit name of a schema: the last segment of its pointer. */
const impliedName = (target: Node): string | undefined => {
  const last = target.path.at(-1);
  return target.path.at(-2) === 'schemas' && typeof last === 'string' ? last : undefined;
};

/**
 * The union that a `discriminator` makes of `oneOf` or `anyOf` (OpenAPI 3.0, section 4.7.25). A
 * discriminator without either does not affect validation (OpenAPI 3.1.1, section 4.8.25.1).
 */
const unionOf = (schema: Node, references: References): Union | undefined => {
  const { value } = schema;
  if (!isObject(value)) return undefined;
  const member = child(value.discriminator, 'propertyName');
  const keyword = isArray(value.oneOf) ? 'oneOf' : 'anyOf';
  const branches = value[keyword];
  if (typeof member !== 'string' || !isArray(branches)) return undefined;
  const found = new Map<string, string>();
  for (const [index, branch] of branches.entries()) {
    const reference = child(branch, '$ref');
    if (typeof reference !== 'string') continue;
    const target = references.find(nodeAt(schema, [keyword, index]), reference);
    const name = target && impliedName(target);
    if (name !== undefined) found.set(name, reference);
  }
  const mapping = child(value.discriminator, 'mapping');
  for (const [name, text] of Object.entries(isObject(mapping) ? mapping : {})) {
    if (typeof text !== 'string') continue;
    // A mapping value may be a name or a URI; a component of that name wins.
    const component = `#${pointerOf(['components', 'schemas', text])}`;
    const reference = isName(text) && references.find(schema, component) ? component : text;
    if (references.find(schema, reference)) found.set(name, reference);
    else found.delete(name);
  }
  return { keyword, member, references: found };
};

/**
 * A union as JSON Schema. A body that names an alternative must fit that one; any other must fit at
 * least one. Alternatives often share every member, so more than one may fit.
 * @param branches the alternatives
 * @param named the schema for each value of `member`
 */
const unionSchema = (
  member: string,
  branches: unknown,
  named: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> => {
  if (named.size === 0) return { anyOf: branches };
  const says = (test: object): object => ({
    type: 'object',
    required: [member],
    properties: { [member]: test },
  });
  const own = [...named].map(([name, then]) => ({ if: says({ const: name }), then }));
  const then = { allOf: own };
  return { [discriminatedKeyword]: true, if: says({ enum: [...named.keys()] }), then, else: { anyOf: branches } };
};

/** Keywords whose value is data, where `$ref` is a member like any other. */
const dataKeywords = new Set(['const', 'enum', 'default', 'example', 'examples', 'discriminator']);

type Converted = Record<string, unknown>;

/** What enclosing schemas said about the same value. */
interface EnclosingSchemas {
  /** Names of `writeOnly` members, which no response contains. */
  readonly writeOnly: readonly string[];
  /** Registry names of the discriminated unions that led here, sorted. */
  readonly unions: readonly string[];
}

const emptyContext: EnclosingSchemas = { writeOnly: [], unions: [] };

/**
 * Converts `nullable` and boolean exclusive bounds of OpenAPI 3.0 to 2020-12. Some 3.1 documents
 * still use them.
 */
const toJsonSchema2020 = (schema: Converted): Converted => {
  const { nullable, ...rest } = schema;
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
  // Converters keep Swagger's `x-nullable`; a null in `enum` is meant to be allowed.
  const listed = typeof rest.type === 'string' && isArray(rest.enum) && rest.enum.includes(null);
  return nullable === true || rest['x-nullable'] === true || listed ? allowNull(rest) : rest;
};

/** Keywords that may reject null whatever `type` says. */
const demands = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'const', '$ref'] as const;

/**
 * Allows null. OpenAPI 3.0.3 defines `nullable` beside `type` only; generators also write it beside
 * `allOf`, `$ref` and `enum`.
 */
const allowNull = (schema: Converted): Converted => {
  if (typeof schema.type !== 'string' || demands.some((keyword) => schema[keyword] !== undefined))
    return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}),
  };
};

/**
 * Whether the schema has a discriminator for children that name it by `allOf` (OpenAPI 3.1.1,
 * section 4.8.25.1).
 */
const isParent = ({ discriminator, oneOf, anyOf }: JsonObject): boolean =>
  isObject(discriminator) && oneOf === undefined && anyOf === undefined;

/** Moves a converted keyword into `allOf`, so that it does not clash with other keywords. */
const moveIntoAllOf = (schema: Converted, keyword: string, make: (value: unknown) => unknown): void => {
  const made = make(schema[keyword]);
  delete schema[keyword];
  schema.allOf = [...(isArray(schema.allOf) ? schema.allOf : []), made];
};

/**
 * Converts schemas of the document to JSON Schema 2020-12, with `$ref`s that are keys of
 * `registry`. Schemas are converted on demand, since most runs use few of them.
 * @param invalidPaths where schemas of the document are invalid
 */
export class SchemaConverter {
  readonly #root: Node;
  readonly #references: References;
  readonly #isVersion30: boolean;
  /**
   * Every referenced schema by its `$ref`. A schema that is reached in several contexts has an
   * entry for each.
   */
  readonly registry: Converted = {};
  /** References still to convert: a chain may be longer than the call stack. */
  readonly #waiting: { readonly name: string; readonly target: Node; readonly around: EnclosingSchemas }[] = [];
  /** Skips the search in documents without `writeOnly`. */
  readonly #hasWriteOnly = lazy(() => this.#references.sources.some(({ bytes }) => bytes.includes('writeOnly')));
  /** Invalid places, by the pointer of each value around them. */
  readonly #invalidAt: ReadonlyMap<string, ValuePath>;

  constructor(
    root: Node,
    references: References,
    { isVersion30, invalidPaths }: { isVersion30: boolean; invalidPaths: readonly ValuePath[] },
  ) {
    this.#root = root;
    this.#references = references;
    this.#isVersion30 = isVersion30;
    this.#invalidAt = new Map(
      invalidPaths.flatMap((invalid) =>
        invalid.map((_, index) => [pointerOf(invalid.slice(0, index + 1)), invalid] as const),
      ),
    );
  }

  portable(node: Node): unknown {
    const converted = this.#convert(node, emptyContext);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop())
      this.registry[next.name] = this.#convert(next.target, next.around);
    return converted;
  }

  #convert(node: Node, around: EnclosingSchemas): unknown {
    const { value } = node;
    const invalid = this.#invalidPathAt(node);
    if (invalid)
      return unsupportedSchema(`line ${positionOf({ ...this.#root, path: invalid }).line} does not fit OpenAPI`);
    if (isArray(value)) return value.map((_, index) => this.#convert(childNode(node, index), around));
    if (!isObject(value)) return value;
    const unsupported = this.#isVersion30 ? undefined : whyUnsupported(value, node, this.#root);
    if (unsupported !== undefined) return unsupportedSchema(unsupported);
    const ignoresSiblings = typeof value.$ref === 'string' && this.#isVersion30;
    const union = value.discriminator === undefined ? undefined : unionOf(node, this.#references);
    const own = this.#hasWriteOnly() ? writeOnlyNames(node, this.#references) : [];
    const inside: EnclosingSchemas = {
      writeOnly: [...new Set([...around.writeOnly, ...own])].sort(),
      unions: union ? [...new Set([...around.unions, this.#nameOf(node)])].sort() : around.unions,
    };
    const converted: Converted = {};
    for (const [keyword, member] of Object.entries(value)) {
      const at = childNode(node, keyword);
      if (dataKeywords.has(keyword) || keyword.startsWith('x-')) converted[keyword] = member;
      else if (schemaMaps.has(keyword) && isObject(member))
        converted[keyword] = Object.fromEntries(
          Object.keys(member).map((name) => [name, this.#convert(childNode(at, name), emptyContext)]),
        );
      else converted[keyword] = this.#convert(at, isPart(keyword) || keyword === '$ref' ? inside : emptyContext);
    }
    if (isArray(value.required))
      converted.required = value.required.filter((name) => !inside.writeOnly.some((other) => other === name));
    if (typeof value.$ref === 'string') {
      const reference = this.#schemaOf(node, value.$ref, inside);
      // In OpenAPI 3.0, siblings of `$ref` are ignored; but see `allowNull`.
      if (ignoresSiblings) return value.nullable === true ? allowNull(reference) : reference;
      delete converted.$ref;
      Object.assign(converted, reference);
    }
    // Generators close every schema; a parent closed to its children's members is a mistake.
    if (isParent(value) && value.additionalProperties === false) delete converted.additionalProperties;
    if (union) {
      const named = [...union.references].map(
        ([name, reference]) => [name, this.#schemaOf(node, reference, inside)] as const,
      );
      moveIntoAllOf(converted, union.keyword, (branches) => unionSchema(union.member, branches, new Map(named)));
    } else if (requiresWriteOnly(inside.writeOnly, childNode(node, 'oneOf'), this.#references))
      moveIntoAllOf(converted, 'oneOf', (branches) => ({ anyOf: branches }));
    return toJsonSchema2020(converted);
  }

  #invalidPathAt({ source, path }: Node): ValuePath | undefined {
    return this.#invalidAt.size > 0 && source === this.#root.source ? this.#invalidAt.get(pointerOf(path)) : undefined;
  }

  #nameOf(node: Node): string {
    return `${node.source === this.#root.source ? '' : node.source.file}#${pointerOf(node.path)}`;
  }

  /** The schema that `reference` in `from` leads to. */
  #schemaOf(from: Node, reference: string, around: EnclosingSchemas): Converted {
    const target = this.#references.find(from, reference);
    return target ? this.#to(target, around) : { $ref: reference };
  }

  #to(target: Node, around: EnclosingSchemas): Converted {
    const plain = this.#nameOf(target);
    // An alternative that extends its own union adds to what the union already demands.
    if (around.unions.includes(plain)) return {};
    const { writeOnly, unions } = around;
    const name = writeOnly.length + unions.length > 0 ? `${plain} ${JSON.stringify([writeOnly, unions])}` : plain;
    if (!Object.hasOwn(this.registry, name)) {
      this.registry[name] = true;
      this.#waiting.push({ name, target, around });
    }
    return { $ref: name };
  }
}
