import type { Json } from '../canonical-json.js';
import { curlLine } from '../engine/curl-line.js';
import type { ClauseResult, Drift, Finding } from '../engine/results.js';
import type { Explanation } from '../rules/rule.js';
import { visible, visibleLines } from '../visible.js';
import type { Attempt, Exchange } from '../wire/types.js';
import { clip, counted, firstOf } from '../words.js';
import type { RunSummary } from './run-summary.js';

/** `200 application/json`, or an error code. */
export const answerSummary = ({ response, error }: Attempt): string => {
  if (!response) return error ? error.code : 'no answer';
  return `${response.status} ${visible(response.shape.mediaType)}`.trim();
};

/** `We know. Until 2026-12-31. See https://example.com/1` */
export const deviationText = ({ reason, expires, link }: NonNullable<Finding['deviation']>): string =>
  [reason, ...(expires ? [`Until ${expires}.`] : []), ...(link ? [`See ${link}`] : [])].join(' ');

/**
 * @param exchange the finding's decisive exchange
 * @param options the run's, for the curl line
 */
export const describeFinding = (
  finding: Finding,
  exchange: Exchange | undefined,
  options: RunSummary['options'] = {},
) => {
  const { reason, expected, note, blockedBy = [], deviation } = finding;
  const last = exchange?.attempts.at(-1);
  const reading = finding.readings?.find(({ exchange: id }) => id === exchange?.id);
  const by = reading ? ` (line ${reading.line} of the table in docs/how-it-judges.md)` : '';
  const seen = finding.seen ?? (expected !== undefined && last ? answerSummary(last) : undefined);
  return {
    reason,
    /** What a conforming server may answer. */
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
    of.reason,
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
interface Difference {
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

const differencesOf = (was: Json | undefined, is: Json | undefined, place = ''): readonly Difference[] => {
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const [before, after] = [entriesOf(was), entriesOf(is)];
  if (!before || !after || isSet(was) || isSet(is)) return [{ place, was, is }];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) =>
    differencesOf(before.get(name), after.get(name), place === '' ? name : `${place}.${name}`),
  );
};

const text = (value: Json): string => clip(typeof value === 'string' ? value : JSON.stringify(value), 80);

/** A place in a schema as in a body: `results[].id`. */
const placeInBody = (place: string): string =>
  place.replace(/(^|\.)properties\./g, '$1').replace(/\.items(?=\.|$)/g, '[]');

const differenceWords = ({ place, was, is }: Difference): string => {
  const name = place === '' ? 'it' : placeInBody(place);
  if (was === undefined) return `${name} is new`;
  return is === undefined ? `${name} is gone` : `${name} was ${text(was)}, is ${text(is)}`;
};

const most = 5;

/** What differs from the baseline: `status was 401, is 403`. */
export const driftWords = ({ was, is }: Drift): string => {
  if (is === undefined) return was === undefined ? 'it is gone' : `it is gone; it was ${text(was)}`;
  if (was === undefined) return `it is new: ${text(is)}`;
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
