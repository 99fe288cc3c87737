import type { Finding, Observation } from './results.js';

/** Cache size; the cache is cleared when it is exceeded. */
const most = 5_000;

/** Members that often have equal values in many findings and observations. */
const internedMembers: ReadonlySet<string> = new Set<keyof Finding | keyof Observation>([
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

/** Interns repeated values of findings and observations, to save memory. */
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
      Object.entries(value).map(([name, member]) => [name, internedMembers.has(name) ? first(member) : member]),
    ) as T;
};
