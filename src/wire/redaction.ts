import { folded, isPlainUnit, unitReader, unitsOf } from './escapes.js';

/** Something that must not stand in any text, in one spelling (plain, base64 at one alignment, hex). */
export interface Needle {
  readonly text: string;
  /** What replaces it. */
  readonly placeholder: string;
  /** What replaces a piece of it. */
  readonly partPlaceholder: string;
  /** A character that may stand in place of the one at `index`: the `one-changed` form. */
  readonly alternative?: { readonly index: number; readonly character: string };
}

interface Pattern {
  readonly needle: Needle;
  readonly classes: readonly number[];
  readonly alternativeAt: number;
  readonly alternativeClass: number;
  /** Units in a row that give it away. */
  readonly enough: number;
}

interface Block {
  readonly pattern: Pattern;
  /** Where in the pattern the block starts. */
  readonly at: number;
  readonly length: number;
}

/** Units at the end of a text that count as a needle cut off there. */
const cutLength = 6;
/** Between pieces that are redacted together: a needle never reaches across it. */
export const pieceSeparator = '\u0000';

/** Aho–Corasick automaton over classes of units; class 0 is whatever occurs in no pattern. */
class Automaton {
  readonly classOf = new Uint16Array(65536);
  readonly patterns: Pattern[] = [];
  readonly width: number;
  readonly go: Int32Array;
  readonly found: readonly (readonly Block[])[];

  constructor(needles: readonly Needle[]) {
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
    for (const needle of needles) {
      const classesOfText = unitsOf(needle.text).map(classFor);
      const length = classesOfText.length;
      if (length < cutLength) continue;
      const alternative = needle.alternative;
      const [alternativeCode] = alternative ? unitsOf(alternative.character) : [];
      this.patterns.push({
        needle,
        classes: classesOfText,
        alternativeAt:
          alternative && alternativeCode !== undefined ? unitsOf(needle.text.slice(0, alternative.index)).length : -1,
        alternativeClass: alternativeCode === undefined ? -1 : classFor(alternativeCode),
        enough: Math.min(length, Math.max(cutLength, Math.floor(length * 0.4))),
      });
    }
    for (const [code, index] of known) this.classOf[code] = index;
    for (let code = 0; code < 0x530; code += 1) this.classOf[code] = known.get(folded(code)) ?? 0;
    this.width = classes;
    const trie = this.#trie();
    this.go = trie.go;
    this.found = trie.found;
  }

  /** Every run of `enough` units of a pattern holds one of these blocks whole. */
  #blocks(pattern: Pattern): Block[] {
    const length = Math.max(3, Math.min(cutLength, Math.ceil(pattern.enough / 2)));
    const stride = pattern.enough - length + 1;
    const blocks: Block[] = [];
    for (let at = 0; at + length <= pattern.classes.length; at += stride) blocks.push({ pattern, at, length });
    return blocks;
  }

  #trie(): { go: Int32Array; found: Block[][] } {
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
    for (const pattern of this.patterns) {
      for (const block of this.#blocks(pattern)) {
        const classes = pattern.classes.slice(block.at, block.at + block.length);
        insert(block, classes);
        const changed = pattern.alternativeAt - block.at;
        if (changed >= 0 && changed < block.length) insert(block, classes.with(changed, pattern.alternativeClass));
      }
    }
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
    const { classOf, go, width, found } = this;
    let state = 0;
    for (let at = 0; at < text.length; ) {
      let code = text.charCodeAt(at);
      if (isPlainUnit[code] === 1) at += 1;
      else {
        code = unitReader.read(text, at);
        at = unitReader.next;
        if (code < 0) continue;
      }
      state = go[state * width + (classOf[code] ?? 0)] ?? 0;
      if (found[state]?.length) return true;
    }
    return false;
  }
}

interface Region {
  readonly start: number;
  readonly end: number;
  readonly pattern: Pattern;
  /** All of the needle, not a piece. */
  readonly whole: boolean;
}

