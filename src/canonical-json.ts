/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The same value with the members of every object in the order of their names. */
export const canonical = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, inner]) => [name, canonical(inner)]),
  );
};

/** One text for equal values, whatever the order of members. */
export const canonicalText = (value: Json): string => JSON.stringify(canonical(value));
