import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape, Shape } from '../../wire/body-shape.js';

/** Where values stand in a body. Pure functions of its structure. */

export const isScalar = (shape: Shape): shape is ScalarShape => shape.type !== 'object' && shape.type !== 'array';

/**
 * A list of rows: an array of anything but scalars, an empty array, a map of objects with equal
 * members, or a map of scalars whose names are data, such as dates.
 */
export interface List {
  readonly rows: readonly Row[];
  readonly length: number;
  /** Digest of the length as a number. A map has none. */
  readonly count: string | undefined;
}

/** An item of a list, or a whole body without its lists. */
export interface Row {
  readonly shape: Shape;
  /** Scalars by member path, without those of inner lists. */
  readonly cells: ReadonlyMap<string, ScalarShape>;
  /** Every scalar of the row, also of inner lists. */
  readonly all: readonly ScalarShape[];
  readonly digests: ReadonlySet<string>;
}

/** A value outside rows: a scalar, or a list of one or more scalars. */
export type Leaf =
  | ScalarShape
  | ({
      readonly type: 'list';
      readonly digest: string;
      /** All items are links. */
      readonly link?: true;
      // What only scalars have.
    } & { readonly [Fact in 'form' | 'telling' | 'passing' | 'small' | 'exceeds' | 'flag']?: never });

export const isNull = (leaf: Leaf | undefined): boolean => leaf?.type === 'null';

/** Whether there is a value other than null. */
export const isFilled = (leaf: Leaf | undefined): leaf is Leaf => leaf !== undefined && leaf.type !== 'null';

export interface View {
  /** The outermost lists by path. */
  readonly lists: ReadonlyMap<string, List>;
  readonly outside: ReadonlyMap<string, Leaf>;
  /** The whole body as one row, without what is in its lists. */
  readonly record: Row;
  /** Digests of every scalar. */
  readonly digests: ReadonlySet<string>;
}

export const digestsOf = (scalars: Iterable<ScalarShape>): ReadonlySet<string> =>
  new Set([...scalars].map(({ digest }) => digest));

export const scalarsIn = (shape: Shape, found: ScalarShape[] = []): ScalarShape[] => {
  if (isScalar(shape)) found.push(shape);
  else if (shape.type === 'array') for (const item of shape.items) scalarsIn(item, found);
  else for (const [, value] of shape.members) scalarsIn(value, found);
  return found;
};

const cellsOf = (shape: Shape, path = '', found = new Map<string, ScalarShape>()): Map<string, ScalarShape> => {
  if (isScalar(shape)) found.set(path, shape);
  else if (shape.type === 'object') for (const [name, value] of shape.members) cellsOf(value, `${path}/${name}`, found);
  return found;
};

export const isNameless = ({ shape }: Row): boolean => shape.type === 'array';

/** The cells of a row: by path, or by index for a row without names. */
const cellsOfRow = (shape: Shape): ReadonlyMap<string, ScalarShape> =>
  shape.type === 'array'
    ? new Map(shape.items.flatMap((item, index) => (isScalar(item) ? [[`/${index}`, item] as const] : [])))
    : cellsOf(shape);

export const rowOf = memoizePerObject((shape: Shape): Row => {
  const all = scalarsIn(shape);
  return { shape, cells: cellsOfRow(shape), all, digests: digestsOf(all) };
});

type ObjectMembers = readonly (readonly [string, Shape])[];

/** Members that are not null. Null fits any type, and some formats leave it out. */
const filledIn = (members: ObjectMembers): ObjectMembers => members.filter(([, { type }]) => type !== 'null');

/** Two or more objects with the same members, some of them scalars: their names are data. */
export const isMap = (all: ObjectMembers): boolean => {
  const members = filledIn(all);
  if (members.length < 2) return false;
  const names = members.map(([, value]) =>
    value.type === 'object' && value.members.length > 0 ? value.members.map(([name]) => name).join('\n') : '',
  );
  return (
    names.every((each) => each !== '' && each === names[0]) && members.every(([, value]) => rowOf(value).cells.size > 0)
  );
};

