import { Worker } from 'node:worker_threads';
import { isObject, memoizePerObject } from '../collections.js';
import { builtModule } from '../package.js';
import type { BodyFit } from './body-validator.js';
import type { BodyReply, BodyRequest } from './body-worker.js';
import type { Contract, MediaTypeSchema } from './model.js';

export interface Deadlines {
  /** Milliseconds to validate one body. */
  readonly body: number;
  /** Milliseconds to compile one schema with all that it refers to. */
  readonly schema: number;
  /** Milliseconds that timeouts may cost in one run. */
  readonly lost: number;
}

/** A body takes milliseconds, the compilation of the largest documents half a minute. */
const defaultDeadlines: Deadlines = { body: 10_000, schema: 180_000, lost: 60_000 };

/** Milliseconds without a body after which the worker is ended. */
const idleTimeoutMs = 30_000;

/** Megabytes. Compilation and validation are recursive. */
const stackMb = 64;

const unclear = (message: string): BodyFit => ({ verdict: 'unclear', message });

interface QueuedBody {
  readonly described: MediaTypeSchema;
  readonly text: string;
  readonly resolve: (fit: BodyFit | 'no-json') => void;
}

/**
 * Validates bodies in a worker thread, one at a time, each with a deadline: a pattern with nested
 * quantifiers or a `uniqueItems` list may never end. A schema that timed out is not tried again.
 */
