import { isObject, present, wordsIn } from '../collections.js';
import { isArray, type JsonObject, schemaMaps } from './json-values.js';
import {
  allowingMembers,
  type DescribedMembers,
  describedMembers,
  discriminatedKeyword,
  isPart,
  readPattern,
} from './schema-parts.js';

const dataKeywords = new Set(['const', 'enum']);
/**
 * Keywords that do not affect validation. Identifiers would change the base of references, which
 * are registry names here.
 */
const annotations = new Set(
  wordsIn(`
  $id id $schema $anchor $dynamicAnchor $comment default example examples discriminator xml
`),
);

const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith('x-');

/** The subschemas of a schema, without those that it refers to. */
const subschemasOf = (schema: JsonObject): readonly unknown[] =>
  Object.entries(schema).flatMap(([keyword, member]) => {
    if (dataKeywords.has(keyword) || isAnnotation(keyword)) return [];
    if (schemaMaps.has(keyword) && isObject(member)) return Object.values(member);
    return isArray(member) ? member : [member];
  });

const patternsOf = ({ pattern, patternProperties }: JsonObject): readonly string[] => [
  ...(typeof pattern === 'string' ? [pattern] : []),
  ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
];

const unreadable = (pattern: string): string =>
  `the pattern ${JSON.stringify(pattern)}, which is no regular expression of JSON Schema`;

/**
 * Whether `unevaluatedItems` stands beside keywords that evaluate items, where ajv miscounts them.
 * Alone, it is the same as `items`.
 */
const isUnsupportedTail = (schema: JsonObject): boolean =>
  schema.unevaluatedItems !== undefined &&
  Object.keys(schema).some((keyword) => isPart(keyword) || evaluatesItems.has(keyword));

const evaluatesItems: ReadonlySet<string> = new Set(['$ref', 'if', 'contains', 'dependentSchemas']);

/**
 * Moves what ajv skips into a part of its own: `contains`, where a list is shorter than its
 * `prefixItems`, and an `if` without `then` and `else`, which counts for `unevaluatedProperties`.
 */
const asMeant = (schema: JsonObject): JsonObject => {
  const { contains, minContains, maxContains, ...withoutContains } = schema;
  const { if: condition, ...withoutIf } = schema;
  if (contains !== undefined && schema.prefixItems !== undefined)
    return asMeant(withPart(withoutContains, present({ contains, minContains, maxContains })));
  if (condition !== undefined && schema.then === undefined && schema.else === undefined)
    return withPart(withoutIf, { anyOf: [condition, true] });
  return schema;
};

const withPart = (schema: JsonObject, part: JsonObject): JsonObject => ({
  ...schema,
  allOf: [...(isArray(schema.allOf) ? schema.allOf : []), part],
});

/** A schema whose references name other definitions. */
export interface Definition {
  readonly schema: unknown;
  /** Definitions that it refers to directly. */
  readonly refersTo: ReadonlySet<string>;
  /** What was left out of it, in words that finish "was not checked against …". */
  readonly leftOut: ReadonlySet<string>;
  /** A discriminator selects among alternatives in it. */
  readonly isDiscriminated: boolean;
}

/**
 * Rewrites schemas so that ajv can compile them. Keywords that cannot be checked are left out, and
 * so is what would then be stricter than meant (`not` around such a keyword): a body that fits the
 * complete schema always fits the rewritten one.
 * @param registry schemas by the `$ref` that leads to them; may grow
 * @param isLenient several alternatives of a `oneOf` may fit, and a part with
 * `additionalProperties: false` allows the members of the other parts
 * @param anyAlternative a body may fit another alternative than its `discriminator` names
 */
export class SchemaBundler {
  readonly #registry: Readonly<Record<string, unknown>>;
  readonly #isLenient: boolean;
  readonly #anyAlternative: boolean;
  /** Names of definitions by source, and back. */
  readonly #names = new Map<string, string>();
  readonly #sources = new Map<string, DefinitionSource>();
  /** Schemas known to contain something that is left out, or nothing. */
  readonly #open = new WeakSet<object>();
  readonly #closed = new WeakSet<object>();

  constructor(registry: Readonly<Record<string, unknown>>, isLenient: boolean, anyAlternative = false) {
    this.#registry = registry;
    this.#isLenient = isLenient;
    this.#anyAlternative = anyAlternative;
  }

  define(schema: unknown): Definition {
    return this.#definitionOf(schema, undefined);
  }

  /** The definition for a name in `refersTo`. */
  defined(name: string): Definition {
    const { reference = '', others } = this.#sources.get(name) ?? {};
    return this.#definitionOf(this.#registry[reference], others);
  }

  /** The `$ref` that leads to the definition of a name. */
  referenceOf(name: string): string {
    return this.#sources.get(name)?.reference ?? '';
  }

  #definitionOf(schema: unknown, around: DescribedMembers | undefined): Definition {
    const refersTo = new Set<string>();
    const leftOut = new Set<string>();
    const rewriting = { refersTo, leftOut, isDiscriminated: false, anyOpen: this.#isOpen(schema) };
    const rewritten = this.#rewrite(schema, rewriting, around);
    return { schema: rewritten, refersTo, leftOut, isDiscriminated: rewriting.isDiscriminated };
  }

