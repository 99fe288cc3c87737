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

/** Lists of more ids are those of one check. */
const longestList = 16;

/** Interns repeated values of findings and observations, to save memory. */
export const createInterner = (): (<T extends object>(value: T) => T) => {
  const known = new Map<string, unknown>();
  const first = (value: unknown): unknown => {
    if (value === undefined || (Array.isArray(value) && value.length > longestList)) return value;
    // No list or object begins with a quotation mark in JSON.
    const name = typeof value === 'string' ? `"${value}` : JSON.stringify(value);
    if (known.size >= most) known.clear();
    if (!known.has(name)) known.set(name, value);
    return known.get(name);
  };
  return <T extends object>(value: T) => {
    const interned = { ...value } as Record<string, unknown>;
    for (const name of internedMembers) if (name in interned) interned[name] = first(interned[name]);
    return interned as T;
  };
};
