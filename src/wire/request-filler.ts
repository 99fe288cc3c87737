import type { Task, WireOptions } from './attempt.js';
import type { CookieJar } from './cookies.js';
import { asBytes, createCompleter } from './header-fields.js';
import type { CarriedCredentials } from './probe-safety.js';
import type { HeaderPair, Probe, SeriesPosition } from './types.js';

/** Matches texts without placeholders (which may be percent-encoded), one byte per character. */
const isPlain = /^[^<%\u0080-\uffff]*$/;

/** Makes a request of a probe: adds the fields that it lacks, and fills in keys and values. */
export class RequestFiller {
  readonly #options: Pick<WireOptions, 'origin' | 'keys' | 'values'>;
  readonly #cookies: CookieJar;
  readonly #complete = createCompleter();

  constructor(options: Pick<WireOptions, 'origin' | 'keys' | 'values'>, cookies: CookieJar) {
    this.#options = options;
    this.#cookies = cookies;
  }

  /** @throws MissingKeyError */
  fill(probe: Probe, carried: CarriedCredentials, place: SeriesPosition): Task {
    const fields = this.#complete(probe);
    const isOwn = probe.origin === this.#options.origin;
    const headers = fields.map((field): HeaderPair => {
      const value = this.#filled(field[1], isOwn, true);
      return value === field[1] ? field : [field[0], value];
    });
    const target = this.#filled(probe.target, isOwn);
    return { probe, carried, fields, head: { method: probe.method, target, protocol: probe.protocol, headers }, place };
  }

  #filled(template: string, isOwn: boolean, isField = false): string {
    if (isPlain.test(template)) return template;
    const { keys, values } = this.#options;
    const filled = values?.fill(template, isOwn, isField) ?? template;
    return asBytes(filled.includes('<') ? this.#cookies.fill(keys.fill(filled)) : filled);
  }
}
