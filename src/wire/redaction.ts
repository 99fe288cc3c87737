import { groupBy } from '../collections.js';
import { Automaton, type Pattern, type SearchMode, type SecretSpelling } from './automaton.js';
import {
  insideTagsReader,
  isAlphanumeric,
  quotesSkippingReader,
  type UnitReader,
  unescapingReader,
  ungroupedReader,
} from './unit-reader.js';

/** Units at the end of a text that count as a needle cut off there. */
export const minUnits = 6;
/** Between pieces that are redacted together: a needle never reaches across it. */
export const textSeparator = '\u0000';

/** Two fifths of a needle give it away, and of a long one, which may come in many pieces (a dump of sixteen bytes a line), `most` units. */
const minRunOf =
  (fewest: number, most: number) =>
  (length: number): number =>
    Math.min(length, most, Math.max(fewest, Math.floor(length * 0.4)));

/** Quotes and white space split no key. */
const verbatimMode: SearchMode = { reader: quotesSkippingReader, minLength: minUnits, minRun: minRunOf(minUnits, 12) };

/** A key in other groups (a UUID without its dashes) is still that key; less of it may be there by chance. */
const ungrouped: SearchMode = { reader: ungroupedReader, minLength: minUnits, minRun: minRunOf(10, 14) };

const insideTags: SearchMode = { ...ungrouped, reader: insideTagsReader };

/** Pieces of which one alone may be there by chance; see `together`. */
const scattered: SearchMode = { ...verbatimMode, minRun: (length) => Math.min(length, 8) };

/** What is cut out of a text, and what stands there instead. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly placeholder: string;
}

/** A cut and which units of which needle stand there, both inclusive. */
interface Find extends Cut {
  readonly pattern: Pattern;
  readonly from: number;
  readonly to: number;
}

/** The finds of needles of which at least half stands in the text, in whatever pieces (eight bytes a line, one of them a member). */
const together = (finds: readonly Find[]): readonly Find[] =>
  [...groupBy(finds, ({ pattern }) => pattern.needle.family).values()]
    .flatMap((ofOne) => {
      const units = new Set<number>();
      for (const { from, to } of ofOne) for (let unit = from; unit <= to; unit += 1) units.add(unit);
      const longest = Math.max(...ofOne.map(({ pattern }) => pattern.classes.length));
      return units.size * 2 >= longest ? ofOne : [];
    })
    .sort((one, other) => one.start - other.start);

/** Finds what is to be cut, in order and apart. */
type Stage = (text: string) => readonly Cut[];

interface UnitSequence {
  readonly codes: Uint16Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly length: number;
}

