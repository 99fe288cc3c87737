import { byText } from './collections.js';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The same value with the members of every object sorted by name. */
export const canonical = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => byText(a, b))
      .map(([name, inner]) => [name, canonical(inner)]),
  );
};

/** The same text for equal values, whatever the order of their members. */
export const canonicalText = (value: Json): string => JSON.stringify(canonical(value));
