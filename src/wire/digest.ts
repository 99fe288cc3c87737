import { hash } from 'node:crypto';
import { memoize } from '../collections.js';

/** Random per run and never in a report, so that digests cannot be reversed by guessing. */
export type Salt = string;

const digestOfText = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

/** Answers repeat short scalars and stock sentences, so their digests are memoized. */
const digestOfShort = memoize(digestOfText, 8_192);
const longestShort = 100;

export const digestOf = (salt: Salt, value: string): string =>
  value.length > longestShort ? digestOfText(salt + value) : digestOfShort(salt + value);
