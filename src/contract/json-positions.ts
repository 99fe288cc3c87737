import type { ValuePath } from './json-values.js';

/** A value in a JSON text. */
interface JsonPosition {
  /** Offset of the member name, or of the value where it has none. */
  readonly start: number;
  readonly value: number;
  /** Set when they were first asked for. */
  children?: ReadonlyMap<string, JsonPosition>;
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

/** Called for each member whose name the same object has already. */
type OnRepeated = (name: string, offset: number) => void;

/** The members or items of the container at `opening`; empty for a scalar. */
const childrenAt = (text: string, opening: number, onRepeated: OnRepeated): ReadonlyMap<string, JsonPosition> => {
  const found = new Map<string, JsonPosition>();
  const hasNames = text[opening] === '{';
  if (!hasNames && text[opening] !== '[') return found;
  for (let start = skipSpace(text, opening + 1); text[start] !== '}' && text[start] !== ']'; ) {
    let name = String(found.size);
    let value = start;
    if (hasNames) {
      const end = skipString(text, start);
      name = JSON.parse(text.slice(start, end)) as string;
      value = skipSpace(text, skipSpace(text, end) + 1);
      if (found.has(name)) onRepeated(name, start);
    }
    found.set(name, { start, value });
    const end = skipSpace(text, skipValue(text, value));
    start = text[end] === ',' ? skipSpace(text, end + 1) : end;
  }
  return found;
};

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
  offsetOf(path: ValuePath): number {
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
    if (countWrittenMembers(this.#text) !== countParsedMembers(value)) this.#search(this.#root);
    return this.#repeated;
  }

  #search(place: JsonPosition): void {
    for (const child of this.#children(place).values()) this.#search(child);
  }

  #children(place: JsonPosition): ReadonlyMap<string, JsonPosition> {
    place.children ??= childrenAt(this.#text, place.value, (name, offset) => this.#repeated.push({ name, offset }));
    return place.children;
  }
}
