import { keyEnds, keyEndWarning } from '../../../src/settings/value-parsers.js';
import { expect, test } from '../support/test.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: unknown): string => `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;
const noon = Date.UTC(2026, 10, 22, 12);

test('a token says when it ends, and other keys do not', () => {
  expect(keyEnds(token({ exp: noon / 1000 }))?.toISOString()).toBe('2026-11-22T12:00:00.000Z');
  for (const key of [
    'a-plain-key',
    'a.b.c',
    'a.b',
    token({}),
    token({ exp: '1' }),
    token({ exp: 1e300 }),
    token(null),
    `${token({ exp: 1 })}.x`,
  ])
    expect(keyEnds(key), key).toBeUndefined();
});

test('a token is warned of where it may end before the run', () => {
  const key = token({ exp: noon / 1000 });
  const minutes = (before: number): number => noon - before * 60_000;
  expect(keyEndWarning(key, 600, minutes(60))).toBeUndefined();
  expect(keyEndWarning(key, 600, minutes(15))).toBe(
    'the token ends at 2026-11-22T12:00:00Z (its exp), in 15 min, which may be before the run does',
  );
  expect(keyEndWarning(key, 600, minutes(1))).toContain('in 60 s');
  expect(keyEndWarning(key, 1, minutes(-1))).toBe('the token ended at 2026-11-22T12:00:00Z (its exp)');
});
