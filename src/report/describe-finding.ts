import { groupBy, type Json } from '../collections.js';
import { differs } from '../engine/access-matrix.js';
import { curlLine } from '../engine/curl-line.js';
import type { ClauseResult, Drift, Finding, MatrixCell } from '../engine/results.js';
import type { Explanation } from '../rules/rule.js';
import { visible, visibleLines } from '../visible.js';
import type { Attempt, Exchange } from '../wire/types.js';
import { capitalised, clip, count, counted, firstOf } from '../words.js';
import { decisiveId, findingsById, type RunSummary } from './run-summary.js';

/** `200 application/json`, or an error code. */
export const answerSummary = ({ response, error }: Attempt): string => {
  if (!response) return error ? error.code : 'no answer';
  return `${response.status} ${visible(response.shape.mediaType)}`.trim();
};

/** `We know. Until 2026-12-31. See https://example.com/1` */
export const deviationText = ({ reason, expires, link }: NonNullable<Finding['deviation']>): string =>
  [reason, ...(expires ? [`Until ${expires}.`] : []), ...(link ? [`See ${link}`] : [])].join(' ');

/**
 * The texts that every report shows of a finding.
 * @param exchange the finding's decisive exchange, for the answer and the curl line
 * @param options the run's, for the curl line
 */
export const describeFinding = (
  finding: Finding,
  exchange: Exchange | undefined,
  options: RunSummary['options'] = {},
) => {
  const { reason, expected, note, blockedBy = [], deviation } = finding;
  const last = exchange?.attempts.at(-1);
  const reading = finding.readings?.find((each) => each.exchange === decisiveId(finding));
  const by = reading ? ` (line ${reading.line} of the table in docs/how-it-judges.md)` : '';
  const seen = finding.seen ?? (expected !== undefined && last ? answerSummary(last) : undefined);
  return {
    reason,
    expected,
    seen: seen && `${seen}${by}`,
    note,
    /** Ids of checks and controls that did not pass, so that this one could not be judged. */
    blockedBy,
    /** Why, and until when, the failure is accepted. */
    known: deviation && deviationText(deviation),
    curl: exchange && curlLine(exchange, options),
  };
};

export type FindingText = ReturnType<typeof describeFinding>;

/** The sentences of a finding's clauses as lines, for JUnit and Playwright. */
export const clauseSentences = (
  { clauses }: Finding,
  all: readonly Pick<ClauseResult, 'id' | 'text'>[],
): readonly string[] =>
  all.flatMap(({ id, text }) => (clauses.includes(id) ? [visibleLines(`clause:   ${id}: ${text}`)] : []));

/** The texts as lines, for JUnit and Playwright. */
export const findingLines = (of: FindingText): readonly string[] =>
  [
    capitalised(of.reason),
    of.expected && `expected: ${of.expected}`,
    of.seen && `seen:     ${of.seen}`,
    of.note,
    of.blockedBy.length > 0 ? `blocked by: ${of.blockedBy.join(', ')}` : '',
    of.known && `known and accepted: ${of.known}`,
    of.curl && `try it:   ${of.curl}`,
  ].flatMap((line) => (line ? [visibleLines(line)] : []));

export type { Explanation };

/** Gives the text of a rule id, `undefined` for a rule that it does not know. */
export type Explain = (ruleId: string) => Explanation | undefined;

export const explanationParts = ({ asks, sends, judged, causes, fixes }: Explanation) =>
  [
    ['What it asks', asks],
    ['What is sent', sends],
    ['How it is judged', judged],
    ['What usually causes a failure', causes],
    ['How servers fix it', fixes],
  ] as const;

/** A place in which two values differ; a side that is absent has nothing there. */
interface ValueDifference {
  /** Member names and positions, separated by dots. */
  readonly place: string;
  readonly was: Json | undefined;
  readonly is: Json | undefined;
}

const entriesOf = (value: Json | undefined): ReadonlyMap<string, Json> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;

/** Lists of texts are sets: order and position mean nothing. */
const isSet = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const differencesOf = (was: Json | undefined, is: Json | undefined, place = ''): readonly ValueDifference[] => {
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const [before, after] = [entriesOf(was), entriesOf(is)];
  if (!before || !after || isSet(was) || isSet(is)) return [{ place, was, is }];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) =>
    differencesOf(before.get(name), after.get(name), place === '' ? name : `${place}.${name}`),
  );
};

const clippedValue = (value: Json): string => clip(typeof value === 'string' ? value : JSON.stringify(value), 80);

/** A place in a schema as in a body: `results[].id`. */
const placeInBody = (place: string): string =>
  place.replace(/(^|\.)properties\./g, '$1').replace(/\.items(?=\.|$)/g, '[]');

const differenceWords = ({ place, was, is }: ValueDifference): string => {
  const name = place === '' ? 'it' : placeInBody(place);
  if (was === undefined) return `${name} is new`;
  return is === undefined ? `${name} is gone` : `${name} was ${clippedValue(was)}, is ${clippedValue(is)}`;
};

const most = 5;

