/** Which scalars say something about whose data a body holds, and which are there by chance, by clock or by echo. */

const day = 86_400_000;

const isToday = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(text);
  if (!match) return false;
  const moment = Date.parse(match[0]);
  return Number.isFinite(moment) && Math.abs(moment - Date.now()) < 2 * day;
};

const isNow = (value: number): boolean => [1, 1_000].some((unit) => Math.abs(value * unit - Date.now()) < 2 * day);

/** An IP address, media types, or a product with its version (`nginx/1.27.1`): error pages name the client's and the server's. */
const isOfTheConnection = (text: string): boolean =>
  /^(?:[a-z]+|\*)\/[\w.+*-]+(?:\s*[,;].*)?$/i.test(text) ||
  /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$/.test(text) ||
  /^[A-Za-z][\w.-]*\/v?\d+(?:\.\d+)*(?:[\s;]|$)/.test(text);

/**
 * Unlikely to be in an answer by chance: a number of five digits or more, or text with a space, a digit or an `@` in it.
 * Not: single words (they name states and kinds), links, today's date, round numbers, addresses and products.
 */
export const isDistinctive = (text: string): boolean => {
  if (text.length < 5 || text.length > 10_000) return false;
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    const value = Number(text);
    const digits = text.replace(/\D/g, '').replace(/^0+|0+$/g, '').length;
    return digits >= 4 && Math.abs(value) >= 1 && !isNow(value) && (Math.abs(value) >= 10_000 || text.includes('.'));
  }
  if (text.length < 6 || isToday(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text.includes('⟨sent⟩'))
    return false;
  if (isOfTheConnection(text)) return false;
  return /[\d@]/.test(text) || (/\s/.test(text.trim()) && text.length >= 8);
};

/** A word of a sentence that is unlikely to be there by chance: an address, or something long with digits in it. */
export const isTellingWord = (word: string): boolean =>
  isDistinctive(word) && (word.includes('@') || (word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word)));

/** A moment near now, or an identifier that was made for this one answer. */
export const isPassing = (text: string): boolean =>
  isToday(text) ||
  (/^\d{10,13}$/.test(text) && isNow(Number(text))) ||
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text) ||
  /^[0-9a-f]{16,}$/i.test(text) ||
  (/^[\w+/=.-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text)) ||
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text);

export const isCountLike = (value: unknown, lengths: ReadonlySet<number>): boolean =>
  typeof value === 'number' && lengths.has(value);

/** Members in which services say how a request went. */
const tellsHowItWent =
  /^(?:code|status|state|result|outcome|level|severity|ret|(?:http|status|error|err|result|ret|return)_?(?:code|status))$/i;

const outcomes = [
  ['success', /^(?:ok|okay|success|successful|succeeded|2\d\d)$/i],
  ['error', /^(?:err|error|fail|failed|failure|denied|forbidden|unauthori[sz]ed|unauthenticated|[45]\d\d)$/i],
] as const;

/** What a member says of how the request went, by its word or its HTTP status. */
export const outcomeIn = (name: string, value: unknown): 'success' | 'error' | undefined =>
  tellsHowItWent.test(name) ? outcomes.find(([, words]) => words.test(String(value)))?.[0] : undefined;

/** Long or odd enough that it stands in an answer because we sent it. */
export const isTelling = (echo: string): boolean =>
  (echo.length >= 6 && echo.includes('/')) || /[0-9a-f]{12}/.test(echo);

/**
 * Takes what we sent out of a text, and the origin in front of it, so that two answers that only repeat their request compare as
 * equal, whether by path or by URL, over HTTPS or plain HTTP.
 */
export const normaliseEchoes = (text: string, echoes: readonly string[]): string => {
  let plain = text;
  for (const echo of [...new Set(echoes.filter(isTelling))].sort((a, b) => b.length - a.length))
    if (plain.includes(echo)) plain = plain.replaceAll(echo, '⟨sent⟩');
  return plain.includes('⟨sent⟩') ? plain.replace(/https?:\/\/[^\s/"'<>\\⟨]+(?=⟨sent⟩)/gi, '') : plain;
};
