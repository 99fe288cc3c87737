import { orUndefined } from '../collections.js';
/**
 * When a key ends by its own word: the `exp` of a JSON Web Token (RFC 7519 section 4.1.4), which is
 * read and not verified. `undefined` for other keys.
 */
export const keyEnds = (key: string): Date | undefined => {
  const [, payload, signature, ...rest] = key.split('.');
  if (!payload || signature === undefined || rest.length > 0) return undefined;
  const claims = orUndefined((): unknown => JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined;
  // The largest time that a Date holds (ECMA-262, section 21.4.1.1).
  return typeof exp === 'number' && Math.abs(exp) <= 8.64e12 ? new Date(exp * 1000) : undefined;
};

/** Beside the estimate, which a slow service exceeds. */
const margin = 2;

/**
 * A sentence on a key that has ended, or ends before a run of about `seconds` is over.
 * `undefined` for a key that lasts, and for one that does not say.
 */
export const keyEndWarning = (key: string, seconds: number, now = Date.now()): string | undefined => {
  const end = keyEnds(key);
  if (end === undefined || end.getTime() > now + seconds * margin * 1000) return undefined;
  const at = `${end.toISOString().slice(0, 19)}Z`;
  if (end.getTime() <= now) return `the token ended at ${at} (its exp)`;
  const left = Math.round((end.getTime() - now) / 1000);
  return `the token ends at ${at} (its exp), in ${left < 120 ? `${left} s` : `${Math.round(left / 60)} min`}, which may be before the run does`;
};
