import { type DescribedMembers, describedMembers, isPart, opened } from './composition.js';
import { readPattern } from './patterns.js';
import { isArray, isObject, type JsonObject } from './tree.js';
import { alternativesKeyword, namesOf } from './union-names.js';

/** Keywords whose value is a map of names to schemas: names inside are no keywords. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is data. */
const data = new Set(['const', 'enum']);
/**
 * What says nothing about a body. Identifiers would move the base of every reference below them, and references are made of
 * registry names; the rest may hold what looks like one.
 */
const silent = new Set([
  '$id',
  'id',
  '$schema',
  '$anchor',
  '$comment',
  'default',
  'example',
  'examples',
  'discriminator',
  'xml',
]);

const isSilent = (keyword: string): boolean => silent.has(keyword) || keyword.startsWith('x-');

/** The schemas inside one schema, those that it refers to excepted. */
const within = (schema: JsonObject): readonly unknown[] =>
  Object.entries(schema).flatMap(([keyword, member]) => {
    if (data.has(keyword) || isSilent(keyword)) return [];
    if (maps.has(keyword) && isObject(member)) return Object.values(member);
    return isArray(member) ? member : [member];
  });

const patternsOf = ({ pattern, patternProperties }: JsonObject): readonly string[] => [
  ...(typeof pattern === 'string' ? [pattern] : []),
  ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
];

export interface BundleOptions {
  /** Whether `format` is a note and no demand. */
  readonly formatsAreNotes?: boolean;
  /** Whether more than one alternative of a `oneOf` may fit. */
  readonly severalMayFit?: boolean;
  /** Whether a part of a composition that closes itself takes the members that the other parts describe. */
  readonly partsMayAdd?: boolean;
}

export interface Bundle {
  readonly schema: object;
  /** Patterns that nobody can read for certain, which were left out. */
  readonly unread: readonly string[];
}

/**
 * Makes a schema with everything that its references lead to inside it, so that it can be compiled by itself. What cannot be
 * held against a body is left out, and so is what would turn that into a demand: a body that a complete reading accepts,
 * whatever the left-out words mean, fits the bundle.
 * @param registry schemas by the `$ref` that leads to them
 */
export const bundle = (
  schema: unknown,
  registry: Readonly<Record<string, unknown>>,
  { formatsAreNotes = false, severalMayFit = false, partsMayAdd = false }: BundleOptions = {},
): Bundle => {
  const names = new Map<string, string>();
  const definitions: Record<string, unknown> = {};
  const waiting: {
    readonly name: string;
    readonly reference: string;
    readonly others: DescribedMembers | undefined;
  }[] = [];
  const unread = new Set<string>();

  const isNote = (keyword: string, member: unknown): boolean =>
    formatsAreNotes && keyword === 'format' && typeof member === 'string';
  const isLeftOut = (value: JsonObject): boolean =>
    isNote('format', value.format) ||
    (severalMayFit && value.oneOf !== undefined) ||
    (partsMayAdd && value.additionalProperties === false) ||
    patternsOf(value).some((pattern) => readPattern(pattern) === undefined);

  /** Whether something is left out in a schema, however deep. */
  const isOpen = (value: unknown, seen = new Set<unknown>()): boolean => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    if (isArray(value)) return value.some((each) => isOpen(each, seen));
    if (!isObject(value)) return false;
    if (isLeftOut(value)) return true;
    const { $ref } = value;
    if (typeof $ref === 'string' && Object.hasOwn(registry, $ref) && isOpen(registry[$ref], seen)) return true;
    return within(value).some((each) => isOpen(each, seen));
  };

  const rename = (reference: string, others?: DescribedMembers): string => {
    if (!Object.hasOwn(registry, reference)) return reference;
    const key = others ? JSON.stringify([reference, others]) : reference;
    let name = names.get(key);
    if (name === undefined) {
      name = String(names.size);
      names.set(key, name);
      waiting.push({ name, reference, others });
    }
    return `#/$defs/referenced/${name}`;
  };

  const rewriteMap = (keyword: string, map: JsonObject): JsonObject => {
    const rewritten: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(map)) {
      if (keyword !== 'patternProperties' || readPattern(name)) rewritten[name] = rewrite(each);
      else {
        // The members that it means are unknown, so none is one too many.
        unread.add(name);
        rewritten[''] = true;
      }
    }
    return rewritten;
  };

  /** @param around members that the composition describes which `value` is a part of */
  const rewrite = (value: unknown, around?: DescribedMembers): unknown => {
    if (isArray(value)) return value.map((each) => rewrite(each, around));
    if (!isObject(value)) return value;
    const others = partsMayAdd ? (around ?? describedMembers(value, registry)) : undefined;
    const rewritten: Record<string, unknown> = {};
    for (const [keyword, member] of Object.entries(value)) {
      if (isSilent(keyword) || isNote(keyword, member)) continue;
      if (keyword === 'pattern' && typeof member === 'string' && !readPattern(member)) unread.add(member);
      else if (keyword === '$ref' && typeof member === 'string') rewritten[keyword] = rename(member, others);
      else if (data.has(keyword)) rewritten[keyword] = member;
      else if (maps.has(keyword) && isObject(member)) rewritten[keyword] = rewriteMap(keyword, member);
      else rewritten[keyword] = rewrite(member, isPart(keyword) ? others : undefined);
    }
    if (isArray(value.oneOf)) rewritten[alternativesKeyword] = namesOf(value.oneOf);
    return loosened(others && value.additionalProperties === false ? opened(rewritten, others) : rewritten, value);
  };

  /** Where fewer words inside would be a stricter demand outside. */
  const loosened = (rewritten: Record<string, unknown>, original: JsonObject): JsonObject => {
    if (!anyOpen) return rewritten;
    const instead: unknown[] = [];
    const { oneOf, not, maxContains, if: condition, then: yes, else: no, ...rest } = rewritten;
    const kept = { ...rest };
    if (oneOf !== undefined) {
      if (severalMayFit || isOpen(original.oneOf)) instead.push({ anyOf: oneOf });
      else kept.oneOf = oneOf;
    }
    if (not !== undefined && !isOpen(original.not)) kept.not = not;
    if (maxContains !== undefined && !isOpen(original.contains)) kept.maxContains = maxContains;
    if (condition !== undefined) {
      const [then = true, otherwise = true] = [yes, no];
      instead.push(
        isOpen(original.if)
          ? { anyOf: [{ allOf: [condition, then] }, otherwise] }
          : { if: condition, then, else: otherwise },
      );
    }
    if (instead.length > 0) kept.allOf = [...(isArray(kept.allOf) ? kept.allOf : []), ...instead];
    return kept;
  };

  const anyOpen = isOpen(schema);
  const root = rewrite(schema);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    definitions[next.name] = rewrite(registry[next.reference], next.others);
  return { schema: { allOf: [root], $defs: { referenced: definitions } }, unread: [...unread] };
};
