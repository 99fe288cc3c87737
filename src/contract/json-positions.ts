import type { Path } from './json-values.js';

/** A value in a JSON text. */
interface JsonPosition {
  /** Offset of the member name, or of the value where it has none. */
  readonly start: number;
  /** Offset of the value. */
  readonly value: number;
  children?: Children;
}

const quote = 34;
const backslash = 92;
const colon = 58;

const skipSpace = (text: string, from: number): number => {
  let at = from;
  for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9; ) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
};

/** Offset after the string that starts at `from`. */
const skipString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
};

/** Offset after the value that starts at `from`. */
const skipValue = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = skipString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === 123 || code === 91) depth += 1;
    else if (code === 125 || code === 93) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (code === 44 && depth === 0) return at;
    at += 1;
  }
  return text.length;
};

/** The members or items of a value, found in their order, as far as they are asked for. */
class Children {
  readonly #text: string;
  readonly #found = new Map<string, JsonPosition>();
  readonly #repeated: (name: string, start: number) => void;
  readonly #hasNames: boolean;
  /** Offset to go on from: after the opening bracket, then where the last search began. */
  #at: number;
  /** The one that was found last; its value was not skipped yet. */
  #last: JsonPosition | undefined;

  constructor(text: string, { value }: JsonPosition, repeated: (name: string, start: number) => void) {
    this.#text = text;
    this.#repeated = repeated;
    const opening = text[value];
    this.#hasNames = opening === '{';
    this.#at = opening === '{' || opening === '[' ? skipSpace(text, value + 1) : text.length;
  }

  get(name: string): JsonPosition | undefined {
    for (;;) {
      const found = this.#found.get(name);
      if (found || !this.#next()) return found;
    }
  }

  all(): ReadonlyMap<string, JsonPosition> {
    while (this.#next());
    return this.#found;
  }

  /** Finds one more, unless there is none. */
  #next(): boolean {
    const text = this.#text;
    let at = this.#at;
    if (this.#last) {
      at = skipSpace(text, skipValue(text, this.#last.value));
      this.#last = undefined;
      if (text[at] === ',') at = skipSpace(text, at + 1);
    }
    this.#at = at;
    if (at >= text.length || text[at] === '}' || text[at] === ']') return false;
    const start = at;
    let name = String(this.#found.size);
    if (this.#hasNames) {
      const end = skipString(text, at);
      name = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, skipSpace(text, end) + 1);
      if (this.#found.has(name)) this.#repeated(name, start);
    }
    this.#last = { start, value: at };
    this.#found.set(name, this.#last);
    return true;
  }
}

/** Counts members in the text: colons outside of strings. */
const countWrittenMembers = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = skipString(text, at) - 1;
    else if (code === colon) count += 1;
  }
  return count;
};

const countParsedMembers = (root: unknown): number => {
  let count = 0;
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members = Object.values(value);
    if (!Array.isArray(value)) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) waiting.push(member);
  }
  return count;
};

/**
 * Finds the positions of members in a valid JSON text. Values are scanned on demand, so a large
 * document costs a few passes over its text.
 */
export class JsonPositions {
  readonly #text: string;
  readonly #root: JsonPosition;
  readonly #repeated: { readonly name: string; readonly offset: number }[] = [];

  constructor(text: string) {
    this.#text = text;
    const value = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
    this.#root = { start: value, value };
  }

  /** Offset of the member name or item at `path`, or of its nearest ancestor that exists. */
  offsetOf(path: Path): number {
    let place = this.#root;
    for (const key of path) {
      const next = this.#children(place).get(String(key));
      if (!next) break;
      place = next;
    }
    return place.start;
  }

  /**
   * Names that an object of the text repeats. `JSON.parse` silently keeps the last one. Members are
   * counted first, and searched only where the counts differ.
   * @param value the parsed text
   */
  repeatedIn(value: unknown): readonly { readonly name: string; readonly offset: number }[] {
    if (countWrittenMembers(this.#text) !== countParsedMembers(value)) this.#scan(value, this.#root);
    return this.#repeated;
  }

  #scan(value: unknown, place: JsonPosition): void {
    if (typeof value !== 'object' || value === null) return;
    const children = this.#children(place).all();
    for (const [name, member] of Object.entries(value)) this.#scanChild(children, name, member);
  }

  #scanChild(children: ReadonlyMap<string, JsonPosition>, name: string, value: unknown): void {
    const place = children.get(name);
    if (place) this.#scan(value, place);
  }

  #children(place: JsonPosition): Children {
    place.children ??= new Children(this.#text, place, (name, offset) => this.#repeated.push({ name, offset }));
    return place.children;
  }
}
