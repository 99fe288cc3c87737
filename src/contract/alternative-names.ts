import { isArray, isObject } from './json-values.js';

/** A bundle's schema says here what the document calls the alternatives of its union. No document has a keyword of this name. */
export const alternativesKeyword = 'access-conformance:alternatives';

const nameOf = (alternative: unknown): string | undefined => {
  if (!isObject(alternative)) return undefined;
  const { $ref, title } = alternative;
  if (typeof $ref !== 'string') return typeof title === 'string' && title !== '' ? title : undefined;
  // The registry writes what else was said of the value behind a space.
  const last = $ref.split(' ')[0]?.split('/').at(-1);
  return last?.replaceAll('~1', '/').replaceAll('~0', '~');
};

/** What a document calls the alternatives of a `oneOf` or `anyOf`: by their references, their titles, or as the how-manieth. */
export const alternativeNames = (alternatives: readonly unknown[]): readonly string[] =>
  alternatives.map((each, index) => nameOf(each) ?? `number ${index + 1}`);

/** The same of a union of a bundle; empty where it says none. */
export const namesInBundle = (union: unknown): readonly string[] => {
  const names = isObject(union) ? union[alternativesKeyword] : undefined;
  return isArray(names) ? names.map(String) : [];
};
