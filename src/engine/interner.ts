import type { Finding, Observation } from './results.js';

/** Cache size, of values. */
const most = 5_000;

/** Members of findings and observations that many of them have alike. */
const alike: ReadonlySet<string> = new Set<keyof Finding | keyof Observation>([
  'reason',
  'exchanges',
  'comparedWith',
  'cause',
  'asked',
  'headline',
  'note',
  'expected',
  'seen',
  'fact',
  'value',
]);

/**
 * Keeps what repeats in findings and observations once, to save memory: thousands of them share a
 * few sentences. The cache is cleared when it is full.
 */
export const createInterner = (): (<T extends object>(value: T) => T) => {
  const known = new Map<string, unknown>();
  const first = (value: unknown): unknown => {
    const name = JSON.stringify(value);
    if (known.size >= most) known.clear();
    if (!known.has(name)) known.set(name, value);
    return known.get(name);
  };
  return <T extends object>(value: T) =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, alike.has(name) ? first(member) : member]),
    ) as T;
};
