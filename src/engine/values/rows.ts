import { isObject, memoize, orUndefined } from '../../collections.js';
import { pointerOf } from '../../contract/json-values.js';
import { literally } from '../../names.js';
import { pathSegments } from '../../urls.js';
import { isPlainName } from '../../wire/body-shape.js';
import { plainName } from './template.js';

/** The rows of an answer, and the values in them. */

/** One row of an answer, with the JSON Pointer to it. */
export interface AnswerRow {
  readonly pointer: string;
  readonly value: unknown;
  /** Its member name, in an object of rows. */
  readonly key?: string;
}

/** Maximum number of rows that are read of a list. */
const mostRows = 50;
/** Maximum depth of a list in an envelope. */
const deepest = 3;

const itemsOf = (list: readonly unknown[], pointer: string): readonly AnswerRow[] =>
  list.slice(0, mostRows).map((value, index) => ({ pointer: `${pointer}${pointerOf([index])}`, value }));

/** An object of objects with the same members is a list with named rows. */
const namedRows = (value: Readonly<Record<string, unknown>>, pointer: string): readonly AnswerRow[] => {
  const entries = Object.entries(value).slice(0, mostRows);
  const [first, ...rest] = entries.map(([, row]) => (isObject(row) ? Object.keys(row).sort().join('\n') : undefined));
  if (first === undefined || rest.length === 0 || rest.some((names) => names !== first)) return [];
  return entries.map(([key, row]) => ({ pointer: `${pointer}${pointerOf([key])}`, value: row, key }));
};

interface AnswerList {
  readonly name: string;
  readonly rows: readonly AnswerRow[];
}

/** The outermost lists of an answer, with the names of their members. */
const listsOf = (body: unknown): readonly AnswerList[] => {
  if (Array.isArray(body)) return [{ name: '', rows: itemsOf(body, '') }];
  const lists: AnswerList[] = [];
  let level: readonly { readonly value: unknown; readonly pointer: string; readonly name: string }[] = [
    { value: body, pointer: '', name: '' },
  ];
  for (let depth = 0; depth < deepest && lists.length === 0; depth += 1) {
    const next: { value: unknown; pointer: string; name: string }[] = [];
    for (const { value, pointer, name } of level) {
      if (!isObject(value)) continue;
      const rows = namedRows(value, pointer);
      if (rows.length > 0) lists.push({ name, rows });
      for (const [key, member] of Object.entries(value)) {
        const at = `${pointer}${pointerOf([key])}`;
        if (Array.isArray(member)) lists.push({ name: key, rows: itemsOf(member, at) });
        else next.push({ value: member, pointer: at, name: key });
      }
    }
    level = next;
  }
  return lists;
};

/** The answer itself, if it is an object, and the rows of all its outermost lists. */
export const allRowsOf = (body: unknown): readonly AnswerRow[] => [
  ...(isObject(body) ? [{ pointer: '', value: body }] : []),
  ...listsOf(body).flatMap(({ rows }) => rows),
];

/**
 * The rows of an answer: of the list named `noun`, else of the outermost list; of several, the
 * longest. An object without lists is a row itself.
 */
export const answerRows = (body: unknown, noun = ''): readonly AnswerRow[] => {
  const lists = listsOf(body);
  const called = lists.filter(({ name }) => plainName(name) === plainName(noun));
  const [chosen] = (called.length > 0 ? called : lists).toSorted((a, b) => weightOf(b.rows) - weightOf(a.rows));
  if (chosen) return chosen.rows;
  return isObject(body) ? [{ pointer: '', value: body }] : [];
};

/** Lists of objects rank before lists of scalars, longer lists before shorter ones. */
const weightOf = (rows: readonly AnswerRow[]): number =>
  rows.length + (rows.some(({ value }) => isObject(value)) ? mostRows * 2 : 0);

export const isEmptyList = (body: unknown): boolean => answerRows(body).length === 0;