export class BodyChecker {
  readonly #schemas: Contract['schemas'];
  readonly #deadlines: Deadlines;
  /** Schemas with the same JSON text share a number. */
  readonly #numbers = new Map<string, number>();
  readonly #numberOf = new WeakMap<MediaTypeSchema, number>();
  /** Numbers of schemas that timed out. */
  readonly #endless = new Set<number>();
  readonly #waiting: QueuedBody[] = [];
  #count = 0;
  #lost = 0;
  #worker: Worker | undefined;
  /** Whether the worker has loaded its code. */
  #isReady = false;
  /** Schema numbers and references that the worker has received. */
  #sent = new Set<number | string>();
  /** Numbers of schemas for which the search for every error timed out. */
  readonly #firstAlone = new Set<number>();
  #current: { readonly asked: QueuedBody; readonly id: number; first?: BodyFit } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ schemas }: Pick<Contract, 'schemas'>, deadlines: Partial<Deadlines> = {}) {
    this.#schemas = schemas;
    this.#deadlines = { ...defaultDeadlines, ...deadlines };
  }

  /** Starts the worker before the first body. */
  warm(): void {
    this.#worker ??= this.#start();
    this.#rest();
  }

  /** Validates the JSON text of a body. */
  check(described: MediaTypeSchema, text: string): Promise<BodyFit | 'no-json'> {
    return new Promise((resolve) => {
      this.#waiting.push({ described, text, resolve });
      this.#next();
    });
  }

  /** Ends the worker. Every pending body is unclear. */
  stop(): void {
    const open = [...(this.#current ? [this.#current.asked] : []), ...this.#waiting.splice(0)];
    this.#current = undefined;
    this.#end();
    for (const { resolve } of open) resolve(unclear('was not checked against its schema before the run was stopped'));
  }

  #start(): Worker {
    const worker = new Worker(builtModule('contract/body-worker'), {
      // The worker needs no environment, and must not see the key.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { stackSizeMb: stackMb },
    });
    worker.unref();
    worker.on('message', (answer: BodyReply) => {
      if (answer !== 'ready') this.#hear(answer);
      else if (worker === this.#worker) this.#begin();
    });
    worker.on('error', (error) => {
      if (worker === this.#worker) this.#fail(`could not be checked against its schema (${error.message})`);
    });
    return worker;
  }

  #next(): void {
    if (this.#current) return;
    const asked = this.#waiting.shift();
    if (!asked) {
      this.#rest();
      return;
    }
    const isEndless = this.#endless.has(this.#number(asked.described));
    if (isEndless || this.#lost >= this.#deadlines.lost) {
      asked.resolve(unclear(isEndless ? this.#tooLong : this.#noMore));
      this.#next();
      return;
    }
    clearTimeout(this.#idle);
    this.#count += 1;
    this.#current = { asked, id: this.#count };
    this.#worker ??= this.#start();
    const ask = this.#ask(this.#count, asked);
    // How long a worker takes to start says nothing of the body.
    this.#allow(this.#isReady ? this.#deadlines.body : this.#deadlines.schema);
    this.#worker.postMessage(ask);
  }

  #begin(): void {
    this.#isReady = true;
    if (this.#current) this.#allow(this.#deadlines.body);
  }

  #number(described: MediaTypeSchema): number {
    const known = this.#numberOf.get(described);
    if (known !== undefined) return known;
    const text = JSON.stringify(described.schema) ?? '';
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#numberOf.set(described, number);
    return number;
  }

  #ask(id: number, { described, text }: QueuedBody): BodyRequest {
    const schema = this.#number(described);
    const asked = { id, schema, text, ...(this.#firstAlone.has(schema) ? { firstAlone: true } : {}) };
    if (this.#sent.has(schema)) return { ...asked, added: {} };
    this.#sent.add(schema);
    const { mediaType, schema: own } = described;
    return { ...asked, described: { mediaType, schema: own }, added: this.#referredTo(own) };
  }

  /** Schemas that this one refers to, directly or not, and that the worker does not have yet. */
  #referredTo(schema: unknown): Readonly<Record<string, unknown>> {
    const added: Record<string, unknown> = {};
    const waiting: unknown[] = [schema];
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      const { $ref } = isObject(value) ? value : {};
      if (typeof $ref === 'string' && !this.#sent.has($ref) && Object.hasOwn(this.#schemas, $ref)) {
        this.#sent.add($ref);
        added[$ref] = this.#schemas[$ref];
        waiting.push(added[$ref]);
      }
      for (const member of Object.values(Object(value)) as readonly unknown[])
        if (typeof member === 'object' && member !== null) waiting.push(member);
    }
    return added;
  }

  #hear(answer: Exclude<BodyReply, 'ready'>): void {
    if (answer.id !== this.#current?.id) return;
    if ('compiling' in answer) this.#allow(answer.compiling ? this.#deadlines.schema : this.#deadlines.body);
    else if ('first' in answer) this.#current.first = answer.first;
    else this.#settle(answer.fit);
  }

  #allow(milliseconds: number): void {
    clearTimeout(this.#timer);
    const { id } = this.#current ?? {};
    // A reply that arrived while this process was blocked is read before the timeout counts.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire(id, milliseconds)), milliseconds);
  }

  #expire(id: number | undefined, milliseconds: number): void {
    if (id === undefined || this.#current?.id !== id) return;
    const { first } = this.#current;
    if (first) {
      this.#firstAlone.add(this.#number(this.#current.asked.described));
      this.#end();
      this.#settle(first);
      return;
    }
    this.#endless.add(this.#number(this.#current.asked.described));
    this.#lost += milliseconds;
    this.#fail(this.#tooLong);
  }

  get #tooLong(): string {
    return `kept its validation busy for more than ${this.#deadlines.body / 1000} s, as a pattern with nested quantifiers may, and this was stopped`;
  }

  get #noMore(): string {
    return `came after others that kept their validation busy for more than ${this.#deadlines.lost / 1000} s`;
  }

  #fail(message: string): void {
    this.#end();
    this.#settle(unclear(message));
  }

  #settle(fit: BodyFit | 'no-json'): void {
    clearTimeout(this.#timer);
    const { asked } = this.#current ?? {};
    this.#current = undefined;
    asked?.resolve(fit);
    this.#next();
  }

  #end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    this.#sent = new Set();
    void worker?.terminate();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), idleTimeoutMs).unref();
  }
}

/** The checker of a contract, one per process. */
export const bodyCheckerOf = memoizePerObject((contract: Contract) => new BodyChecker(contract));
