import { memoize } from '../../collections.js';
import { isMembers, pointerTo } from './rows.js';
import { segmentsOf } from './template.js';

/** A path that an answer contains. */
export interface FoundPath {
  readonly pointer: string;
  readonly segments: readonly string[];
  /** Whether it starts with a collection's segment (`users/17`), as names of resources do. */
  readonly relative: boolean;
}

const relativePath = /^[^\s/:?#]+(?:\/[^\s/?#]+)+$/;

const mostTexts = 2_000;

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

/**
 * Paths in an answer: below the base URL, such as the values of `self`, `url` and `href`, or
 * relative ones. URLs of other origins are ignored.
 */
export const pathsIn = (
  body: unknown,
  { origin, basePath }: { readonly origin: string; readonly basePath: string },
): readonly FoundPath[] => {
  const found: FoundPath[] = [];
  let texts = 0;
  const look = (value: unknown, pointer: string): void => {
    if (texts > mostTexts) return;
    if (typeof value === 'string') {
      texts += 1;
      const path = value.startsWith(`${origin}/`) ? value.slice(origin.length) : value;
      const relative = relativePath.test(path);
      if ((!relative && !path.startsWith(`${basePath}/`)) || path.length > 500) return;
      const below = relative ? path : path.slice(basePath.length);
      const segments = segmentsOf(below.split(/[?#]/, 1)[0] ?? '').map(decoded);
      if (segments.every((segment) => segment !== undefined && segment !== '.' && segment !== '..'))
        found.push({ pointer, relative, segments: segments.filter((segment) => segment !== undefined) });
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, pointerTo(pointer, index));
    else if (isMembers(value)) for (const [key, member] of Object.entries(value)) look(member, pointerTo(pointer, key));
  };
  look(body, '');
  return found;
};

/** A pattern that captures the values of the parameters in a segment's shape, such as `{}.json`. */
const valuesOf = memoize(
  (part: string): RegExp =>
    new RegExp(
      `^${part
        .split('{}')
        .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
        .join('(.+?)')}$`,
      's',
    ),
  1_000,
);

/**
 * The segments of a path as an operation would have them: a relative one begins at the first of the
 * template's literal segments that it names.
 */
export const segmentsAsIn = ({ segments, relative }: FoundPath, prefix: string): readonly string[] => {
  if (!relative) return segments;
  const wanted = segmentsOf(prefix);
  const at = wanted.findIndex((segment) => segment === segments[0] || segment.includes('{}'));
  return wanted[at] === segments[0] ? [...wanted.slice(0, at), ...segments] : [];
};

/** The values of a template's parameters in a path that starts with it; else `undefined`. */
export const valuesIn = (segments: readonly string[], prefix: string): readonly string[] | undefined => {
  const wanted = segmentsOf(prefix);
  if (segments.length < wanted.length) return undefined;
  const values: string[] = [];
  for (const [index, part] of wanted.entries()) {
    const found = valuesOf(part).exec(segments[index] ?? '');
    if (!found) return undefined;
    values.push(...found.slice(1));
  }
  return values;
};