/** A name that is data is stored as a digest. */
export const isDataName = (name: string): boolean => /^#[\w-]{12}$/.test(name);

const isMapOfScalars = (members: ObjectMembers): boolean =>
  members.length > 0 && members.every(([name, value]) => isDataName(name) && isScalar(value));

const entryOf = ([name, value]: readonly [string, Shape]): Row =>
  rowOf({ type: 'array', length: 2, count: '', items: [{ type: 'string', digest: name.slice(1) }, value] });

export const listAt = (shape: Shape): List | undefined => {
  if (shape.type === 'array') {
    if (shape.items.length > 0 && shape.items.every(isScalar)) return undefined;
    return { rows: shape.items.map(rowOf), length: shape.length, count: shape.count };
  }
  if (shape.type !== 'object') return undefined;
  if (isMapOfScalars(shape.members))
    return { rows: shape.members.map(entryOf), length: shape.members.length, count: undefined };
  if (!isMap(shape.members)) return undefined;
  const members = filledIn(shape.members);
  return { rows: members.map(([, value]) => rowOf(value)), length: members.length, count: undefined };
};

/** A digest of the items in any order. */
export const digestOfAll = (items: readonly ScalarShape[]): string =>
  items
    .map(({ digest }) => digest)
    .sort()
    .join(' ');

export const viewOf = memoizePerObject((shape: Shape): View => {
  const lists = new Map<string, List>();
  const outside = new Map<string, Leaf>();
  const own: ScalarShape[] = [];
  const walk = (value: Shape, path: string): void => {
    const list = listAt(value);
    if (list) lists.set(path, list);
    else if (isScalar(value)) {
      outside.set(path, value);
      own.push(value);
    } else if (value.type === 'array') {
      const items = value.items.filter(isScalar);
      own.push(...items);
      const digest = digestOfAll(items);
      const areLinks = items.every(({ link }) => link === true);
      outside.set(path, { type: 'list', digest, ...(areLinks ? { link: true } : {}) });
    } else for (const [name, inner] of value.members) walk(inner, `${path}/${name}`);
  };
  walk(shape, '');
  const cells = new Map<string, ScalarShape>();
  for (const [path, leaf] of outside) if (leaf.type !== 'list') cells.set(path, leaf);
  return {
    lists,
    outside,
    record: { shape, cells, all: own, digests: digestsOf(own) },
    digests: digestsOf(scalarsIn(shape)),
  };
});

/** The view of a body. A JSON array of one item stays a list if `like` is one. */
export const viewLike = (body: BodyShape, like: View | undefined): View | undefined =>
  body.shape?.type === 'array' && like?.lists.has('') ? viewOf(body.shape) : viewIn(body);

/**
 * In XML, an element that only holds one other element may be a list of one item. The innermost
 * such element is read as the list.
 */
const withListsOfOne = memoizePerObject((shape: Shape): Shape => {
  const [root] = shape.type === 'object' ? shape.members : [];
  // The root element is no item of a list.
  return root ? { type: 'object', members: [[root[0], listsOfOneIn(root[1])]] } : shape;
});

const onlyChild = (shape: Shape): readonly [string, Shape] | undefined => {
  if (shape.type !== 'object') return undefined;
  const children = shape.members.filter(([name]) => !name.startsWith('@'));
  const [child] = children;
  return children.length === 1 && child && !isScalar(child[1]) ? child : undefined;
};

const listsOfOneIn = (shape: Shape): Shape => {
  if (shape.type !== 'object') return shape;
  const child = onlyChild(shape);
  return {
    ...shape,
    members: shape.members.map(([name, value]) =>
      name === child?.[0] && value.type === 'object' && onlyChild(value) === undefined
        ? [name, { type: 'array', length: 1, count: '', items: [value] }]
        : [name, listsOfOneIn(value)],
    ),
  };
};