/** A path that an answer contains. */
export interface AnswerPath {
  readonly pointer: string;
  readonly segments: readonly string[];
  /** Whether it starts with a collection's segment (`users/17`), as names of resources do. */
  readonly relative: boolean;
}

const relativePath = /^[^\s/:?#]+(?:\/[^\s/?#]+)+$/;

const mostTexts = 2_000;

/**
 * Paths in an answer: below the base URL, such as the values of `self`, `url` and `href`, or
 * relative ones. URLs of other hosts are ignored. Scheme and port may be those behind a proxy.
 */
export const pathsIn = (
  body: unknown,
  { origin, basePath }: { readonly origin: string; readonly basePath: string },
): readonly AnswerPath[] => {
  const ownHost = new RegExp(`^https?://${literally(new URL(origin).hostname)}(?::\\d+)?(?=/)`, 'i');
  const found: AnswerPath[] = [];
  let texts = 0;
  const look = (value: unknown, pointer: string): void => {
    if (texts > mostTexts) return;
    if (typeof value === 'string') {
      texts += 1;
      const path = value.replace(ownHost, '');
      const relative = relativePath.test(path);
      if ((!relative && !path.startsWith(`${basePath}/`)) || path.length > 500) return;
      const below = relative ? path : path.slice(basePath.length);
      const segments = pathSegments(below.split(/[?#]/, 1)[0] ?? '').map((segment) =>
        orUndefined(() => decodeURIComponent(segment)),
      );
      if (segments.every((segment) => segment !== undefined && segment !== '.' && segment !== '..'))
        found.push({ pointer, relative, segments: segments.filter((segment) => segment !== undefined) });
    } else if (Array.isArray(value))
      for (const [index, item] of value.entries()) look(item, `${pointer}${pointerOf([index])}`);
    else if (isObject(value))
      for (const [key, member] of Object.entries(value)) look(member, `${pointer}${pointerOf([key])}`);
  };
  look(body, '');
  return found;
};

/** A pattern that captures the values of the parameters in a segment, such as `{}.json`. */
const segmentPattern = memoize(
  (part: string): RegExp => new RegExp(`^${part.split('{}').map(literally).join('(.+?)')}$`, 's'),
  1_000,
);

/**
 * The segments of a path as an operation would have them: a relative one begins at the first of the
 * template's literal segments that it names.
 */
export const segmentsAsIn = ({ segments, relative }: AnswerPath, prefix: string): readonly string[] => {
  if (!relative) return segments;
  const wanted = pathSegments(prefix);
  const at = wanted.findIndex((segment) => segment === segments[0] || segment.includes('{}'));
  return wanted[at] === segments[0] ? [...wanted.slice(0, at), ...segments] : [];
};

/** The values of a template's parameters in a path that starts with it; else `undefined`. */
export const valuesIn = (segments: readonly string[], prefix: string): readonly string[] | undefined => {
  const wanted = pathSegments(prefix);
  if (segments.length < wanted.length) return undefined;
  const values: string[] = [];
  for (const [index, part] of wanted.entries()) {
    const found = segmentPattern(part).exec(segments[index] ?? '');
    if (!found) return undefined;
    values.push(...found.slice(1));
  }
  return values;
};

/**
 * Keeps array indices and plain member names. Any other name may be data, such as an e-mail address
 * or an id used as a member name, and becomes `*`. So does the last name before `#`, which is the
 * value itself.
 */
export const maskedPointer = (pointer: string): string => {
  const [, path = '', suffix = ''] = /^(.*?)(#|@\d+)?$/s.exec(pointer) ?? [];
  const parts = path.split('/');
  const masked = parts.map((part, at) => {
    if (suffix === '#' && at === parts.length - 1) return '*';
    return part === '' || /^\d{1,6}$/.test(part) || isPlainName(part) ? part : '*';
  });
  return `${masked.join('/')}${suffix}`;
};
