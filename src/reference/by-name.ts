import { nearestName } from '../did-you-mean.js';

/** The entry of that name. @throws RangeError that names the nearest entry, if one is near */
export const byName = <T extends { readonly name: string }>(kind: string, entries: readonly T[], name: string): T => {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const meant = nearestName(name, entries);
  throw new RangeError(`no ${kind} is named "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`);
};
