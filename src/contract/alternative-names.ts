import { isArray, isObject, unescaped } from './json-values.js';

/** Keyword of a bundled schema: the names of its alternatives. No document has it. */
export const alternativesKeyword = 'access-conformance:alternatives';

const nameOf = (alternative: unknown): string | undefined => {
  if (!isObject(alternative)) return undefined;
  const { $ref, title } = alternative;
  if (typeof $ref !== 'string') return typeof title === 'string' && title !== '' ? title : undefined;
  // A registry name may have a suffix behind a space.
  const last = $ref.split(' ')[0]?.split('/').at(-1);
  return last === undefined ? undefined : unescaped(last);
};

/** The names of the alternatives of a `oneOf` or `anyOf`: their references, titles or numbers. */
export const alternativeNames = (alternatives: readonly unknown[]): readonly string[] =>
  alternatives.map((each, index) => nameOf(each) ?? `number ${index + 1}`);

/** The names of the alternatives of a bundled union; empty where it has none. */
export const namesInBundle = (union: unknown): readonly string[] => {
  const names = isObject(union) ? union[alternativesKeyword] : undefined;
  return isArray(names) ? names.map(String) : [];
};
