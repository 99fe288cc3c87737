import { hash } from 'node:crypto';
import type { Ajv, ValidateFunction } from 'ajv';
import { isObject } from '../collections.js';
import { namelessSchema } from '../names.js';
import { pointerOf } from './json-values.js';
import type { Definition, SchemaBundler } from './schema-bundler.js';

/**
 * Longest cycle of references. Schemas in a cycle are compiled recursively, and a stack overflow
 * may end the process.
 */
const maxCycle = 2_000;

/** A definition on the traversal stack, and its references that are still to visit. */
interface VisitedDefinition {
  readonly name: string;
  readonly definition: Definition;
  readonly open: Iterator<string>;
}

/** A definition after everything that it refers to. */
interface Visited extends Pick<VisitedDefinition, 'name' | 'definition'> {
  /** The definition closes a ring that is too long to be compiled. */
  readonly isTooLong: boolean;
}

export interface CompiledSchema {
  readonly validate: ValidateFunction;
  /** What was left out of it, in words that finish "was not checked against …". */
  readonly leftOut: readonly string[];
  /**
   * What tells a part of a schema from others: a `$ref` and a JSON Pointer into the shared
   * definition; of a schema without a name, a digest and a pointer into what was digested.
   */
  readonly placeOf: (part: object) => string | undefined;
}

/** Compiles schemas. Shared definitions are compiled once. */
export const createSchemaCompiler = (ajv: Ajv, bundler: SchemaBundler) => {
  const definitions = new Map<string, Definition>();
  /** Errors of definitions that cannot be used. */
  const failed = new Map<string, unknown>();
  /** Where the document has the parts of definitions, and which of these were looked through. */
  const places = new WeakMap<object, string>();
  const placed = new Set<string>();

  /** @throws whatever makes the schema, or something that it refers to, one that cannot be used */
  const compile = (schema: unknown): CompiledSchema => {
    let isPlaced = false;
    const root = bundler.define(schema);
    for (const name of root.refersTo) prepare(name);
    throwFailure(root);
    const leftOut = new Set(root.leftOut);
    for (const name of reachable(root)) for (const each of definitions.get(name)?.leftOut ?? []) leftOut.add(each);
    const validate = ajv.compile({ allOf: [root.schema] });
    return {
      validate,
      leftOut: [...leftOut],
      placeOf: (part) => {
        if (!isPlaced) place(root.schema, nameless(root.schema), true);
        isPlaced = true;
        return placeOf(part);
      },
    };
  };

  const placeOf = (part: object): string | undefined => {
    for (const [name, { schema }] of definitions) {
      if (placed.has(name)) continue;
      placed.add(name);
      // Behind a space stands the context that the reference was converted for.
      const [reference = ''] = bundler.referenceOf(name).split(' ');
      place(schema, reference);
    }
    return places.get(part);
  };

  /** The place of a schema without a name: equal ones have the same, wherever they stand. */
  const nameless = (schema: unknown): string => {
    const named = (name: string, value: unknown): unknown =>
      name === '$ref' && typeof value === 'string' ? bundler.referenceOf(value) || value : value;
    return `${namelessSchema}${hash('sha256', JSON.stringify(schema, named) ?? '').slice(0, 12)}`;
  };

  /**
   * @param isNameless each object that the schema describes begins a place of its own, so that
   * equal descriptions are one, in a list or alone
   */
  const place = (definition: unknown, reference: string, isNameless = false): void => {
    const waiting: [unknown, string][] = [[definition, reference]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [part, around] = next;
      if (typeof part !== 'object' || part === null) continue;
      const place = isNameless && isObject(part) && isObject(part.properties) ? nameless(part) : around;
      places.set(part, place);
      for (const [name, member] of Object.entries(part)) waiting.push([member, `${place}${pointerOf([name])}`]);
    }
  };

  /**
   * Compiles references before the definition itself, so that long chains do not overflow the
   * stack. All of them are known before the first is compiled: in a ring, compiling one compiles
   * others.
   */
  const prepare = (first: string): void => {
    if (definitions.has(first)) return;
    const underWay = new Set<string>();
    const visits = [visit(first, underWay)];
    const visited: Visited[] = [];
    for (let last = visits.at(-1); last; last = visits.at(-1)) {
      const next = last.open.next();
      if (!next.done) {
        if (!definitions.has(next.value)) visits.push(visit(next.value, underWay));
        continue;
      }
      visits.pop();
      const { name, definition } = last;
      const inRing = [...definition.refersTo].some((each) => underWay.has(each) && each !== name);
      visited.push({ name, definition, isTooLong: inRing && underWay.size > maxCycle });
      underWay.delete(name);
    }
    for (const each of visited) finish(each);
  };

  const visit = (name: string, underWay: Set<string>): VisitedDefinition => {
    const definition = bundler.defined(name);
    definitions.set(name, definition);
    ajv.addSchema({ allOf: [definition.schema] }, name);
    underWay.add(name);
    return { name, definition, open: definition.refersTo.values() };
  };

  const finish = ({ name, definition, isTooLong }: Visited): void => {
    try {
      throwFailure(definition);
      if (isTooLong) throw new Error(`more than ${maxCycle} schemas lead to each other in a ring`);
      ajv.getSchema(name);
    } catch (error) {
      failed.set(name, error);
    }
  };

  const throwFailure = ({ refersTo }: Definition): void => {
    for (const name of refersTo) if (failed.has(name)) throw failed.get(name);
  };

  const reachable = ({ refersTo }: Definition): ReadonlySet<string> => {
    const found = new Set(refersTo);
    // Iteration includes what is added meanwhile.
    for (const name of found) for (const next of definitions.get(name)?.refersTo ?? []) found.add(next);
    return found;
  };

  return { compile };
};

export type SchemaCompiler = ReturnType<typeof createSchemaCompiler>;
