import { hash } from 'node:crypto';

/**
 * JSON values of which each is written once. A value whose text is long is a line of its own,
 * `<name> <json>`, named by a digest of its text, and wherever it occurs stands `{"$": "<name>"}`.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Characters from which on a value is a line of its own. */
const longText = 240;

const nameOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 10);

/** Takes values in, and gives their names. */
export class ValueWriter {
  readonly #lines = new Map<string, string>();

  /** @returns the name of the value, which is a line of its own however short it is */
  add(value: unknown): string {
    return this.#write(JSON.stringify(this.#shorten(JSON.parse(JSON.stringify(value)) as Json)));
  }

  /** All lines, sorted by their names. */
  lines(): readonly string[] {
    return [...this.#lines].map(([name, text]) => `${name} ${text}`).sort();
  }

  #write(text: string): string {
    const name = nameOf(text);
    this.#lines.set(name, text);
    return name;
  }

  #shorten(value: Json): Json {
    if (value === null || typeof value !== 'object') return value;
    const parts = Array.isArray(value)
      ? value.map((item: Json) => this.#part(item))
      : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#part(member)]));
    return parts;
  }

  #part(value: Json): Json {
    const shortened = this.#shorten(value);
    if (shortened === null || typeof shortened !== 'object') return shortened;
    const text = JSON.stringify(shortened);
    return text.length < longText ? shortened : { $: this.#write(text) };
  }
}

/**
 * Gives the values of such lines by their names. Equal values are the same object: they may not be
 * changed.
 */
export class ValueReader {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #values = new Map<string, unknown>();

  constructor(lines: readonly string[]) {
    this.#texts = new Map(
      lines.map((line) => {
        const blank = line.indexOf(' ');
        return [line.slice(0, blank), line.slice(blank + 1)] as const;
      }),
    );
  }

  get(name: string): unknown {
    if (!this.#values.has(name)) {
      const text = this.#texts.get(name);
      if (text === undefined) throw new Error(`no line is called ${name}`);
      this.#values.set(name, this.#restored(JSON.parse(text) as Json));
    }
    return this.#values.get(name);
  }

  #restored(value: Json): unknown {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((item: Json) => this.#restored(item));
    const entries = Object.entries(value);
    const [first] = entries;
    if (entries.length === 1 && first?.[0] === '$' && typeof first[1] === 'string') return this.get(first[1]);
    return Object.fromEntries(entries.map(([name, member]) => [name, this.#restored(member)]));
  }
}
