import { memoize } from '../../collections.js';
import { isMembers, pointerTo } from './rows.js';
import { segmentsOf } from './template.js';

/** A path below the base URL that an answer contains. */
export interface FoundPath {
  readonly pointer: string;
  readonly segments: readonly string[];
}

const mostTexts = 2_000;

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

/**
 * Paths below the base URL in an answer, such as the values of `self`, `url` and `href`. URLs of
 * other origins are ignored.
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
      if (!path.startsWith(`${basePath}/`) || path.length > 500) return;
      const segments = segmentsOf(path.slice(basePath.length).split(/[?#]/, 1)[0] ?? '').map(decoded);
      if (segments.every((segment) => segment !== undefined && segment !== '.' && segment !== '..'))
        found.push({ pointer, segments: segments.filter((segment) => segment !== undefined) });
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

/** The values of a template's parameters in a path that starts with it; else `undefined`. */
export const valuesIn = ({ segments }: FoundPath, prefix: string): readonly string[] | undefined => {
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
