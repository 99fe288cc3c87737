import { groupBy, sum } from '../collections.js';
import { folded, type UnitReader } from './unit-reader.js';

/** One spelling of a secret: plain, base64 at one alignment, or hex. */
export interface SecretSpelling {
  readonly text: string;
  /** Replaces the whole secret. */
  readonly placeholder: string;
  /** Replaces a part of the secret. */
  readonly partPlaceholder: string;
  /** Spellings of one family (a key and its altered copies) are alike: a match may be any. */
  readonly family: string;
  /** Number of neighbouring characters that carry bits of it, for base64 inside a longer text. */
  readonly edges?: { readonly before: number; readonly after: number };
  /** Only searched for where punctuation is ignored. */
  readonly ungroupedOnly?: true;
}

export interface Pattern {
  readonly spelling: SecretSpelling;
  /** The units of the spelling, and their classes in the automaton. */
  readonly codes: readonly number[];
  readonly classes: readonly number[];
  /** Number of consecutive units that reveals the secret. */
  readonly minRun: number;
  /** Whether it is one of the longest of its family, and not a first half. */
  readonly full: boolean;
  /** All patterns of its family, including itself. */
  readonly family: readonly Pattern[];
}

export interface Block {
  readonly pattern: Pattern;
  /** Index of the block in the pattern. */
  readonly at: number;
  readonly length: number;
}

/** How to split a text into units, and how many units of a spelling reveal it. */
export interface SearchMode {
  readonly reader: UnitReader;
  /** Minimum length of a spelling; shorter ones occur by chance. */
  readonly minLength: number;
  readonly minRun: (length: number) => number;
}

const blockLength = 6;

const none: readonly Block[] = [];

const codesFrom = (first: number, last: number): readonly (readonly [code: number, folded: number])[] =>
  Array.from({ length: last - first + 1 }, (_, index) => [first + index, folded(first + index)]);

/**
 * Characters with upper and lower case, or full-width forms of ASCII, and what they are folded to.
 */
const withCase = [...codesFrom(0, 0x530), ...codesFrom(0xff00, 0xff5e)];

/** The units of a spelling, read literally and, if it contains escapes, unescaped. */
const unitSequences = (text: string, reader: UnitReader): readonly (readonly number[])[] => {
  const literal = reader.literalUnitsOf(text);
  const read = reader.unitsOf(text);
  return read.length === literal.length ? [literal] : [literal, read];
};

/** Aho–Corasick automaton over classes of units. Class 0 is for units in no pattern. */
export class Automaton {
  readonly reader: UnitReader;
  readonly classOf = new Uint16Array(65536);
  readonly width: number;
  readonly go: Int32Array;
  readonly found: readonly (readonly Block[])[];
  /** 1 for each state with blocks in `found`. */
  readonly #isFinal: Uint8Array;

  constructor(spellings: readonly SecretSpelling[], { reader, minLength, minRun }: SearchMode) {
    this.reader = reader;
    let classes = 1;
    const known = new Map<number, number>();
    const classFor = (code: number): number => {
      const plain = folded(code);
      const existing = known.get(plain);
      if (existing !== undefined) return existing;
      known.set(plain, classes);
      classes += 1;
      return classes - 1;
    };
    const families = [...groupBy(spellings, (spelling) => spelling.family).values()].map((members) => {
      const family: Pattern[] = [];
      const read = members.map((spelling) => ({ spelling, readings: unitSequences(spelling.text, reader) }));
      const longest = Math.max(...read.flatMap(({ readings }) => readings.at(-1)?.length ?? 0));
      for (const { spelling, readings } of read) {
        for (const codes of readings) {
          if (codes.length < minLength) continue;
          const full = codes.length >= longest;
          const needed = Math.min(codes.length, minRun(Math.max(codes.length, longest)));
          family.push({ spelling, codes, classes: codes.map(classFor), minRun: needed, full, family });
        }
      }
      return family;
    });
    for (const [code, index] of known) this.classOf[code] = index;
    for (const [code, plain] of withCase) this.classOf[code] = known.get(plain) ?? 0;
    this.width = classes;
    const trie = this.#trie(families.flatMap(withoutCaseDuplicates));
    this.go = trie.go;
    this.found = trie.found;
    this.#isFinal = Uint8Array.from(trie.found, (blocks) => (blocks.length > 0 ? 1 : 0));
  }

  /** The blocks of a pattern. Every run of `minRun` units contains at least one of them. */
  #blocks(pattern: Pattern): Block[] {
    const length = Math.max(3, Math.min(blockLength, Math.ceil(pattern.minRun / 2)));
    const stride = pattern.minRun - length + 1;
    const blocks: Block[] = [];
    for (let at = 0; at + length <= pattern.classes.length; at += stride) blocks.push({ pattern, at, length });
    return blocks;
  }

  #trie(patterns: readonly Pattern[]): { go: Int32Array; found: readonly (readonly Block[])[] } {
    const { width } = this;
    const blocks = patterns.flatMap((pattern) => this.#blocks(pattern));
    const most = 1 + sum(blocks.map(({ length }) => length));
    const go = new Int32Array(most * width);
    const found: (readonly Block[])[] = [none];
    // The children of a state, as a list in arrays: one array each would cost more than the rest.
    const [firstChild, nextChild, unitTo] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)];
    for (const block of blocks) {
      const { pattern, at, length } = block;
      let state = 0;
      for (let index = at; index < at + length; index += 1) {
        const unit = pattern.classes[index] ?? 0;
        let child = go[state * width + unit] ?? 0;
        if (child === 0) {
          child = found.push(none) - 1;
          go[state * width + unit] = child;
          unitTo[child] = unit;
          nextChild[child] = firstChild[state] ?? 0;
          firstChild[state] = child;
        }
        state = child;
      }
      found[state] = [...(found[state] ?? none), block];
    }
    // Breadth first, so that the row of the state to fall back to is complete.
    const failure = new Int32Array(found.length);
    const queue: number[] = [0];
    for (const state of queue) {
      const [row, back] = [state * width, (failure[state] ?? 0) * width];
      if (state !== 0) {
        go.copyWithin(row, back, back + width);
        const inherited = found[back / width] ?? none;
        if (inherited.length > 0) found[state] = [...(found[state] ?? none), ...inherited];
      }
      for (let child = firstChild[state] ?? 0; child !== 0; child = nextChild[child] ?? 0) {
        const unit = unitTo[child] ?? 0;
        failure[child] = state === 0 ? 0 : (go[back + unit] ?? 0);
        go[row + unit] = child;
        queue.push(child);
      }
    }
    return { go: go.slice(0, found.length * width), found };
  }

  /** Whether any block occurs. One table lookup per character, without allocation. */
  hits(text: string): boolean {
    const { classOf, go, width, reader } = this;
    const { plain } = reader;
    const isFinal = this.#isFinal;
    let state = 0;
    for (let at = 0; at < text.length; ) {
      let code = text.charCodeAt(at);
      if (plain[code] === 1) at += 1;
      else {
        code = reader.read(text, at);
        at = reader.next;
        if (code < 0) continue;
      }
      state = go[state * width + (classOf[code] ?? 0)] ?? 0;
      if (isFinal[state] === 1) return true;
    }
    return false;
  }
}

/** Removes patterns that differ only in case. */
const withoutCaseDuplicates = (family: readonly Pattern[]): Pattern[] => [
  ...new Map(family.toReversed().map((pattern) => [pattern.classes.join(), pattern])).values(),
];
