/**
 * Classifies scalars by format, and by whether they may be in a response by chance, because of the
 * time or as an echo.
 */

/** Format of a scalar; absent for plain words. The messages of refusals are plain words. */
export type ScalarFormat = 'number' | 'time' | 'id' | 'email';

export const isNumber = (text: string): boolean => /^-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i.test(text);

const isTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?$/i.test(text) ||
  /^\d{1,2}:\d{2}(?::\d{2})?$/.test(text) ||
  // A month or a week of ISO 8601.
  /^\d{4}-(?:0[1-9]|1[0-2]|W[0-5]\d)$/.test(text) ||
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4}(?: \d{2}:\d{2}(?::\d{2})?(?: [A-Z+\-0-9]{1,6})?)?$/.test(text);

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

const isId = (text: string): boolean =>
  isUuid(text) ||
  /^(?:0x)?[0-9a-f]{16,}$/i.test(text) ||
  // Letters and digits, too long to be a word with a number.
  (/^[\w+/=.-]{12,200}$/.test(text) && (text.match(/\d/g)?.length ?? 0) >= 3 && /[a-z]/i.test(text));

/**
 * A host name stands behind the `@`, and its last label is no number (RFC 3696, section 2). Paths
 * of packages (`/node_modules/@scope/`) and versions (`name@4.18.2`) have an `@` as well.
 */
const isEmail = (text: string): boolean =>
  /^[^\s@]{1,64}@(?:[\p{L}\p{N}_-]{1,63}\.)+\p{L}[\p{L}\p{N}-]{1,62}\W?$/u.test(text);

/** The spelling by which texts are compared: e-mail addresses and hex are the same in any case. */
export const caseless = (text: string): string =>
  /[A-Z]/.test(text) && (/^(?:0x)?[\da-f-]{16,}$/i.test(text) || isEmail(text)) ? text.toLowerCase() : text;

export const scalarFormat = (text: string): ScalarFormat | undefined => {
  if (text === '' || text.length > 300) return undefined;
  if (isNumber(text)) return 'number';
  if (isTime(text)) return 'time';
  if (isEmail(text)) return 'email';
  return isId(text) ? 'id' : undefined;
};

/** `format` values of JSON Schema (draft 2020-12, validation, section 7.3), and `integer`. */
export type SchemaFormat = 'integer' | 'date-time' | 'date' | 'email' | 'uuid' | 'uri';

/** The JSON Schema format of a string or number; `undefined` if none applies. */
export const schemaFormat = (type: string, text: string, form: ScalarFormat | undefined): SchemaFormat | undefined => {
  if (type === 'number') return /^-?\d{1,15}$/.test(text) ? 'integer' : undefined;
  if (type !== 'string') return undefined;
  if (form === 'time') {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return 'date';
    return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? 'date-time' : undefined;
  }
  if (form === 'email') return 'email';
  if (form === 'id') return isUuid(text) ? 'uuid' : undefined;
  return /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w\-.~/%!$&'()*+,;=:@?#]*)?$/i.test(text) ? 'uri' : undefined;
};

const day = 86_400_000;

const isToday = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(text);
  const moment = match
    ? Date.parse(match[0])
    : /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return Number.isFinite(moment) && Math.abs(moment - Date.now()) < 2 * day;
};

const isNow = (value: number): boolean => [1, 1_000].some((unit) => Math.abs(value * unit - Date.now()) < 2 * day);

/** A time close to the current time, which differs between responses. */
export const isCurrentTime = (text: string): boolean =>
  isToday(text) || (/^\d{10}(?:\d{3})?(?:\.\d+)?$/.test(text) && isNow(Number(text)));

/** An absolute URL or path, a URN, or a URL with an echo. */
export const isLink = (text: string): boolean =>
  /^(?:[a-z][a-z0-9+.-]{1,20}:|\/)[^\s]+$/i.test(text) || text.includes('⟨sent⟩');

/**
 * Whether a text is unlikely to be in two responses by chance: a number with at least four digits
 * that is neither a year nor a current time, or at least six characters that are not a single plain
 * word.
 */
export const isDistinctive = (text: string): boolean => {
  if (text.length < 4 || text.length > 10_000 || isCurrentTime(text)) return false;
  if (isNumber(text)) {
    const digits = text.replace(/e.*$/i, '').replace(/\D/g, '').length;
    return digits >= 4 && !/^(?:19|20)\d{2}$/.test(text);
  }
  return text.length >= 6 && !/^\p{L}+$/u.test(text.trim());
};

/** An IP address, a media type, or a product with its version, all of which error pages contain. */
const isConnectionDetail = (text: string): boolean =>
  /^(?:[a-z]+|\*)\/[\w.+*-]+(?:\s*[,;].*)?$/i.test(text) ||
  /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$/.test(text) ||
  /^[A-Za-z][\w.-]*\/v?\d+(?:\.\d+)*(?:[\s;]|$)/.test(text);

/** Whether a text gets a digest by which somebody's data is recognised. */
export const isValue = (text: string): boolean => isDistinctive(text) && !isLink(text) && !isConnectionDetail(text);

/**
 * Whether a word in a sentence is distinctive: an e-mail address, a long word with digits, a date,
 * or a number with at least five digits.
 */
export const isDistinctiveWord = (word: string): boolean =>
  isValue(word) && (word.includes('@') || (/\d/.test(word) && (word.length >= 8 || /^\d{5,}$/.test(word))));

/** Whether a text can only be in a response because it was sent. */
export const isDistinctiveEcho = (echo: string): boolean =>
  (echo.length >= 6 && echo.includes('/')) || /[0-9a-f]{12}/.test(echo);

/**
 * Replaces echoes of the request, including an origin before them, so that responses that differ
 * only by their echoes are equal.
 */
export const normaliseEchoes = (text: string, echoes: readonly string[]): string => {
  let plain = text;
  for (const echo of [...new Set(echoes.filter(isDistinctiveEcho))].sort((a, b) => b.length - a.length))
    if (plain.includes(echo)) plain = plain.replaceAll(echo, '⟨sent⟩');
  return plain.includes('⟨sent⟩') ? plain.replace(/https?:\/\/[^\s/"'<>\\⟨]+(?=⟨sent⟩)/gi, '') : plain;
};