  #isLeftOut(value: JsonObject): boolean {
    return (
      (this.#isLenient && (value.oneOf !== undefined || value.additionalProperties === false)) ||
      this.#isIgnored(value) ||
      isUnsupportedTail(value) ||
      patternsOf(value).some((pattern) => readPattern(pattern) === undefined)
    );
  }

  #isIgnored(condition: JsonObject): boolean {
    return this.#anyAlternative && condition[discriminatedKeyword] === true;
  }

  /** Whether something is left out of a schema, however deep, references included. */
  #isOpen(schema: unknown): boolean {
    if (typeof schema !== 'object' || schema === null) return false;
    const seen = new Set<object>();
    const waiting: unknown[] = [schema];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      if (typeof value !== 'object' || value === null || seen.has(value) || this.#closed.has(value)) continue;
      seen.add(value);
      if (this.#open.has(value) || (isObject(value) && this.#isLeftOut(value))) {
        this.#open.add(schema);
        return true;
      }
      const inside = isObject(value) ? subschemasOf(value) : isArray(value) ? value : [];
      for (const each of inside) if (typeof each === 'object' && each !== null) waiting.push(each);
      const { $ref } = isObject(value) ? value : {};
      if (typeof $ref === 'string' && Object.hasOwn(this.#registry, $ref)) waiting.push(this.#registry[$ref]);
    }
    for (const value of seen) this.#closed.add(value);
    return false;
  }

  #rename(reference: string, { refersTo }: RewriteState, others: DescribedMembers | undefined): string {
    if (!Object.hasOwn(this.#registry, reference)) return reference;
    const key = others ? JSON.stringify([reference, others]) : reference;
    const name = this.#names.get(key) ?? `schema:/${this.#names.size}`;
    this.#names.set(key, name);
    this.#sources.set(name, { reference, others });
    refersTo.add(name);
    return name;
  }

  #rewriteMap(keyword: string, map: JsonObject, rewriting: RewriteState): JsonObject {
    const rewritten: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(map)) {
      if (keyword !== 'patternProperties' || readPattern(name)) rewritten[name] = this.#rewrite(each, rewriting);
      else {
        // The pattern may match any member, so no member is additional.
        rewriting.leftOut.add(unreadable(name));
        rewritten[''] = true;
      }
    }
    return rewritten;
  }

  /** @param around members that the composition describes which `value` is a part of */
  #rewrite(value: unknown, rewriting: RewriteState, around?: DescribedMembers): unknown {
    if (isArray(value)) return value.map((each) => this.#rewrite(each, rewriting, around));
    if (!isObject(value)) return value;
    const others = this.#isLenient ? (around ?? describedMembers(value, this.#registry)) : undefined;
    const rewritten: Record<string, unknown> = {};
    for (const [keyword, member] of Object.entries(value)) {
      if (isAnnotation(keyword)) continue;
      if (keyword === discriminatedKeyword) rewriting.isDiscriminated = true;
      else if (keyword === 'pattern' && typeof member === 'string' && !readPattern(member))
        rewriting.leftOut.add(unreadable(member));
      else if (keyword === 'unevaluatedItems') {
        if (isUnsupportedTail(value)) rewriting.leftOut.add('unevaluatedItems, which is only supported alone');
        else rewritten.items ??= this.#rewrite(member, rewriting);
      } else if (keyword === '$ref' && typeof member === 'string')
        rewritten[keyword] = this.#rename(member, rewriting, others);
      else if (dataKeywords.has(keyword)) rewritten[keyword] = member;
      else if (schemaMaps.has(keyword) && isObject(member))
        rewritten[keyword] = this.#rewriteMap(keyword, member, rewriting);
      else rewritten[keyword] = this.#rewrite(member, rewriting, isPart(keyword) ? others : undefined);
    }
    const whole = others && value.additionalProperties === false ? allowingMembers(rewritten, others) : rewritten;
    return asMeant(rewriting.anyOpen ? this.#loosened(whole, value) : whole);
  }

  /** Loosens keywords that become stricter when subschemas are looser. */
  #loosened(rewritten: Record<string, unknown>, original: JsonObject): JsonObject {
    const instead: JsonObject[] = [];
    const { oneOf, not, maxContains, if: condition, then: yes, else: no, ...rest } = rewritten;
    const kept = { ...rest };
    if (oneOf !== undefined) {
      if (this.#isLenient || this.#isOpen(original.oneOf)) instead.push({ anyOf: oneOf });
      else kept.oneOf = oneOf;
    }
    if (not !== undefined && !this.#isOpen(original.not)) kept.not = not;
    if (maxContains !== undefined && !this.#isOpen(original.contains)) kept.maxContains = maxContains;
    if (condition !== undefined) {
      const [then = true, otherwise = true] = [yes, no];
      instead.push(
        this.#isIgnored(original) || this.#isOpen(original.if)
          ? { anyOf: [{ allOf: [condition, then] }, otherwise] }
          : { if: condition, then, else: otherwise },
      );
    }
    return instead.reduce<JsonObject>(withPart, kept);
  }
}

/** A schema of the registry, as a part of a composition that describes `others`. */
interface DefinitionSource {
  readonly reference: string;
  readonly others: DescribedMembers | undefined;
}

interface RewriteState {
  readonly refersTo: Set<string>;
  readonly leftOut: Set<string>;
  isDiscriminated: boolean;
  readonly anyOpen: boolean;
}
