import type { Automaton, Block, Pattern, SecretSpelling } from './automaton.js';
import type { UnitReader } from './unit-reader.js';

/** Finds spellings of secrets in a text, whole or in part, in time linear in the text. */

/** Minimum number of units that count at the end of a text, where the rest may be cut off. */
export const minUnits = 6;

/** Separates texts that are searched together. No match spans it. */
export const textSeparator = '\u0000';

/** A range of a text, and the placeholder that replaces it. */
export interface Cut {
  readonly start: number;
  readonly end: number;
  readonly placeholder: string;
}

/** A cut, the pattern that was found there, and which of its units, both ends inclusive. */
export interface Match extends Cut {
  readonly pattern: Pattern;
  readonly from: number;
  readonly to: number;
}

interface UnitSequence {
  readonly codes: Uint16Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly length: number;
}

export const readUnits = (text: string, reader: UnitReader): UnitSequence => {
  const codes = new Uint16Array(text.length);
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at = reader.next) {
    const code = reader.read(text, at);
    if (code < 0) continue;
    codes[length] = code;
    starts[length] = at;
    ends[length] = reader.next;
    length += 1;
  }
  return { codes, starts, ends, length };
};

/** Whether a text ends at `at`, possibly inside an escape. Joined texts end at each separator. */
const endsAt = (text: string, at: number): boolean =>
  /^(?:[%&\\][^\u0000]{0,5}|[\s"'\\]*)(?:\u0000|$)/.test(text.slice(at, at + 8));

/** Extends a match by neighbouring characters that carry bits of it, and by base64 padding. */
export const withEdges = (
  text: string,
  start: number,
  end: number,
  edges: SecretSpelling['edges'],
): [start: number, end: number] => {
  if (!edges) return [start, end];
  const before = new RegExp(`[\\w+/-]{0,${edges.before}}$`).exec(text.slice(Math.max(0, start - edges.before), start));
  const after = new RegExp(`^[\\w+/-]{0,${edges.after}}(?:=|%3[dD]){0,2}`).exec(text.slice(end, end + 8));
  return [start - (before?.[0].length ?? 0), end + (after?.[0].length ?? 0)];
};

interface Run {
  readonly pattern: Pattern;
  /** Indices of units of the text, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Index of the unit of the text at which the pattern starts, or would start. */
  readonly origin: number;
  readonly toItsEnd: boolean;
  readonly whole: boolean;
}

/**
 * Which matches count: whole spellings; also parts; also the beginning of a spelling at the end of
 * the text.
 */
type SearchExtent = 'whole' | 'parts' | 'parts and beginnings';

/** A text in which spellings are sought. */
interface Search extends UnitSequence {
  readonly text: string;
  readonly automaton: Automaton;
  readonly extent: SearchExtent;
  /** Where a text ends, at the earliest. Joined texts end anywhere. */
  readonly endsWithin: number;
}

/**
 * The longest match of a pattern that is aligned at `origin` and has the units `from` to `to`. It
 * begins at `done` or later.
 */
const runOf = (
  { codes, length, automaton }: Search,
  pattern: Pattern,
  origin: number,
  from: number,
  to: number,
  done: number,
): Run | undefined => {
  const { classes } = pattern;
  const fits = (at: number): boolean => automaton.classOf[codes[at] ?? 0] === classes[at - origin];
  for (let at = from; at <= to; at += 1) if (!fits(at)) return undefined;
  let first = from;
  let last = to;
  while (first > done && first > origin && fits(first - 1)) first -= 1;
  while (last + 1 < length && last + 1 - origin < classes.length && fits(last + 1)) last += 1;
  const toItsEnd = last - origin + 1 === classes.length;
  return { pattern, first, last, origin, toItsEnd, whole: first === origin && toItsEnd };
};

const counts = ({ text, ends, extent, endsWithin }: Search, { pattern, first, last, origin, whole }: Run): boolean => {
  if (extent === 'whole') return whole && pattern.full;
  const units = last - first + 1;
  if (units >= pattern.minRun) return true;
  const end = ends[last] ?? 0;
  const isBeginning = first === origin && units >= minUnits && end >= endsWithin && endsAt(text, end);
  return extent === 'parts and beginnings' && isBeginning;
};

/** Whether letters have the same case as in the pattern. */
const isExact = ({ codes }: Search, { pattern, first, last, origin }: Run): boolean => {
  for (let at = first; at <= last; at += 1) if (codes[at] !== pattern.codes[at - origin]) return false;
  return true;
};

const isBetter = (search: Search, run: Run, other: Run | undefined): boolean => {
  if (!other) return true;
  const longer = run.last - run.first - (other.last - other.first);
  if (longer !== 0) return longer > 0;
  const exact = isExact(search, run);
  if (exact !== isExact(search, other)) return exact;
  return run.toItsEnd && !other.toItsEnd;
};

/** The best match that holds one of the blocks that end at a unit. */
const bestOf = (search: Search, blocks: readonly Block[], at: number, done: number): Run | undefined => {
  let best: Run | undefined;
  for (const block of blocks) {
    const from = at - block.length + 1;
    if (from < done) continue;
    const origin = from - block.at;
    const own = runOf(search, block.pattern, origin, from, at, done);
    if (!own || !counts(search, own) || (best && best.last - best.first > own.last - own.first)) continue;
    for (const pattern of block.pattern.family) {
      const run = runOf(search, pattern, origin, from, at, done);
      if (run && counts(search, run) && isBetter(search, run, best)) best = run;
    }
  }
  return best;
};

const matchOf = (
  { text, starts, ends }: Search,
  { pattern, first, last, origin, whole }: Run,
  before: number,
): Match => {
  const { spelling } = pattern;
  const [start, end] = withEdges(text, starts[first] ?? 0, ends[last] ?? 0, spelling.edges);
  return {
    start: Math.max(start, before),
    end,
    placeholder: whole ? spelling.placeholder : spelling.partPlaceholder,
    pattern,
    from: first - origin,
    to: last - origin,
  };
};

export const findSpellings = (text: string, automaton: Automaton, extent: SearchExtent): readonly Match[] => {
  const endsWithin = text.includes(textSeparator) ? 0 : text.length - 8;
  const search: Search = { ...readUnits(text, automaton.reader), text, automaton, extent, endsWithin };
  const { codes, starts, length } = search;
  const { go, width, found, classOf } = automaton;
  const matches: Match[] = [];
  let done = 0;
  let state = 0;
  for (let at = 0; at < length; at += 1) {
    state = go[state * width + (classOf[codes[at] ?? 0] ?? 0)] ?? 0;
    const blocks = found[state] ?? [];
    const best = blocks.length > 0 ? bestOf(search, blocks, at, done) : undefined;
    if (!best) continue;
    const match = matchOf(search, best, matches.at(-1)?.end ?? 0);
    matches.push(match);
    // The search begins anew after the match.
    done = best.last + 1;
    while (done < length && (starts[done] ?? 0) < match.end) done += 1;
    at = done - 1;
    state = 0;
  }
  return matches;
};
