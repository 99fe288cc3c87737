/** Edits (insert, delete, replace) between two words. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The three names that come closest to what somebody typed; names that contain it come first. */
export const nearest = (typed: string, names: readonly string[]): readonly string[] =>
  names
    .map((name) => ({ name, far: distance(typed, name) - (name.includes(typed) || typed.includes(name) ? 100 : 0) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);

/** The named one, or an error that says what there is. */
export const byName = <T extends { readonly name: string }>(kind: string, entries: readonly T[], name: string): T => {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const close = nearest(
    name,
    entries.map((entry) => entry.name),
  );
  throw new RangeError(`no ${kind} is named "${name}"; the nearest are ${close.join(', ')}`);
};