/** The units of a text with where each stands. */
const readUnits = (text: string, reader: UnitReader): UnitSequence => {
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

/** True where the text, or a piece of it, ends at `at`, perhaps inside an escape. */
const endsAt = (text: string, at: number): boolean =>
  /^(?:[%&\\][^\u0000]{0,5}|[\s"'\\]*)(?:\u0000|$)/.test(text.slice(at, at + 8));

/** Takes in the characters around that carry bits of the needle, and the padding of base64. */
const withEdges = (
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
  /** Units of the text, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Where unit 0 of the pattern stands, or would stand. */
  readonly origin: number;
  /** Spelled just so, letters' case and all. */
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

/** What counts: needles in full, pieces of them too, and a needle's beginning where the text is cut off. */
type Extent = 'full' | 'pieces' | 'pieces and beginnings';

const cutsOf = (text: string, automaton: Automaton, extent: Extent): readonly Find[] => {
  const { codes, starts, ends, length } = readUnits(text, automaton.reader);
  const { go, width, found, classOf } = automaton;
  const cuts: Find[] = [];
  let done = 0;
  let state = 0;
  const endsWithin = text.includes(textSeparator) ? 0 : text.length - 8;

  /** The longest run of a pattern whose unit 0 stands, or would stand, at `origin`, through the units from `from` to `to`. */
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
      extent === 'full'
        ? whole && pattern.full
        : run >= pattern.minRun || (extent === 'pieces and beginnings' && beginning());
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
      const { needle } = best.pattern;
      const [start, end] = withEdges(text, starts[best.first] ?? 0, ends[best.last] ?? 0, needle.edges);
      const before = cuts.at(-1)?.end ?? 0;
      cuts.push({
        start: Math.max(start, before),
        end,
        placeholder: best.whole ? needle.placeholder : needle.partPlaceholder,
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
  return cuts;
};

/** A spelling that is taken out letter by letter, whatever stands around it. */
const exactStage =
  (spelling: string, placeholder: string): Stage =>
  (text) => {
    const cuts: Cut[] = [];
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + spelling.length))
      cuts.push({ start: at, end: at + spelling.length, placeholder });
    return cuts;
  };

/** A needle too short to be told from chance but letter by letter. */
export interface ShortSpelling extends Pick<SecretSpelling, 'text' | 'placeholder' | 'edges'> {
  /** Counts only where no letter or digit stands beside it. */
  readonly alone: boolean;
}

const chunk = 8_192;

const asText = (codes: Uint16Array): string => {
  const pieces: string[] = [];
  for (let at = 0; at < codes.length; at += chunk) pieces.push(String.fromCharCode(...codes.subarray(at, at + chunk)));
  return pieces.join('');
};

const readSpellings = (text: string): string[] => [
  ...new Set(
    [unescapingReader.literalUnitsOf(text), unescapingReader.unitsOf(text)].map((codes) =>
      asText(Uint16Array.from(codes)),
    ),
  ),
];

/** Looks for short needles in what the text says, however that is escaped; of two that overlap, the longer is taken. */
const shortStage = (needles: readonly ShortSpelling[]): Stage => {
  const wanted = needles
    .flatMap((needle) => readSpellings(needle.text).map((spelling) => ({ ...needle, spelling })))
    .filter(({ spelling }) => spelling !== '')
    .sort((a, b) => b.spelling.length - a.spelling.length);
  return (text) => {
    const { codes, starts, ends, length } = readUnits(text, unescapingReader);
    const said = asText(codes.subarray(0, length));
    const taken = new Uint8Array(length);
    const cuts: Cut[] = [];
    const besideLetter = (at: number): boolean => at >= 0 && at < length && isAlphanumeric(codes[at] ?? 0);
    for (const { spelling, placeholder, edges, alone } of wanted) {
      for (let at = said.indexOf(spelling); at >= 0; at = said.indexOf(spelling, at + 1)) {
        const after = at + spelling.length;
        if (alone && (besideLetter(at - 1) || besideLetter(after))) continue;
        if (taken.subarray(at, after).includes(1)) continue;
        taken.fill(1, at, after);
        const [start, end] = withEdges(text, starts[at] ?? 0, ends[after - 1] ?? 0, edges);
        cuts.push({ start, end, placeholder });
      }
    }
    cuts.sort((one, other) => one.start - other.start);
    let done = 0;
    return cuts.map(({ start, end, placeholder }) => {
      const cut = { start: Math.max(start, done), end: Math.max(end, done), placeholder };
      done = cut.end;
      return cut;
    });
  };
};

/** `parts`: text and placeholder in turn, text first and last. Only text is looked at. */
const apply = (parts: readonly string[], stage: Stage): readonly string[] => {
  const cutParts: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      cutParts.push(part);
      continue;
    }
    let at = 0;
    for (const { start, end, placeholder } of stage(part)) {
      cutParts.push(part.slice(at, start), placeholder);
      at = end;
    }
    cutParts.push(part.slice(at));
  }
  return cutParts;
};

export interface RedactorOptions {
  readonly needles: readonly SecretSpelling[];
  /** Spellings that go first, whatever they seem to escape: spelling → placeholder. */
  readonly exact: ReadonlyMap<string, string>;
  readonly short: readonly ShortSpelling[];
}

const anyTag = /<\/?[a-z]/i;

/** Builds the function that takes every needle out of a text. Time is linear in the text. */
export const createRedactor = ({ needles, exact, short }: RedactorOptions): ((text: string) => string) => {
  const exactStages = [...exact]
    .filter(([text]) => text !== '')
    .sort(([a], [b]) => b.length - a.length)
    .map(([spelling, placeholder]) => exactStage(spelling, placeholder));
  const shortStages = [
    // As they stand, too: with what is around them, they may read as an escape.
    ...short
      .filter(({ alone, edges }) => !alone && !edges)
      .map(({ text, placeholder }) => exactStage(text, placeholder)),
    ...(short.length > 0 ? [shortStage(short)] : []),
  ];
  const asTheyStand = needles.filter((needle) => !needle.ungroupedOnly);
  const written = new Automaton(asTheyStand, verbatimMode);
  const regrouped = new Automaton(needles, ungrouped);
  const inPieces = new Automaton(asTheyStand, scattered);
  let inTags: Automaton | undefined;
  /** Made when the first text has a tag: most have none. */
  const hitsInTags = (text: string): Automaton | undefined => {
    if (!anyTag.test(text)) return undefined;
    inTags ??= new Automaton(needles, insideTags);
    return inTags.hits(text) ? inTags : undefined;
  };
  const cutting =
    (automaton: Automaton, extent: Extent): Stage =>
    (text) =>
      cutsOf(text, automaton, extent);
  // A key in other groups has pieces that are long enough by themselves, so that pieces come last.
  const full = cutting(written, 'full');
  const pieces = cutting(written, 'pieces and beginnings');
  const otherGroups = cutting(regrouped, 'pieces');
  // First of all pieces, since what is cut out hides how much was there, but for what a later stage takes as one.
  const manyPieces =
    (later: readonly Stage[]): Stage =>
    (text) => {
      const taken = later.flatMap((stage) => stage(text));
      return together(cutsOf(text, inPieces, 'pieces')).filter(({ start, end }) =>
        taken.every((cut) => end <= cut.start || start >= cut.end),
      );
    };
  return (text) => {
    const asItIs = written.hits(text);
    const attributes = hitsInTags(text);
    const inGroups = [
      ...(regrouped.hits(text) ? [otherGroups] : []),
      ...(attributes ? [cutting(attributes, 'pieces')] : []),
    ];
    const stages = [
      ...exactStages,
      ...(asItIs ? [full] : []),
      ...(inPieces.hits(text) ? [manyPieces(inGroups)] : []),
      ...inGroups,
      ...(asItIs ? [pieces] : []),
      ...shortStages,
    ];
    let parts: readonly string[] = [text];
    for (const stage of stages) parts = apply(parts, stage);
    return parts.length === 1 ? text : parts.join('');
  };
};
