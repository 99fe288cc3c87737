import type { Automaton, Pattern, SecretSpelling } from './automaton.js';
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
  /** Letters have the same case as in the pattern. */
  readonly exact: boolean;
  readonly toItsEnd: boolean;
  readonly whole: boolean;
}

const isBetter = (run: Run, other: Run | undefined): boolean => {
  if (!other) return true;
  const longer = run.last - run.first - (other.last - other.first);
  if (longer !== 0) return longer > 0;
  if (run.exact !== other.exact) return run.exact;
  return run.toItsEnd && !other.toItsEnd;
};

/**
 * Which matches count: whole spellings; also parts; also the beginning of a spelling at the end of
 * the text.
 */
type SearchExtent = 'whole' | 'parts' | 'parts and beginnings';

export const findSpellings = (text: string, automaton: Automaton, extent: SearchExtent): readonly Match[] => {
  const { codes, starts, ends, length } = readUnits(text, automaton.reader);
  const { go, width, found, classOf } = automaton;
  const matches: Match[] = [];
  let done = 0;
  let state = 0;
  const endsWithin = text.includes(textSeparator) ? 0 : text.length - 8;

  /** The longest match of a pattern, aligned at `origin`, with the units `from` to `to`. */
  const runOf = (pattern: Pattern, origin: number, from: number, to: number): Run | undefined => {
    const fits = (at: number): boolean => classOf[codes[at] ?? 0] === pattern.classes[at - origin];
    for (let at = from; at <= to; at += 1) if (!fits(at)) return undefined;
    let first = from;
    let last = to;
    while (first > done && first > origin && fits(first - 1)) first -= 1;
    while (last + 1 < length && last + 1 - origin < pattern.classes.length && fits(last + 1)) last += 1;
    const run = last - first + 1;
    const atStart = first === origin;
    const toItsEnd = last - origin + 1 === pattern.classes.length;
    const whole = atStart && toItsEnd;
    const end = ends[last] ?? 0;
    const beginning = (): boolean => atStart && run >= minUnits && end >= endsWithin && endsAt(text, end);
    const counts =
      extent === 'whole'
        ? whole && pattern.full
        : run >= pattern.minRun || (extent === 'parts and beginnings' && beginning());
    if (!counts) return undefined;
    let exact = true;
    for (let at = first; exact && at <= last; at += 1) exact = codes[at] === pattern.codes[at - origin];
    return { pattern, first, last, origin, exact, toItsEnd, whole };
  };

  for (let at = 0; at < length; at += 1) {
    state = go[state * width + (classOf[codes[at] ?? 0] ?? 0)] ?? 0;
    let best: Run | undefined;
    for (const block of found[state] ?? []) {
      const from = at - block.length + 1;
      if (from < done) continue;
      const origin = from - block.at;
      const own = runOf(block.pattern, origin, from, at);
      if (!own || (best && best.last - best.first > own.last - own.first)) continue;
      for (const pattern of block.pattern.family) {
        const run = runOf(pattern, origin, from, at);
        if (run && isBetter(run, best)) best = run;
      }
    }
    if (best) {
      const { spelling } = best.pattern;
      const [start, end] = withEdges(text, starts[best.first] ?? 0, ends[best.last] ?? 0, spelling.edges);
      const before = matches.at(-1)?.end ?? 0;
      matches.push({
        start: Math.max(start, before),
        end,
        placeholder: best.whole ? spelling.placeholder : spelling.partPlaceholder,
        pattern: best.pattern,
        from: best.first - best.origin,
        to: best.last - best.origin,
      });
      done = best.last + 1;
      while (done < length && (starts[done] ?? 0) < end) done += 1;
      at = done - 1;
      state = 0;
    }
  }
  return matches;
};
