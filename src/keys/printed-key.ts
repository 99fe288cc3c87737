import { keyEnds } from '../settings/key-expiry.js';
import { parseKey } from '../settings/value-parsers.js';
import { type FetchedKey, KeyFetchError } from './fetched-key.js';

/** A date and time with its offset (RFC 3339, section 5.6). */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

const members = ['key', 'expiresAt'];

const readObject = (text: string): { readonly key: string; readonly expiresAt?: unknown } | undefined => {
  if (!text.startsWith('{')) return { key: text };
  const refuse = (message: string): KeyFetchError => new KeyFetchError(message, [text]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('what the program printed begins with { and is no JSON');
  }
  if (typeof value !== 'object' || value === null || !('key' in value) || typeof value.key !== 'string')
    throw refuse('the JSON that the program printed has no text "key"');
  if (Object.keys(value).some((name) => !members.includes(name)))
    throw refuse('the JSON that the program printed has other members than "key" and "expiresAt"');
  return 'expiresAt' in value && value.expiresAt !== null
    ? { key: value.key, expiresAt: value.expiresAt }
    : { key: value.key };
};

/**
 * Reads what a program printed: a key, or `{"key": "…", "expiresAt": "ISO 8601"}`. A JSON Web Token
 * says itself when it ends.
 * @throws {KeyFetchError}, which repeats nothing of it in its message
 */
export const readPrintedKey = (printed: string, now = Date.now()): FetchedKey => {
  const text = printed.trim();
  const refuse = (message: string): KeyFetchError => new KeyFetchError(message, [text]);
  if (text === '') throw new KeyFetchError('the program printed nothing');
  const { key = '', expiresAt } = readObject(text) ?? {};
  const form = key === '' ? { wrong: 'it is empty.' } : parseKey(key);
  if (form.wrong !== undefined) throw refuse(`the key that the program printed cannot be used: ${form.wrong}`);
  if (expiresAt !== undefined && (typeof expiresAt !== 'string' || !timestamp.test(expiresAt)))
    throw refuse('expiresAt must be a time with its offset, such as 2026-01-31T12:00:00Z');
  const endsAt = typeof expiresAt === 'string' ? Date.parse(expiresAt) : keyEnds(key)?.getTime();
  if (endsAt !== undefined && Number.isNaN(endsAt))
    throw refuse('expiresAt must be a time that there is, such as 2026-01-31T12:00:00Z');
  if (endsAt !== undefined && endsAt <= now)
    throw refuse(`the key that the program printed ended at ${new Date(endsAt).toISOString().slice(0, 19)}Z`);
  return { key, secrets: [], ...(endsAt === undefined ? {} : { endsAt }) };
};
