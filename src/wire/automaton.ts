import { groupBy } from '../collections.js';
import { folded, type UnitReader } from './unit-reader.js';

/**
 * Something that must not stand in any text, in one spelling (plain, base64 at one alignment, hex).
 */
export interface SecretSpelling {
  readonly text: string;
  /** What replaces it. */
  readonly placeholder: string;
  /** What replaces a piece of it. */
  readonly partPlaceholder: string;
  /**
   * Needles of one family are alike character by character (a key, its altered copies): a find of
   * one may be of any of them.
   */
  readonly family: string;
  /**
   * Characters before and after it that carry bits of it: the ends of base64 inside a longer text.
   */
  readonly edges?: { readonly before: number; readonly after: number };
  /** Looked for only where grouping is left out of account. */
  readonly ungroupedOnly?: true;
}

export interface Pattern {
  readonly spelling: SecretSpelling;
  /** Units as they are, and as the automaton knows them. */
  readonly codes: readonly number[];
  readonly classes: readonly number[];
  /** Units in a row that give it away. */
  readonly minRun: number;
  /** As long as any of its family: no first half. */
  readonly full: boolean;
  /** All patterns of its family, itself among them. */
  readonly family: readonly Pattern[];
}

export interface Block {
  readonly pattern: Pattern;
  /** Where in the pattern the block starts. */
  readonly at: number;
  readonly length: number;
}

/** How a text is read, and how much of a spelling of `length` units gives it away. */
export interface SearchMode {
  readonly reader: UnitReader;
  /** Needles of fewer units cannot be told from chance. */
  readonly minLength: number;
  readonly minRun: (length: number) => number;
}

const blockLength = 6;

/** Where letters of two cases, and wide forms of ASCII, are. */
const withCase = [
  [0, 0x530],
  [0xff00, 0xff5e],
] as const;

/**
 * The units of a spelling that is taken as it stands and, where it looks like an escape, as that.
 */
const unitSequences = (text: string, reader: UnitReader): readonly (readonly number[])[] => {
  const literal = reader.literalUnitsOf(text);
  const read = reader.unitsOf(text);
  return read.length === literal.length ? [literal] : [literal, read];
};

/** Aho–Corasick automaton over classes of units; class 0 is whatever occurs in no pattern. */
export class Automaton {
  readonly reader: UnitReader;
  readonly classOf = new Uint16Array(65536);
  readonly width: number;
  readonly go: Int32Array;
  readonly found: readonly (readonly Block[])[];

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
    for (const [first, last] of withCase)
      for (let code = first; code <= last; code += 1) this.classOf[code] = known.get(folded(code)) ?? 0;
    this.width = classes;
    const trie = this.#trie(families.flatMap(withoutCaseDuplicates));
    this.go = trie.go;
    this.found = trie.found;
  }

  /** Every run of `enough` units of a pattern holds one of these blocks whole. */
  #blocks(pattern: Pattern): Block[] {
    const length = Math.max(3, Math.min(blockLength, Math.ceil(pattern.minRun / 2)));
    const stride = pattern.minRun - length + 1;
    const blocks: Block[] = [];
    for (let at = 0; at + length <= pattern.classes.length; at += stride) blocks.push({ pattern, at, length });
    return blocks;
  }

  #trie(patterns: readonly Pattern[]): { go: Int32Array; found: Block[][] } {
    const children: Map<number, number>[] = [new Map()];
    const found: Block[][] = [[]];
    const insert = (block: Block, classes: readonly number[]): void => {
      let state = 0;
      for (const unit of classes) {
        const next = children[state]?.get(unit);
        if (next !== undefined) state = next;
        else {
          children[state]?.set(unit, children.length);
          state = children.length;
          children.push(new Map());
          found.push([]);
        }
      }
      found[state]?.push(block);
    };
    for (const pattern of patterns)
      for (const block of this.#blocks(pattern))
        insert(block, pattern.classes.slice(block.at, block.at + block.length));
    const go = new Int32Array(children.length * this.width);
    const failure = new Int32Array(children.length);
    const queue: number[] = [0];
    for (let head = 0; head < queue.length; head += 1) {
      const state = queue[head] ?? 0;
      const back = failure[state] ?? 0;
      if (state !== 0) found[state]?.push(...(found[back] ?? []));
      for (let unit = 0; unit < this.width; unit += 1) {
        const child = children[state]?.get(unit);
        const fallback = state === 0 ? 0 : (go[back * this.width + unit] ?? 0);
        if (child === undefined) go[state * this.width + unit] = fallback;
        else {
          go[state * this.width + unit] = child;
          failure[child] = fallback;
          queue.push(child);
        }
      }
    }
    return { go, found };
  }

  /** True when any block occurs. Quick: one table look-up a character, nothing allocated. */
  hits(text: string): boolean {
    const { classOf, go, width, found, reader } = this;
    let state = 0;
    for (let at = 0; at < text.length; ) {
      let code = text.charCodeAt(at);
      if (reader.plain[code] === 1) at += 1;
      else {
        code = reader.read(text, at);
        at = reader.next;
        if (code < 0) continue;
      }
      state = go[state * width + (classOf[code] ?? 0)] ?? 0;
      if (found[state]?.length) return true;
    }
    return false;
  }
}

/** Patterns that differ in more than case: the others have the same blocks. */
const withoutCaseDuplicates = (family: readonly Pattern[]): Pattern[] => [
  ...new Map(family.toReversed().map((pattern) => [pattern.classes.join(), pattern])).values(),
];
