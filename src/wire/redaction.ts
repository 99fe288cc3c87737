import { groupBy, lazy } from '../collections.js';
import { Automaton, type SearchMode, type SecretSpelling } from './automaton.js';
import { carriedTexts } from './carried-texts.js';
import { type Cut, findSpellings, type Match, minUnits, readUnits, withEdges } from './spelling-search.js';
import {
  insideTagsReader,
  isAlphanumeric,
  quotesSkippingReader,
  unescapingReader,
  ungroupedReader,
} from './unit-reader.js';

/**
 * Replaces a whole text that contains a secret in another form than its exact spellings: regrouped,
 * inside a tag, or in scattered parts.
 */
export const withheldText = '<withheld: a secret stands in this text in another spelling>';

/**
 * Minimum run of units: two fifths of a secret reveal it; for a long secret, which may be split
 * into parts, `most` units.
 */
const minRunOf =
  (fewest: number, most: number) =>
  (length: number): number =>
    Math.min(length, most, Math.max(fewest, Math.floor(length * 0.4)));

/** Finds exact spellings in any escapes. Quotes and white space between characters are skipped. */
const exactMode: SearchMode = { reader: quotesSkippingReader, minLength: minUnits, minRun: minRunOf(minUnits, 12) };

/** Finds secrets by their letters and digits: a UUID without its dashes is still the key. */
const ungroupedMode: SearchMode = { reader: ungroupedReader, minLength: minUnits, minRun: minRunOf(10, 14) };

const insideTagsMode: SearchMode = { ...ungroupedMode, reader: insideTagsReader };

/** Finds short parts, each of which may occur by chance; see `leavesHalf`. */
const scatteredMode: SearchMode = { ...exactMode, minRun: (length) => Math.min(length, 8) };

const unitsOf = (matches: readonly Match[]): ReadonlySet<number> =>
  new Set(matches.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)));

/**
 * Whether at least half of one secret is in the text (such as a dump with eight bytes per line),
 * and what remains of it is as much, or is no repetition of what is replaced.
 */
const leavesHalf = (matches: readonly Match[], remains: (match: Match) => boolean): boolean =>
  [...groupBy(matches, ({ pattern }) => pattern.spelling.family).values()].some((ofOne) => {
    const longest = Math.max(...ofOne.map(({ pattern }) => pattern.classes.length));
    const left = unitsOf(ofOne.filter(remains));
    if (unitsOf(ofOne).size * 2 < longest) return false;
    const replaced = unitsOf(ofOne.filter((match) => !remains(match)));
    return left.size * 2 >= longest || [...left].some((unit) => !replaced.has(unit));
  });

/** Finds the ranges to replace, in order and without overlap. */
type RedactionStage = (text: string) => readonly Cut[];

/** Replaces a spelling literally, whatever its context. */
const literalStage =
  (spelling: string, placeholder: string): RedactionStage =>
  (text) => {
    const cuts: Cut[] = [];
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + spelling.length))
      cuts.push({ start: at, end: at + spelling.length, placeholder });
    return cuts;
  };

/** A spelling that is too short to be searched for in parts. */
export interface ShortSpelling extends Pick<SecretSpelling, 'text' | 'placeholder' | 'edges'> {
  /** Whether it only counts without a letter or digit next to it. */
  readonly alone: boolean;
}