/** Whether telling values identify an object. One with fewer of them is treated as a wrapper. */
export const isKnownBy = (telling: readonly ScalarShape[]): boolean => telling.length >= 2;

/**
 * The structure of a body. If it is an array of one object that only wraps lists (a batch with one
 * answer, a sequence of one JSON text), it is the structure of that object.
 */
export const structureOf = ({ shape, wrapped }: BodyShape): Shape | undefined => {
  const [only] = shape?.type === 'array' && shape.length === 1 ? shape.items : [];
  if (only?.type !== 'object') return shape;
  const { lists, outside, record } = viewOf(only);
  if (wrapped) return lists.size > 0 || [...outside.values()].some(({ type }) => type === 'list') ? only : shape;
  return lists.size > 0 && !isKnownBy(record.all.filter(({ telling }) => telling)) ? only : shape;
};

export const viewIn = (body: BodyShape): View | undefined => {
  const shape = structureOf(body);
  return shape && viewOf(body.kind === 'xml' ? withListsOfOne(shape) : shape);
};

/** Whether a list is empty. An empty element of XML may be an empty list. */
export const hasEmptyList = (body: BodyShape): boolean => {
  const view = viewIn(body);
  if (!view) return false;
  return (
    [...view.lists.values()].some(({ length }) => length === 0) ||
    (body.kind === 'xml' && [...view.outside.values()].some(isNull))
  );
};

/** An XML record with an empty element, which may be an empty list. */
export const isPerhapsEmptyList = (body: BodyShape): boolean => viewIn(body)?.lists.size === 0 && hasEmptyList(body);

/** A value with a format (number, time, id, e-mail). No error message is worded in one. */
export const isFormatted = ({ form }: Leaf): boolean => form !== undefined;

/** A value that by its format and its length may be one record's alone. */
export const isTellingFormat = (leaf: Leaf): boolean => leaf.telling === true && isFormatted(leaf);

export const isBooleanOrNull = ({ type }: ScalarShape): boolean => type === 'boolean' || type === 'null';

/** A boolean, also in formats without types. */
export const isBooleanLike = ({ type, flag }: Leaf): boolean => type === 'boolean' || flag === true;

export const filledListsIn = (view: View | undefined): readonly (readonly [path: string, list: List])[] =>
  [...(view?.lists ?? [])].filter(([, { length }]) => length > 0);

export const rowsIn = (view: View | undefined): readonly Row[] =>
  [...(view?.lists.values() ?? [])].flatMap(({ rows }) => rows);

/** The rows, or the whole body where it has no lists. */
export const recordsIn = (view: View | undefined): readonly Row[] =>
  view?.lists.size === 0 ? [view.record] : rowsIn(view);

/**
 * Whether two structures are equal: the same members, each of one type. Null fits any type; a
 * scalar of a format without types fits any scalar; contents of lists are not compared. `strict`:
 * null fits no object and no array.
 */
export const fits = (a: Shape, b: Shape, strict = false): boolean => {
  if (a === b) return true;
  if (isScalar(a) || isScalar(b)) {
    const [one, other] = isScalar(a) ? [a, b] : [b as ScalarShape, a];
    if (one.type === 'null') return !strict || isScalar(other);
    if (!isScalar(other)) return false;
    return other.type === 'null' || one.type === other.type || one.type === 'text' || other.type === 'text';
  }
  if (a.type === 'array' || b.type === 'array') return a.type === b.type;
  if (a.members.length !== b.members.length) return false;
  const others = new Map(b.members);
  return a.members.every(([name, value]) => {
    const other = others.get(name);
    return other !== undefined && fits(value, other, strict);
  });
};

export const namesOf = ({ shape }: Row): ReadonlySet<string> =>
  new Set(shape.type === 'object' ? shape.members.map(([name]) => name) : []);
