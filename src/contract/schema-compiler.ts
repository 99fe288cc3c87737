import type { Ajv, ValidateFunction } from 'ajv';
import { type BundleOptions, type Definition, SchemaBundler } from './schema-bundler.js';

/**
 * Schemas that lead to each other in a ring are compiled one inside the other; with more in a row the compiler would run out
 * of stack, and one that runs out of stack may end the process.
 */
const maxCycle = 2_000;

/** A definition that is looked at, and those of what it refers to that were not looked at yet. */
interface Visit {
  readonly name: string;
  readonly definition: Definition;
  readonly open: Iterator<string>;
}

/** Compiles schemas; what several of them refer to is compiled once. */
export class SchemaCompiler {
  readonly #ajv: Ajv;
  readonly #bundler: SchemaBundler;
  readonly #definitions = new Map<string, Definition>();
  /** Definitions that cannot be used, and why. */
  readonly #failed = new Map<string, unknown>();
  #anyUnread = false;

  constructor(ajv: Ajv, registry: Readonly<Record<string, unknown>>, options: BundleOptions) {
    this.#ajv = ajv;
    this.#bundler = new SchemaBundler(registry, options);
  }

  /** @throws whatever makes the schema, or something that it refers to, one that cannot be used */
  compile(schema: unknown): { readonly validate: ValidateFunction; readonly unread: readonly string[] } {
    const root = this.#bundler.define(schema);
    for (const name of root.refersTo) this.#prepare(name);
    this.#throwFailure(root);
    const unread = new Set(root.unread);
    if (this.#anyUnread)
      for (const name of this.#reachable(root)) for (const each of this.#unreadOf(name)) unread.add(each);
    return { validate: this.#ajv.compile({ allOf: [root.schema] }), unread: [...unread] };
  }

  /** Compiles a definition after everything that it refers to, so that the way there need not fit on the stack. */
  #prepare(first: string): void {
    if (this.#definitions.has(first)) return;
    const underWay = new Set<string>();
    const visits = [this.#visit(first, underWay)];
    for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
      const next = visit.open.next();
      if (!next.done) {
        if (!this.#definitions.has(next.value)) visits.push(this.#visit(next.value, underWay));
        continue;
      }
      visits.pop();
      this.#finish(visit, underWay);
      underWay.delete(visit.name);
    }
  }

  #visit(name: string, underWay: Set<string>): Visit {
    const definition = this.#bundler.defined(name);
    this.#definitions.set(name, definition);
    this.#anyUnread ||= definition.unread.size > 0;
    this.#ajv.addSchema({ allOf: [definition.schema] }, name);
    underWay.add(name);
    return { name, definition, open: definition.refersTo.values() };
  }

  #finish({ name, definition }: Visit, underWay: ReadonlySet<string>): void {
    try {
      this.#throwFailure(definition);
      const inRing = [...definition.refersTo].some((each) => underWay.has(each) && each !== name);
      if (inRing && underWay.size > maxCycle)
        throw new Error(`more than ${maxCycle} schemas lead to each other in a ring`);
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
    // A set that grows while it is walked through is walked through to its end.
    for (const name of found) for (const next of this.#definitions.get(name)?.refersTo ?? []) found.add(next);
    return found;
  }

  #unreadOf(name: string): Iterable<string> {
    return this.#definitions.get(name)?.unread ?? [];
  }
}
