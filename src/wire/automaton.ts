import { groupBy } from '../collections.js';
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

/** Ranges of characters with upper and lower case, or with full-width forms of ASCII. */
const withCase = [
  [0, 0x530],
  [0xff00, 0xff5e],
] as const;

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
    for (const [first, last] of withCase)
      for (let code = first; code <= last; code += 1) this.classOf[code] = known.get(folded(code)) ?? 0;
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
      const row = state * this.width;
      if (state !== 0) {
        found[state]?.push(...(found[back] ?? []));
        go.copyWithin(row, back * this.width, (back + 1) * this.width);
      }
      for (const [unit, child] of children[state] ?? []) {
        failure[child] = state === 0 ? 0 : (go[row + unit] ?? 0);
        go[row + unit] = child;
        queue.push(child);
      }
    }
    return { go, found };
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
