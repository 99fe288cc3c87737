/** The segments of a documented path before its first parameter. */
export const literalSegments = (path: string): readonly string[] =>
  (path.split('{', 1)[0] ?? '').split('/').filter((segment) => segment !== '');
