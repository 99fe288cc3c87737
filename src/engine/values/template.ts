import { pathSegments } from '../../urls.js';

/** Path templates, compared without the names of their parameters. */

/** `/things/{id}/parts/` and `/things/{thing_id}/parts` are both `/things/{}/parts`. */
export const patternOf = (segments: readonly string[]): string =>
  `/${segments.map((segment) => segment.replace(/\{[^{}]*\}/g, '{}')).join('/')}`;

/** A parameter of a path, and what precedes it. */
export interface PathParameter {
  readonly name: string;
  /**
   * Pattern of the path up to the end of the parameter. Operations with the same prefix share its
   * values: `/things/{id}` and `/things/{id}.json`.
   */
  readonly prefix: string;
  /** Pattern of the path up to the end of the parameter's segment: `/things/{}.json`. */
  readonly pattern: string;
  /** Patterns of parent paths that may list the parameter's values: `/things`, `/things.json`. */
  readonly collections: readonly string[];
  /** The last literal segment before the parameter; `''` without one. */
  readonly noun: string;
}

/** The parameters of a template, in order. A segment may contain several, and literal text. */
export const pathParameters = (path: string): readonly PathParameter[] => {
  const segments = pathSegments(path);
  return segments.flatMap((segment, index) => {
    const before = segments.slice(0, index);
    const collection = patternOf(before);
    const suffix = segment.slice(segment.lastIndexOf('}') + 1);
    return [...segment.matchAll(/\{([^{}]+)\}/g)].map(
      (found): PathParameter => ({
        name: found[1] ?? '',
        prefix: patternOf([...before, segment.slice(0, found.index + found[0].length)]),
        pattern: patternOf([...before, segment]),
        collections: suffix === '' || before.length === 0 ? [collection] : [collection, `${collection}${suffix}`],
        noun: before.findLast((each) => !each.includes('{')) ?? '',
      }),
    );
  });
};

/** The last segment without its format extension; `undefined` if it contains a parameter. */
export const nounOf = (path: string): string | undefined => {
  const last = pathSegments(path).at(-1);
  return last === undefined || last.includes('{') ? undefined : last.replace(/(?<=.)\.(?:json|xml|csv|ya?ml)$/i, '');
};

/** Letters and digits in lower case: `dagRuns`, `dag_runs` and `dag-runs` are equal. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Maximum number of letters that a plural adds to its singular: `tasks`, `boxes`, `entries`. */
const mostMore = 3;

/** Whether a name is the singular of a collection: `task` of `tasks`, `entry` of `entries`. */
export const isSingularOf = (name: string, plural: string): boolean => {
  const [one, many] = [plainName(name), plainName(plural)];
  if (one.length < 2 || many.length < one.length || many.length - one.length > mostMore) return false;
  return many.startsWith(one) || (one.endsWith('y') && many.startsWith(one.slice(0, -1)));
};

/** The segments of a documented path before its first parameter. */
export const literalSegments = (path: string): readonly string[] => pathSegments(path.split('{', 1)[0] ?? '');
