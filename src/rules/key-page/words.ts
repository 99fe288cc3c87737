/** Words that the rules of the key page share. */

/** A text of the page, as a reason tells it. */
export const quote = (text: string): string => `“${text.length > 160 ? `${text.slice(0, 157)}…` : text}”`;

export const apiSilent =
  'The API gave no usable answer about a key from the page: see the findings of the protected operation.';

/** What they send, for their explanations. */
export const walksThroughKeyPage =
  'A browser logs in (LOGIN_URL, WEB_USERNAME, WEB_PASSWORD) and opens KEY_PAGE_URL. Judged only when KEY_PAGE_URL is given.';
