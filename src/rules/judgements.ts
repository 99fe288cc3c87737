import type { Operation } from '../contract/model.js';
import type { Exchange } from '../wire/types.js';
import { firstOf } from '../words.js';
import type { Judgement } from './rule.js';

type More = Partial<Omit<Judgement, 'outcome' | 'reason' | 'exchanges'>>;

const as =
  (outcome: Judgement['outcome']) =>
  (reason: string, exchanges: readonly Exchange[], more: More = {}): Judgement => ({
    outcome,
    reason,
    exchanges,
    ...more,
  });

export const passed = as('passed');
export const failed = as('failed');
export const lenient = as('lenient');
export const observed = as('observed');
export const inconclusive = as('inconclusive');
export const blocked = as('blocked');
export const excluded = (reason: string): Judgement => as('excluded')(reason, []);

/** `a`, `a and b`, `a, b and 3 more`. */
export const listed = (words: readonly string[], most = 3): string => {
  const unique = [...new Set(words)];
  if (unique.length <= 1) return unique[0] ?? '';
  if (unique.length <= most) return `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`;
  return firstOf(unique, most);
};

/** Where the document asks for the key. */
export const asksForTheKey = ({ security, position: { file, line } }: Operation): string =>
  `The document asks for ${listed(security.map(({ name }) => `"${name}"`))} here (${file}:${line})`;
