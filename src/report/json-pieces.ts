import { StringDecoder } from 'node:string_decoder';

/** A member of the outer object, or one item of `exchanges`. */
export interface JsonPiece {
  readonly member: string;
  readonly value: unknown;
}

const streamed = 'exchanges';

/**
 * Splits a JSON object into its members, and its `exchanges` array into items, while it is read: a
 * file of any size takes the memory of its largest piece.
 * @throws SyntaxError for anything that is not one JSON object, and for duplicate members
 */
export async function* jsonPieces(source: AsyncIterable<Buffer>): AsyncGenerator<JsonPiece> {
  const decoder = new StringDecoder('utf8');
  const splitter = new Splitter();
  let first = true;
  for await (const chunk of source) {
    const text = decoder.write(chunk);
    yield* splitter.push(first ? text.replace(/^\ufeff/, '') : text);
    if (text !== '') first = false;
  }
  yield* splitter.push(decoder.end());
  splitter.end();
}

const special = /["\\{}[\],:]/g;

class Splitter {
  #depth = 0;
  #inString = false;
  /** The last character of the previous chunk was a backslash. */
  #escaped = false;
  #done = false;
  #inItems = false;
  #member: string | undefined;
  #parts: string[] = [];
  readonly #seen = new Set<string>();

  *push(text: string): Generator<JsonPiece> {
    let from = 0;
    let at = 0;
    if (this.#escaped && text !== '') {
      this.#escaped = false;
      at = 1;
    }
    for (;;) {
      special.lastIndex = at;
      const match = special.exec(text);
      if (!match) break;
      const character = match[0];
      at = match.index + 1;
      if (this.#inString) {
        if (character === '\\') {
          at += 1;
          if (at > text.length) this.#escaped = true;
        } else if (character === '"') this.#inString = false;
        continue;
      }
      const cut = (): string => {
        this.#parts.push(text.slice(from, match.index));
        from = at;
        const whole = this.#parts.join('');
        this.#parts = [];
        return whole;
      };
      const itemDepth = this.#inItems ? 2 : 1;
      switch (character) {
        case '"':
          this.#inString = true;
          break;
        case '{':
        case '[':
          if (this.#depth === 0) {
            if (cut().trim() !== '' || character === '[' || this.#done)
              throw new SyntaxError('it is not one JSON object');
          } else if (this.#depth === 1 && this.#member === streamed && character === '[') {
            if (cut().trim() !== '') throw new SyntaxError(`unexpected text in front of ${streamed}`);
            this.#inItems = true;
          }
          this.#depth += 1;
          break;
        case '}':
        case ']':
          if (this.#depth === 0) throw new SyntaxError(`unexpected ${character}`);
          if (this.#depth === itemDepth) {
            if ((character === '}') === this.#inItems) throw new SyntaxError(`unexpected ${character}`);
            yield* this.#piece(cut(), true);
            if (this.#inItems) {
              this.#inItems = false;
              this.#member = '';
            } else this.#done = true;
          }
          this.#depth -= 1;
          break;
        case ',':
          if (this.#depth === itemDepth) yield* this.#piece(cut(), false);
          break;
        case ':':
          if (this.#depth === 1 && !this.#inItems && this.#member === undefined) this.#name(cut());
          break;
      }
    }
    this.#parts.push(text.slice(from));
  }

  #name(text: string): void {
    const name: unknown = JSON.parse(text);
    if (typeof name !== 'string') throw new SyntaxError('a member has no name');
    if (this.#seen.has(name)) throw new SyntaxError(`${JSON.stringify(name)} is there twice`);
    this.#seen.add(name);
    this.#member = name;
  }

  *#piece(text: string, last: boolean): Generator<JsonPiece> {
    if (this.#inItems) {
      if (last && text.trim() === '') return;
      yield { member: streamed, value: JSON.parse(text) };
      return;
    }
    // '' is the streamed member, whose items were yielded already.
    if (this.#member === '') {
      if (text.trim() !== '') throw new SyntaxError(`unexpected text behind ${streamed}`);
    } else if (this.#member !== undefined) yield { member: this.#member, value: JSON.parse(text) };
    else if (!(last && this.#seen.size === 0 && text.trim() === '')) throw new SyntaxError('a member has no name');
    this.#member = undefined;
  }

  end(): void {
    const rest = this.#parts.join('');
    if (!this.#done) throw new SyntaxError('it ends in the middle');
    if (rest.trim() !== '') throw new SyntaxError('text follows the JSON object');
  }
}