/** The units of a text with where each stands. */
const layOut = (
  text: string,
  classOf: Uint16Array,
): { classes: Uint16Array; starts: Int32Array; ends: Int32Array; length: number } => {
  const classes = new Uint16Array(text.length);
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at = unitReader.next) {
    const code = unitReader.read(text, at);
    if (code < 0) continue;
    classes[length] = classOf[code] ?? 0;
    starts[length] = at;
    ends[length] = unitReader.next;
    length += 1;
  }
  return { classes, starts, ends, length };
};

/** True where the text, or a piece of it, ends at `at`, perhaps inside an escape. */
const endsAt = (text: string, at: number): boolean =>
  /^(?:[%&\\][^\u0000]{0,5}|[\s"'\\]*)(?:\u0000|$)/.test(text.slice(at, at + 8));

const regionsOf = (text: string, automaton: Automaton): Region[] => {
  const { classes, starts, ends, length } = layOut(text, automaton.classOf);
  const { go, width, found } = automaton;
  const regions: Region[] = [];
  let done = 0;
  let state = 0;
  const fits = (pattern: Pattern, unit: number, at: number): boolean =>
    classes[at] === pattern.classes[unit] ||
    (unit === pattern.alternativeAt && classes[at] === pattern.alternativeClass);
  for (let at = 0; at < length; at += 1) {
    state = go[state * width + (classes[at] ?? 0)] ?? 0;
    let best: { first: number; last: number; region: Region } | undefined;
    for (const block of found[state] ?? []) {
      const { pattern } = block;
      let first = at - block.length + 1;
      let unit = block.at;
      if (first < done) continue;
      while (unit > 0 && first > done && fits(pattern, unit - 1, first - 1)) {
        unit -= 1;
        first -= 1;
      }
      let last = at;
      let lastUnit = block.at + block.length - 1;
      while (lastUnit + 1 < pattern.classes.length && last + 1 < length && fits(pattern, lastUnit + 1, last + 1)) {
        lastUnit += 1;
        last += 1;
      }
      const run = lastUnit - unit + 1;
      const end = ends[last] ?? 0;
      const enough = run >= pattern.enough || (unit === 0 && run >= cutLength && endsAt(text, end));
      if (!enough || (best && best.last - best.first >= last - first)) continue;
      const whole = run === pattern.classes.length;
      best = { first, last, region: { start: starts[first] ?? 0, end, pattern, whole } };
    }
    if (best) {
      regions.push(best.region);
      done = best.last + 1;
      at = best.last;
      state = 0;
    }
  }
  return regions;
};

export interface RedactorOptions {
  readonly needles: readonly Needle[];
  /** Spellings that are taken out letter by letter, whatever stands around them: the net under everything else. */
  readonly exact: ReadonlyMap<string, string>;
  /** What a needle's find is called when it is spelled just so. */
  readonly readable: ReadonlyMap<string, string>;
}

/** Builds the function that takes every needle out of a text. Time is linear in the text. */
export const createRedactor = ({ needles, exact, readable }: RedactorOptions): ((text: string) => string) => {
  const automaton = new Automaton(needles);
  const exactly = [...exact].filter(([text]) => text !== '').sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let redacted = text;
    if (automaton.hits(text)) {
      const pieces: string[] = [];
      let at = 0;
      for (const { start, end, pattern, whole } of regionsOf(text, automaton)) {
        const seen = text.slice(start, end);
        const { placeholder, partPlaceholder } = pattern.needle;
        pieces.push(
          text.slice(at, start),
          exact.get(seen) ?? readable.get(seen) ?? (whole ? placeholder : partPlaceholder),
        );
        at = end;
      }
      redacted = pieces.join('') + text.slice(at);
    }
    for (const [spelling, placeholder] of exactly) {
      if (redacted.includes(spelling)) redacted = redacted.replaceAll(spelling, () => placeholder);
    }
    return redacted;
  };
};
