import { plainName } from './template.js';

/** One row of an answer, with the JSON Pointer to it. */
export interface Row {
  readonly pointer: string;
  readonly value: unknown;
  /** Its member name, in an object of rows. */
  readonly key?: string;
}

type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const pointerTo = (pointer: string, key: string | number): string =>
  `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Maximum number of rows that are read of a list. */
const mostRows = 50;
/** Maximum depth of a list in an envelope. */
const deepest = 3;

const itemsOf = (list: readonly unknown[], pointer: string): readonly Row[] =>
  list.slice(0, mostRows).map((value, index) => ({ pointer: pointerTo(pointer, index), value }));

/** An object of objects with the same members is a list with named rows. */
const namedRows = (value: Members, pointer: string): readonly Row[] => {
  const entries = Object.entries(value).slice(0, mostRows);
  const [first, ...rest] = entries.map(([, row]) => (isMembers(row) ? Object.keys(row).sort().join('\n') : undefined));
  if (first === undefined || rest.length === 0 || rest.some((names) => names !== first)) return [];
  return entries.map(([key, row]) => ({ pointer: pointerTo(pointer, key), value: row, key }));
};

interface List {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** The outermost lists of an answer, with the names of their members. */
const listsOf = (body: unknown): readonly List[] => {
  if (Array.isArray(body)) return [{ name: '', rows: itemsOf(body, '') }];
  const lists: List[] = [];
  let level: readonly { readonly value: unknown; readonly pointer: string; readonly name: string }[] = [
    { value: body, pointer: '', name: '' },
  ];
  for (let depth = 0; depth < deepest && lists.length === 0; depth += 1) {
    const next: { value: unknown; pointer: string; name: string }[] = [];
    for (const { value, pointer, name } of level) {
      if (!isMembers(value)) continue;
      const rows = namedRows(value, pointer);
      if (rows.length > 0) lists.push({ name, rows });
      for (const [key, member] of Object.entries(value)) {
        const at = pointerTo(pointer, key);
        if (Array.isArray(member)) lists.push({ name: key, rows: itemsOf(member, at) });
        else next.push({ value: member, pointer: at, name: key });
      }
    }
    level = next;
  }
  return lists;
};

/** The answer itself, if it is an object, and the rows of all its outermost lists. */
export const allRowsOf = (body: unknown): readonly Row[] => [
  ...(isMembers(body) ? [{ pointer: '', value: body }] : []),
  ...listsOf(body).flatMap(({ rows }) => rows),
];

/**
 * The rows of an answer: of the list named `noun`, else of the outermost list; of several, the
 * longest. An object without lists is a row itself.
 */
export const rowsOf = (body: unknown, noun = ''): readonly Row[] => {
  const lists = listsOf(body);
  const called = lists.filter(({ name }) => plainName(name) === plainName(noun));
  const [chosen] = (called.length > 0 ? called : lists).toSorted((a, b) => weightOf(b.rows) - weightOf(a.rows));
  if (chosen) return chosen.rows;
  return isMembers(body) ? [{ pointer: '', value: body }] : [];
};

/** Lists of objects rank before lists of scalars, longer lists before shorter ones. */
const weightOf = (rows: readonly Row[]): number =>
  rows.length + (rows.some(({ value }) => isMembers(value)) ? mostRows * 2 : 0);

/** Whether an answer has no rows. */
export const isEmptyList = (body: unknown): boolean => {
  const rows = rowsOf(body);
  return rows.length === 0;
};
