import type { Finding } from '../engine/results.js';
import { because } from '../rules/causes.js';

/** The checks of the key page, in the order of a report. */
export const keyPageChecks = [
  { rule: 'makes-a-key', clauses: ['PAGE-1'], title: 'makes a key that opens the protected operation' },
  {
    rule: 'shows-the-current-key',
    clauses: ['PAGE-2'],
    title: 'shows the current key, after a reload and a new log-in too',
  },
  { rule: 'says-when-there-is-none', clauses: ['PAGE-3'], title: 'says that no key exists when there is none' },
  {
    rule: 'observes-key-life',
    clauses: [],
    gaps: ['GAP-KEY-LIFE'],
    title: 'life of a key: regeneration, transport, caching',
  },
] as const;

export type RuleId = (typeof keyPageChecks)[number]['rule'];
export type Judged = Pick<
  Finding,
  'outcome' | 'reason' | 'cause' | 'note' | 'expected' | 'seen' | 'blockedBy' | 'blockers'
>;

/** Check id of a rule on the key page. */
export const checkOf = (rule: RuleId): string => `${rule}@key-page`;

/** A text of the page, as a reason tells it. */
export const quote = (text: string): string => `“${text.length > 160 ? `${text.slice(0, 157)}…` : text}”`;

/** The walk did not come to what is judged; the sentence says why. */
export const notSeen = (reason: string, ...when: readonly string[]): Judged => ({
  outcome: 'inconclusive',
  cause: because('page-not-seen', ...when),
  reason,
});

export const apiSilent = notSeen(
  'The API gave no usable answer about a key from the page: see the findings of the protected operation.',
  'api',
);
