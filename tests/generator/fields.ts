import type { HeaderPair } from '../../src/wire/types.js';
import type { Tree } from './data.js';
import { isObject } from './formats.js';
import { hexOf, type Random, uuidOf } from './random.js';

/** What services say in header fields. */

/** Random, counted and fixed values, as any answer may have them. */
export const ordinaryFields = (moment: Random): readonly HeaderPair[] => [
  ['X-Request-Id', uuidOf(moment)],
  ['ETag', `W/"${hexOf(moment, 16)}"`],
  ['RateLimit', `limit=100000, remaining=${moment.int(10_000, 99_999)}, reset=3600`],
  ['X-Queue', String(moment.int(1_000, 9_999))],
  ['Server-Timing', `auth;dur=${moment.int(1, 900)}, cache;desc="miss"`],
  ['Set-Cookie', `visit=${uuidOf(moment)}; Path=/`],
];

const encoded = encodeURIComponent;

/** Ways to give each value of a row in fields. */
const styles: readonly ((name: string, value: string) => HeaderPair)[] = [
  (name, value) => [`X-Row-${Buffer.from(name).toString('hex')}`, encoded(value)],
  (name, value) => ['Set-Cookie', `${encoded(name)}=${encoded(value)}; Path=/`],
  (name, value) => ['Set-Cookie', `s=${Buffer.from(JSON.stringify({ [name]: value })).toString('base64url')}; Path=/`],
  (name, value) => ['Link', `</log-in?${encoded(name)}=${encoded(value)}>; rel="login"`],
  (_, value) => ['Content-Disposition', `attachment; filename*=UTF-8''${encoded(value)}`],
  (_, value) => ['X-Row', `"${Buffer.from(value).toString('latin1').replaceAll(/["\\]/g, '\\$&')}"`],
  (_, value) => ['X-Row', Buffer.from(value).toString('base64')],
];

/** The values of a row, split over fields. */
export const rowFields = (row: Tree, random: Random): readonly HeaderPair[] => {
  const style = random.pick(styles);
  return isObject(row)
    ? Object.entries(row).flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [style(name, String(value))] : [],
      )
    : [];
};