/** What differs from the baseline: `status was 401, is 403`. */
export const driftWords = ({ was, is }: Drift): string => {
  if (is === undefined) return was === undefined ? 'it is gone' : `it is gone; it was ${clippedValue(was)}`;
  if (was === undefined) return `it is new: ${clippedValue(is)}`;
  return firstOf(differencesOf(was, is).map(differenceWords), most);
};

/** `driftWords`, with how sure it is: a fact of one read may be a passing one. */
export const sureDriftWords = (drift: Drift): string => {
  const surety = drift.reads > 1 ? `the same in ${counted(drift.reads, 'read')}` : 'seen once';
  return drift.is === undefined ? driftWords(drift) : `${driftWords(drift)} (${surety})`;
};

/** The request that shows what is, as a curl command; none for what is gone. */
export const driftCurl = (
  { exchanges: [id = ''] }: Drift,
  decisive: ReadonlyMap<string, Exchange> = new Map(),
  options: RunSummary['options'],
): string | undefined => {
  const exchange = decisive.get(id);
  return exchange && curlLine(exchange, options);
};

/** How a cell of the access matrix is shown. */
interface CellWords {
  /** `refuses`, `not asked`. */
  readonly text: string;
  readonly glyph: '✓' | '✗' | '≠' | '?' | '·' | '–';
  readonly tone: 'good' | 'bad' | 'open' | 'quiet';
}

/** @param check its finding: a difference counts against the server only where it failed */
export const cellWords = (cell: MatrixCell, check: Pick<Finding, 'outcome'> | undefined): CellWords => {
  const { seen: text, documented } = cell;
  if (text === 'notAsked') return { text: 'not asked', glyph: '–', tone: 'quiet' };
  if (text === 'unclear') return { text, glyph: '?', tone: documented === 'unstated' ? 'quiet' : 'open' };
  if (differs(cell))
    return check?.outcome === 'failed' ? { text, glyph: '✗', tone: 'bad' } : { text, glyph: '≠', tone: 'open' };
  return documented === 'unstated' ? { text, glyph: '·', tone: 'quiet' } : { text, glyph: '✓', tone: 'good' };
};

export const documentWords: Readonly<Record<string, string>> = {
  protected: 'needs the key',
  public: 'public',
  unstated: 'not stated',
};

/** Legend of the signs, in the order in which they matter. */
export const matrixLegend: readonly (readonly [CellWords['glyph'], CellWords['tone'], string])[] = [
  ['✗', 'bad', 'differs from the document, and a check failed'],
  ['≠', 'open', 'differs, and may be the fault of the key or the settings'],
  ['✓', 'good', 'as documented'],
  ['·', 'quiet', 'the document says nothing'],
  ['?', 'open', 'unclear'],
  ['–', 'quiet', 'not asked'],
];

export const matrixLegendLine = matrixLegend.map(([glyph, , words]) => `${glyph} ${words}`).join(', ');

/** `2 of 30 operations answer somebody in another way than the document says.` */
export const differingSentence = (differing: number, all: number): string =>
  `${count(differing)} of ${counted(all, 'operation')} ${differing === 1 ? 'answers' : 'answer'} somebody in another way than the document says.`;

const mostOperations = 20;
const widestName = 44;
/** `✗ refuses` */
const narrowestColumn = 9;

/**
 * The access matrix for a terminal, where several holders of keys asked: a row for each operation.
 * If there are too many, those that differ from the document are shown.
 */
export const accessLines = (
  { matrix, identities, operations, checks }: RunSummary,
  paint: (tone: CellWords['tone'], text: string) => string,
): readonly string[] => {
  if (identities.filter(({ alive }) => alive !== undefined).length < 2) return [];
  const byId = findingsById({ checks });
  const cells = groupBy(matrix, ({ operation }) => operation);
  const asked = operations.filter(({ id }) => cells.get(id)?.some(({ seen }) => seen !== 'notAsked'));
  const isRight = ({ id }: (typeof asked)[number]): boolean => !cells.get(id)?.some(differs);
  const shown = asked.toSorted((a, b) => Number(isRight(a)) - Number(isRight(b))).slice(0, mostOperations);
  const rows = operations.filter((operation) => shown.includes(operation));
  const nameOf = ({ method, path }: (typeof asked)[number]): string => clip(visible(`${method} ${path}`), widestName);
  const width = Math.max(...rows.map((row) => nameOf(row).length), 0);
  const names = identities.map(({ name }) => clip(visible(name), 16).padEnd(narrowestColumn));
  const left = asked.length - rows.length;
  return [
    '',
    `${'Who gets what'.padEnd(width)}  ${names.join('  ')}`,
    ...rows.map((row) => {
      const own = (cells.get(row.id) ?? []).map((cell, index) => {
        const { glyph, tone } = cellWords(cell, byId.get(cell.check ?? ''));
        const text = cell.seen === 'notAsked' ? glyph : `${glyph} ${cell.seen}`;
        return paint(tone, text.padEnd(names[index]?.length ?? 0));
      });
      return `${nameOf(row).padEnd(width)}  ${own.join('  ')}`.trimEnd();
    }),
    ...(left > 0 ? [`and ${counted(left, 'more operation')} in the report`] : []),
    matrixLegendLine,
  ];
};