const asText = ({ buffer, byteOffset, byteLength }: Uint16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('utf16le');

const readSpellings = (text: string): string[] => [
  ...new Set(
    [unescapingReader.literalUnitsOf(text), unescapingReader.unitsOf(text)].map((codes) =>
      asText(Uint16Array.from(codes)),
    ),
  ),
];

/** A URL in a string of JSON in a page is three layers. */
const mostLayers = 3;

/** Finds short spellings in the unescaped text. Of two that overlap, the longer one wins. */
const shortStage = (spellings: readonly ShortSpelling[]): RedactionStage => {
  const wanted = spellings
    .flatMap((short) => readSpellings(short.text).map((spelling) => ({ ...short, spelling })))
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

/**
 * Applies a stage to the texts among `parts`.
 * @param parts text and placeholder in turn, starting and ending with text
 */
const apply = (parts: readonly string[], stage: RedactionStage): readonly string[] => {
  const cutParts: string[] = [];
  parts.forEach((part, index) => {
    if (index % 2 === 1) {
      cutParts.push(part);
      return;
    }
    let at = 0;
    for (const { start, end, placeholder } of stage(part)) {
      cutParts.push(part.slice(at, start), placeholder);
      at = end;
    }
    cutParts.push(part.slice(at));
  });
  return cutParts;
};

/** What a redactor searches for. Building it costs more than redacting many texts. */
export type SecretSearch = ReturnType<typeof createSecretSearch>;

export const createSecretSearch = (spellings: readonly SecretSpelling[], short: readonly ShortSpelling[]) => {
  const exactSpellings = spellings.filter((spelling) => !spelling.ungroupedOnly);
  return {
    exact: new Automaton(exactSpellings, exactMode),
    ungrouped: new Automaton(spellings, ungroupedMode),
    scattered: new Automaton(exactSpellings, scatteredMode),
    /** Created for the first text with a tag, which most texts lack. */
    insideTags: lazy(() => new Automaton(spellings, insideTagsMode)),
    shortStages: [
      // Literally too, since they may look like an escape together with the text around them.
      ...short
        .filter(({ alone, edges }) => !alone && !edges)
        .map(({ text, placeholder }) => literalStage(text, placeholder)),
      ...(short.length > 0 ? [shortStage(short)] : []),
    ],
  };
};

const anyTag = /<(?:[/?]?[a-z]|!)/i;

/**
 * Builds a function that removes all secrets from a text, in time linear in its length. An exact
 * spelling is replaced by its placeholder. A text with any other form of a secret becomes
 * `withheldText`.
 * @param literal spellings that are replaced before anything is unescaped: spelling → placeholder
 */
export const createRedactor = (
  { exact, ungrouped, scattered, insideTags, shortStages }: SecretSearch,
  literal: ReadonlyMap<string, string>,
): ((text: string) => string) => {
  const literalStages = [...literal]
    .filter(([text]) => text !== '')
    .sort(([a], [b]) => b.length - a.length)
    .map(([spelling, placeholder]) => ({ spelling, stage: literalStage(spelling, placeholder) }));

  const whole: RedactionStage = (text) => findSpellings(text, exact, 'whole');
  const parts: RedactionStage = (text) => findSpellings(text, exact, 'parts and beginnings');
  const search = (text: string, automaton: Automaton): readonly Match[] =>
    automaton.hits(text) ? findSpellings(text, automaton, 'parts') : [];

  /** Whether a text contains a secret that would remain after replacing exact spellings. */
  const holdsOtherReading = (text: string): boolean => {
    const found = [...search(text, ungrouped)];
    if (anyTag.test(text)) found.push(...search(text, insideTags()));
    const short = search(text, scattered);
    if (found.length + short.length === 0) return false;
    const cuts = parts(text);
    const remains = ({ start, end }: Match): boolean => !cuts.some((cut) => cut.start <= start && end <= cut.end);
    return found.some(remains) || leavesHalf(short, remains);
  };

  const redact = (text: string): string => {
    const isExact = exact.hits(text);
    let pieces: readonly string[] = [text];
    for (const { spelling, stage } of literalStages) if (text.includes(spelling)) pieces = apply(pieces, stage);
    if (isExact) pieces = apply(pieces, whole);
    if (pieces.some((piece, index) => index % 2 === 0 && holdsOtherReading(piece))) return withheldText;
    if (isExact) pieces = apply(pieces, parts);
    for (const stage of shortStages) pieces = apply(pieces, stage);
    return pieces.length === 1 ? text : pieces.join('');
  };

  return (text) => {
    const safe = redact(text);
    const known = new Set([safe]);
    let carriers = [safe];
    for (let layer = 0; layer < mostLayers && carriers.length > 0; layer += 1) {
      carriers = carriers.flatMap(carriedTexts).filter((text) => !known.has(text) && known.add(text));
      if (carriers.some((carried) => redact(carried) !== carried)) return withheldText;
    }
    return safe;
  };
};
