/** Path templates, compared without the names of their parameters. */

/** `{id}` → `id`; `undefined` for a segment that is more or less than one parameter. */
const parameterIn = (segment: string): string | undefined => /^\{([^{}]+)\}$/.exec(segment)?.[1];

export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');

/** `/things/{id}/parts/` and `/things/{thing_id}/parts` are both `/things/{}/parts`. */
export const shapeOf = (segments: readonly string[]): string =>
  `/${segments.map((segment) => segment.replace(/\{[^{}]*\}/g, '{}')).join('/')}`;

/** A parameter of a path, with what stands in front of it. */
export interface PathParameter {
  readonly name: string;
  /** Shape of the path up to and with the parameter: operations of one shape share its values. */
  readonly prefix: string;
  /** Shape of the path in front of it: where a list of what it names is. */
  readonly collection: string;
  /** The last segment in front of it that the template spells out; `''` where there is none. */
  readonly noun: string;
}

/**
 * The parameters of a template, in order; `undefined` where a segment is more than a parameter
 * (`{id}.json`).
 */
export const pathParameters = (path: string): readonly PathParameter[] | undefined => {
  const segments = segmentsOf(path);
  const found: PathParameter[] = [];
  for (const [index, segment] of segments.entries()) {
    if (!segment.includes('{')) continue;
    const name = parameterIn(segment);
    if (name === undefined) return undefined;
    found.push({
      name,
      prefix: shapeOf(segments.slice(0, index + 1)),
      collection: shapeOf(segments.slice(0, index)),
      noun: segments.slice(0, index).findLast((each) => !each.includes('{')) ?? '',
    });
  }
  return found;
};

/** The last segment, where the template spells it out. */
export const nounOf = (path: string): string | undefined => {
  const last = segmentsOf(path).at(-1);
  return last === undefined || last.includes('{') ? undefined : last;
};

/** Letters and digits in lower case: `dagRuns`, `dag_runs` and `dag-runs` are one name. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Letters that a plural may have more than its singular: `tasks`, `boxes`, `entries` beside
 * `entry`.
 */
const mostMore = 3;

/**
 * Whether a name is a noun of one of the things that `plural` is a collection of: `task` of
 * `tasks`, `entry` of `entries`.
 */
export const isSingularOf = (name: string, plural: string): boolean => {
  const [one, many] = [plainName(name), plainName(plural)];
  if (one.length < 2 || many.length < one.length || many.length - one.length > mostMore) return false;
  return many.startsWith(one) || (one.endsWith('y') && many.startsWith(one.slice(0, -1)));
};
