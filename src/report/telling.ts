import type { Finding, StoredAttempt, StoredExchange } from '../engine/results.js';
import { curlLine } from './curl.js';
import type { RunHead } from './sentences.js';
import { visible, visibleLines } from './text.js';

/** What every report says of one finding. Each shows it in its own form, none says more or less. */
export interface Told {
  readonly reason: string;
  /** What a conforming server may answer. */
  readonly expected?: string;
  readonly seen?: string;
  readonly note?: string;
  /** Ids of the checks and controls that it rests on, and that did not pass. */
  readonly restsOn?: readonly string[];
  /** Why and until when the failure is accepted. */
  readonly known?: string;
  /** The request that shows it, as a line for a terminal. */
  readonly curl?: string;
}

/** `200 application/json`, or what went wrong. */
export const answerInShort = ({ response, error }: StoredAttempt): string => {
  if (!response) return error ? error.code : 'no answer';
  return `${response.status} ${visible(response.shape.mediaType)}`.trim();
};

/** `We know. Until 2026-12-31. See https://example.com/1` */
export const knownInWords = ({ reason, expires, link }: NonNullable<Finding['deviation']>): string =>
  [reason, ...(expires ? [`Until ${expires}.`] : []), ...(link ? [`See ${link}`] : [])].join(' ');

/**
 * @param exchange the decisive one of the finding
 * @param options the run's, for the curl line
 */
export const toldOf = (
  finding: Finding,
  exchange: StoredExchange | undefined,
  options: RunHead['options'] = {},
): Told => {
  const { reason, expected, note, blockedBy = [], deviation } = finding;
  const last = exchange?.attempts.at(-1);
  const reading = finding.readings?.find(({ exchange: id }) => id === exchange?.id);
  const by = reading ? ` (line ${reading.line} of the table in docs/how-it-judges.md)` : '';
  const seen = finding.seen ?? (expected !== undefined && last ? answerInShort(last) : undefined);
  return {
    reason,
    ...(expected === undefined ? {} : { expected }),
    ...(seen === undefined ? {} : { seen: `${seen}${by}` }),
    ...(note === undefined ? {} : { note }),
    ...(blockedBy.length === 0 ? {} : { restsOn: blockedBy }),
    ...(deviation ? { known: knownInWords(deviation) } : {}),
    ...(exchange ? { curl: curlLine(exchange, options) } : {}),
  };
};

/** The same as lines of text, for reports that have no other form: JUnit and Playwright. */
export const linesOf = ({ reason, expected, seen, note, restsOn, known, curl }: Told): readonly string[] =>
  [
    reason,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(seen === undefined ? [] : [`seen:     ${seen}`]),
    ...(note === undefined ? [] : [note]),
    ...(restsOn === undefined ? [] : [`rests on: ${restsOn.join(', ')}`]),
    ...(known === undefined ? [] : [`known and accepted: ${known}`]),
    ...(curl === undefined ? [] : [`try it:   ${curl}`]),
  ].map(visibleLines);
