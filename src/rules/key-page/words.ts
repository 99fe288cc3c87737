import type { Judgement } from '../rule.js';
import { because } from '../support/causes.js';
import { inconclusive } from '../support/judgement.js';

/** Words that the key page rules share. */

/** Quotes a text of the page, shortened. */
export const quote = (text: string): string => `“${text.length > 160 ? `${text.slice(0, 157)}…` : text}”`;

/** Inconclusive: the walk did not get to the thing to judge. `reason` says why. */
export const notSeen = (reason: string, ...values: readonly string[]): Judgement =>
  inconclusive(because('page-not-seen', ...values), reason, []);

export const apiSilent = inconclusive(
  because('page-not-seen', 'api'),
  'The API gave no usable answer about a key from the page: see the findings of the protected operation.',
  [],
);

/** What the key page rules do, for their explanations. */
export const walksThroughKeyPage =
  'A browser logs in (LOGIN_URL, WEB_USERNAME, WEB_PASSWORD) and opens KEY_PAGE_URL. Judged only when KEY_PAGE_URL is given.';
