import type { Operation, SourcePosition } from '../../contract/model.js';
import type { Exchange } from '../../wire/types.js';
import { firstOf } from '../../words.js';
import type { Blocker, Judgement } from '../rule.js';
import type { Cause } from './headlines.js';

export type { Blocker } from '../rule.js';
export type { Cause, CauseId, OwnCauseId } from './headlines.js';

/** Makes judgements, and the words that they share. */

export const because = (id: Cause['id'], ...values: readonly (string | number | undefined)[]): Cause =>
  values.length === 0 ? { id } : { id, values: values.map((value) => String(value ?? '')) };

/** A cause that several requests show, each by itself. */
export const becauseOf = (cause: Cause, ways: readonly string[]): Cause => ({ ...cause, ways });

export const onCheck = (rule: string, operation: string): Blocker => ({ kind: 'check', id: `${rule}@${operation}` });

export const onControl = (operation: string): Blocker => ({ kind: 'control', operation });

const blockerName = (blocker: Blocker): string =>
  blocker.kind === 'check' ? blocker.id : `keyed control of ${blocker.operation}`;

/** What a check depends on: `blockedBy` for people, `blockers` for code. */
export const restingOn = (
  blockers: readonly Blocker[],
): { readonly blockedBy: readonly string[]; readonly blockers: readonly Blocker[] } => ({
  blockedBy: blockers.map(blockerName),
  blockers,
});

/** Optional parts of a judgement. */
export type JudgementDetails = Partial<Omit<Judgement, 'outcome' | 'reason' | 'exchanges' | 'cause'>>;

const as =
  (outcome: Judgement['outcome']) =>
  (reason: string, exchanges: readonly Exchange[], more: JudgementDetails = {}): Judgement => ({
    outcome,
    reason,
    exchanges,
    ...more,
  });

/** Judgements that may need action have a cause that code can use. */
const asBecause =
  (outcome: Judgement['outcome']) =>
  (cause: Cause, reason: string, exchanges: readonly Exchange[], more: JudgementDetails = {}): Judgement => ({
    outcome,
    reason,
    cause,
    exchanges,
    ...more,
  });

export const passed = as('passed');
export const observed = as('observed');
export const excluded = (reason: string): Judgement => as('excluded')(reason, []);
export const failed = asBecause('failed');
export const lenient = asBecause('lenient');
export const inconclusive = asBecause('inconclusive');
export const blocked = asBecause('blocked');

/** Blocked by one check or control, which explains it. */
export const blockedBy = (
  on: Blocker,
  cause: Cause,
  reason: string,
  exchanges: readonly Exchange[],
  more: JudgementDetails = {},
): Judgement => blocked(cause, reason, exchanges, { blockedBy: [on], ...more });

/** A failure, if a second try shows it again. `otherwise` says what that showed instead. */
export const shownTwice = (isShownAgain: boolean, found: Judgement, otherwise: string): Judgement =>
  isShownAgain
    ? found
    : inconclusive(because('changes-between-tries', ...(found.cause?.values ?? [])), otherwise, found.exchanges);

/** `a`, `a and b`, `a, b and 3 more`. */
export const listed = (words: readonly string[], most = 3): string => {
  const unique = [...new Set(words)];
  if (unique.length <= 1) return unique[0] ?? '';
  if (unique.length <= most) return `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`;
  return firstOf(unique, most);
};

export const asksForTheKey = ({ security, position }: Operation): string =>
  `The document asks for ${listed(security.map(({ name }) => `"${name}"`))} here${atLine(lineOf(position))}`;

/** How sentences name a line of the document, and how it is taken out of them again. */

/** `openapi.yaml:12`; in a document of one line with the column. */
export const lineOf = ({ file, line, column }: SourcePosition): string =>
  line === 1 ? `${file}:${line}:${column}` : `${file}:${line}`;

/** A line of `lineOf` behind the words that it belongs to: ` (openapi.yaml:12)`. */
export const atLine = (line: string): string => ` (${line})`;

/** A sentence without the lines that `atLine` put into it. */
export const withoutLines = (sentence: string): string => sentence.replace(/ \([^\s()]+(?::\d+){1,2}\)/g, '');
