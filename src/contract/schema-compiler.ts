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
  /** A discriminator selects among alternatives in it. */
  readonly isDiscriminated: boolean;
  /**
   * What tells a part of a schema from others: a `$ref` and a JSON Pointer into the shared
   * definition; of a schema without a name, a digest and a pointer into what was digested.
   */
  readonly placeOf: (part: object) => string | undefined;
}

/** Compiles schemas. Shared definitions are compiled once. */
export class SchemaCompiler {
  readonly #ajv: Ajv;
  readonly #bundler: SchemaBundler;
  readonly #definitions = new Map<string, Definition>();
  /** Errors of definitions that cannot be used. */
  readonly #failed = new Map<string, unknown>();
  /** Where the document has the parts of definitions, and which of these were looked through. */
  readonly #places = new WeakMap<object, string>();
  readonly #placed = new Set<string>();

  constructor(ajv: Ajv, bundler: SchemaBundler) {
    this.#ajv = ajv;
    this.#bundler = bundler;
  }

  /** @throws whatever makes the schema, or something that it refers to, one that cannot be used */
  compile(schema: unknown): CompiledSchema {
    let isPlaced = false;
    const root = this.#bundler.define(schema);
    for (const name of root.refersTo) this.#prepare(name);
    this.#throwFailure(root);
    const all = [root, ...[...this.#reachable(root)].flatMap((name) => this.#definitions.get(name) ?? [])];
    const validate = this.#ajv.compile({ allOf: [root.schema] });
    return {
      validate,
      leftOut: [...new Set(all.flatMap(({ leftOut }) => [...leftOut]))],
      isDiscriminated: all.some(({ isDiscriminated }) => isDiscriminated),
      placeOf: (part) => {
        if (!isPlaced) this.#place(root.schema, this.#nameless(root.schema), true);
        isPlaced = true;
        return this.#placeOf(part);
      },
    };
  }

  #placeOf(part: object): string | undefined {
    for (const [name, { schema }] of this.#definitions) {
      if (this.#placed.has(name)) continue;
      this.#placed.add(name);
      // Behind a space stands the context that the reference was converted for.
      const [reference = ''] = this.#bundler.referenceOf(name).split(' ');
      this.#place(schema, reference);
    }
    return this.#places.get(part);
  }

  /** The place of a schema without a name: equal ones have the same, wherever they stand. */
  #nameless(schema: unknown): string {
    const named = (name: string, value: unknown): unknown =>
      name === '$ref' && typeof value === 'string' ? this.#bundler.referenceOf(value) || value : value;
    return `${namelessSchema}${hash('sha256', JSON.stringify(schema, named) ?? '').slice(0, 12)}`;
  }

  /**
   * @param isNameless each object that the schema describes begins a place of its own, so that
   * equal descriptions are one, in a list or alone
   */
  #place(definition: unknown, reference: string, isNameless = false): void {
    const waiting: [unknown, string][] = [[definition, reference]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [part, around] = next;
      if (typeof part !== 'object' || part === null) continue;
      const place = isNameless && isObject(part) && isObject(part.properties) ? this.#nameless(part) : around;
      this.#places.set(part, place);
      for (const [name, member] of Object.entries(part)) waiting.push([member, `${place}${pointerOf([name])}`]);
    }
  }

  /**
   * Compiles references before the definition itself, so that long chains do not overflow the
   * stack. All of them are known before the first is compiled: in a ring, compiling one compiles
   * others.
   */
  #prepare(first: string): void {
    if (this.#definitions.has(first)) return;
    const underWay = new Set<string>();
    const visits = [this.#visit(first, underWay)];
    const visited: Visited[] = [];
    for (let last = visits.at(-1); last; last = visits.at(-1)) {
      const next = last.open.next();
      if (!next.done) {
        if (!this.#definitions.has(next.value)) visits.push(this.#visit(next.value, underWay));
        continue;
      }
      visits.pop();
      const { name, definition } = last;
      const inRing = [...definition.refersTo].some((each) => underWay.has(each) && each !== name);
      visited.push({ name, definition, isTooLong: inRing && underWay.size > maxCycle });
      underWay.delete(name);
    }
    for (const each of visited) this.#finish(each);
  }

  #visit(name: string, underWay: Set<string>): VisitedDefinition {
    const definition = this.#bundler.defined(name);
    this.#definitions.set(name, definition);
    this.#ajv.addSchema({ allOf: [definition.schema] }, name);
    underWay.add(name);
    return { name, definition, open: definition.refersTo.values() };
  }

  #finish({ name, definition, isTooLong }: Visited): void {
    try {
      this.#throwFailure(definition);
      if (isTooLong) throw new Error(`more than ${maxCycle} schemas lead to each other in a ring`);
      this.#ajv.getSchema(name);
    } catch (error) {
      this.#failed.set(name, error);
    }
  }

  #throwFailure({ refersTo }: Definition): void {
    for (const name of refersTo) if (this.#failed.has(name)) throw this.#failed.get(name);
  }

  #reachable({ refersTo }: Definition): ReadonlySet<string> {
    const found = new Set(refersTo);
    // Iteration includes what is added meanwhile.
    for (const name of found) for (const next of this.#definitions.get(name)?.refersTo ?? []) found.add(next);
    return found;
  }
}
