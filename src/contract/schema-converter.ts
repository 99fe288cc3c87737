import { dialectOf, referenceStandsAlone, saidOtherwise } from './dialects.js';
import { unionOf, unionSchema } from './discriminator.js';
import { type DynamicScope, dynamicTarget, nameOfScope, noScope, scopeInside } from './dynamic-scope.js';
import { isArray, isObject, type JsonObject, type Path, pointerOf } from './json-values.js';
import { childNode, type Node, positionOf, type References } from './references.js';
import { enclosingSchemas } from './tolerated-errors.js';
import { unsupportedSchema } from './unsupported-schema.js';
import { requiresWriteOnly, writeOnlyNames } from './write-only.js';

/** Keywords whose value is a map of names to schemas: names inside are no keywords. */
const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is data, where `$ref` is a member like any other. */
const dataKeywords = new Set(['const', 'enum', 'default', 'example', 'examples', 'discriminator']);
/** Keywords whose schemas demand something of the very value that the schema around them speaks of. */
const applicators = new Set(['allOf', 'anyOf', 'oneOf', 'then', 'else', '$ref']);

type Converted = Record<string, unknown>;

/** What the schemas around a schema have said of the same value. */
interface Context {
  /** Members that no answer holds. */
  readonly writeOnly: readonly string[];
  /** Registry names of the discriminated unions that led here, in the order of the alphabet: which ones, not how. */
  readonly unions: readonly string[];
  /** What dynamic references mean here, of whatever value. */
  readonly scope: DynamicScope;
}

const emptyContext = (scope: DynamicScope): Context => ({ writeOnly: [], unions: [], scope });

/**
 * OpenAPI 3.0 says `nullable: true` and boolean bounds; JSON Schema 2020-12 says that null is a type and number bounds.
 * Documents of 3.1 that still write them mean the same.
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
  // Converters leave Swagger's `x-nullable`, and a value that is listed is meant to be allowed.
  const listed = typeof rest.type === 'string' && isArray(rest.enum) && rest.enum.includes(null);
  return nullable === true || rest['x-nullable'] === true || listed ? allowNull(rest) : rest;
};

/** Keywords that may refuse null whatever the type beside them says. */
const demands = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'const', '$ref'] as const;

/**
 * OpenAPI 3.0.3 gives `nullable` a meaning beside `type` alone, after years in which 3.0 said "allows sending a null value"
 * and no more; generators write it beside `allOf`, `$ref` and `enum` for just that. So null always fits.
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

/** Whether a discriminator tells children of a schema apart that it does not list (OpenAPI 3.1.1, section 4.8.25.1). */
const isParent = ({ discriminator, oneOf, anyOf }: JsonObject): boolean =>
  isObject(discriminator) && oneOf === undefined && anyOf === undefined;

/** Puts what `make` makes of a keyword's value in its place, beside whatever else the schema demands. */
const moveIntoAllOf = (schema: Converted, keyword: string, make: (value: unknown) => unknown): void => {
  const made = make(schema[keyword]);
  delete schema[keyword];
  schema.allOf = [...(isArray(schema.allOf) ? schema.allOf : []), made];
};

/**
 * Turns schemas of the document into JSON Schema 2020-12 with `$ref`s that name entries of `registry`. Work is done
 * when a schema is asked for, because most runs never look at most of them.
 */
export class SchemaConverter {
  readonly #root: Node;
  readonly #references: References;
  readonly #old: boolean;
  /** By the pointers of everything that holds one. */
  readonly #slips: ReadonlyMap<string, Path>;
  readonly #registry: Converted = {};
  /** What is named in the registry and not converted yet: a chain of references may be longer than the call stack. */
  readonly #waiting: { readonly name: string; readonly target: Node; readonly around: Context }[] = [];
  #writeOnly: boolean | undefined;

  /** @param slips where the document's schemas do not fit the official one */
  constructor(root: Node, references: References, { old, slips }: { old: boolean; slips: readonly Path[] }) {
    this.#root = root;
    this.#references = references;
    this.#old = old;
    this.#slips = new Map(slips.flatMap((slip) => enclosingSchemas(slip).map((path) => [pointerOf(path), slip])));
  }

  /**
   * Every schema that a `$ref` of an asked-for schema leads to, directly or not, by that `$ref`. One that is reached by ways
   * that differ in what was said of the value before is there once for each.
   */
  get registry(): Readonly<Converted> {
    return this.#registry;
  }

