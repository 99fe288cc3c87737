import type { Judgement } from '../rule.js';
import { because } from '../support/causes.js';
import { inconclusive } from '../support/judgement.js';

/** Words that the rules of the key page share. */

/** A text of the page, as a reason tells it. */
export const quote = (text: string): string => `“${text.length > 160 ? `${text.slice(0, 157)}…` : text}”`;

/** The walk did not come to what is judged, for the reason that it gives. */
export const notSeen = (reason: string, ...values: readonly string[]): Judgement =>
  inconclusive(because('page-not-seen', ...values), reason, []);

export const apiSilent = inconclusive(
  because('page-not-seen', 'api'),
  'The API gave no usable answer about a key from the page: see the findings of the protected operation.',
  [],
);

/** What they send, for their explanations. */
export const walksThroughKeyPage =
  'A browser logs in (LOGIN_URL, WEB_USERNAME, WEB_PASSWORD) and opens KEY_PAGE_URL. Judged only when KEY_PAGE_URL is given.';
