import { curlLine } from '../engine/curl-line.js';
import type { ClauseResult, Finding } from '../engine/results.js';
import type { Explanation } from '../rules/rule.js';
import { visible, visibleLines } from '../visible.js';
import type { Attempt, Exchange } from '../wire/types.js';
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