  portable(node: Node): unknown {
    const converted = this.#convert(node, emptyContext(noScope));
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop())
      this.#registry[next.name] = this.#convert(next.target, next.around);
    return converted;
  }

  /** A document that never says `writeOnly` is spared the search for it. */
  get #hasWriteOnly(): boolean {
    this.#writeOnly ??= this.#references.sources.some(({ bytes }) => bytes.includes('writeOnly'));
    return this.#writeOnly;
  }

  #convert(node: Node, around: Context): unknown {
    const { value } = node;
    const slip = this.#slipIn(node);
    if (slip) return unsupportedSchema(`line ${positionOf({ ...this.#root, path: slip }).line} does not fit OpenAPI`);
    if (isArray(value)) return value.map((_, index) => this.#convert(childNode(node, index), around));
    if (!isObject(value)) return value;
    const dialect = this.#old ? 2020 : dialectOf(node, this.#root);
    const alone = typeof value.$ref === 'string' && (this.#old || referenceStandsAlone(dialect));
    const otherwise = alone ? undefined : saidOtherwise(value, dialect);
    if (otherwise !== undefined) return unsupportedSchema(otherwise);
    const union = value.discriminator === undefined ? undefined : unionOf(node, this.#references);
    const own = this.#hasWriteOnly ? writeOnlyNames(node, this.#references) : [];
    const scope = scopeInside(node, around.scope, this.#references);
    const inside: Context = {
      writeOnly: [...new Set([...around.writeOnly, ...own])].sort(),
      unions: union ? [...new Set([...around.unions, this.#nameOf(node)])].sort() : around.unions,
      scope,
    };
    const apart = emptyContext(scope);
    const converted: Converted = {};
    for (const [keyword, member] of Object.entries(value)) {
      const at = childNode(node, keyword);
      if (dataKeywords.has(keyword) || keyword.startsWith('x-')) converted[keyword] = member;
      else if (schemaMaps.has(keyword) && isObject(member))
        converted[keyword] = Object.fromEntries(
          Object.keys(member).map((name) => [name, this.#convert(childNode(at, name), apart)]),
        );
      else converted[keyword] = this.#convert(at, applicators.has(keyword) ? inside : apart);
    }
    if (isArray(value.required))
      converted.required = value.required.filter((name) => !inside.writeOnly.some((other) => other === name));
    if (typeof value.$ref === 'string') {
      const reference = this.#reference(node, value.$ref, inside);
      // In OpenAPI 3.0 a reference stands alone and what stands beside it is ignored; but see `orNull`.
      if (alone) return value.nullable === true ? allowNull(reference) : reference;
      delete converted.$ref;
      Object.assign(converted, reference);
    }
    // A schema whose children name it by `allOf` is closed to their members by a slip: generators close every schema.
    if (isParent(value) && value.additionalProperties === false) delete converted.additionalProperties;
    this.#settle(converted, node, inside);
    if (union) {
      const named = [...union.references].map(
        ([name, reference]) => [name, this.#reference(node, reference, inside)] as const,
      );
      moveIntoAllOf(converted, union.keyword, (branches) => unionSchema(union.member, branches, new Map(named)));
    } else if (requiresWriteOnly(inside.writeOnly, childNode(node, 'oneOf'), this.#references))
      moveIntoAllOf(converted, 'oneOf', (branches) => ({ anyOf: branches }));
    return toJsonSchema2020(converted);
  }

  #slipIn({ source, path }: Node): Path | undefined {
    return this.#slips.size > 0 && source === this.#root.source ? this.#slips.get(pointerOf(path)) : undefined;
  }

  /** A dynamic reference becomes one like any other. */
  #settle(converted: Converted, node: Node, around: Context): void {
    const { $dynamicRef } = converted;
    delete converted.$dynamicAnchor;
    if (typeof $dynamicRef !== 'string') return;
    const target = dynamicTarget(node, $dynamicRef, around.scope, this.#references);
    moveIntoAllOf(converted, '$dynamicRef', () =>
      target
        ? this.#to(target, around)
        : unsupportedSchema(`none or more than one schema could answer the $dynamicRef ${JSON.stringify($dynamicRef)}`),
    );
  }

  #nameOf(node: Node): string {
    return `${node.source === this.#root.source ? '' : node.source.file}#${pointerOf(node.path)}`;
  }

  /** A schema that stands for `reference`, written in `from`. */
  #reference(from: Node, reference: string, around: Context): Converted {
    const target = this.#references.find(from, reference);
    return target ? this.#to(target, around) : { $ref: reference };
  }

  #to(target: Node, around: Context): Converted {
    const plain = this.#nameOf(target);
    // An alternative that is made of the union around it adds its own members to what the union demands already.
    if (around.unions.includes(plain)) return {};
    const { writeOnly, unions } = around;
    const scope = nameOfScope(around.scope);
    const said = writeOnly.length + unions.length + scope.length > 0;
    const name = said ? `${plain} ${JSON.stringify([writeOnly, unions, scope])}` : plain;
    if (!Object.hasOwn(this.#registry, name)) {
      this.#registry[name] = true;
      this.#waiting.push({ name, target, around });
    }
    return { $ref: name };
  }
}
