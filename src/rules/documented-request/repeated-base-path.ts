import { splitTarget } from '../requests.js';

/** A base URL that ends in what the documented paths begin with, which then stands in every URL twice. */
export interface RepeatedBasePath {
  readonly says: string;
  readonly advice: string;
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const version = /^v\d+(?:\.\d+)*$/i;

/** The same, or another version in its place. */
const corresponds = (segment: string, other = ''): boolean =>
  segment === other || (version.test(segment) && version.test(other));

/** The longest end of one path, in whole segments, that another one begins with. */
const sharedPart = (base: readonly string[], path: readonly string[]): readonly string[] => {
  for (let length = Math.min(base.length, path.length); length > 0; length -= 1) {
    const end = base.slice(-length);
    if (end.every((segment, index) => corresponds(segment, path[index]))) return end;
  }
  return [];
};

/**
 * Whether the base URL repeats the beginning of one of these documented paths. A deployment may be so: where the operation opens,
 * nothing is wrong.
 */
export const repeatedBasePath = (
  { origin, basePath }: { readonly origin: string; readonly basePath: string },
  paths: readonly string[],
): RepeatedBasePath | undefined => {
  const base = segmentsOf(basePath);
  for (const documented of paths) {
    const [path] = splitTarget(documented);
    const segments = segmentsOf(path);
    const part = sharedPart(base, segments);
    const otherwise = part.some((segment, index) => segment !== segments[index]) ? ', of another version' : '';
    if (part.length > 0)
      return {
        says: `${origin}${basePath} ends in a part of the documented path${otherwise}.`,
        advice: `The contract appends ${path} itself: leave /${part.join('/')} out of BASE_URL.`,
      };
  }
  return undefined;
};
