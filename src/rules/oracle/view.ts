import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape, Shape } from '../../wire/body-shape.js';

/** What stands where in a body. Pure functions of its structure. */

export const isScalar = (shape: Shape): shape is ScalarShape => shape.type !== 'object' && shape.type !== 'array';

/**
 * A list of rows: an array of anything but scalars, an empty array, a map of objects with the same
 * members, or one of scalars under names that are data, such as dates.
 */
export interface List {
  readonly rows: readonly Row[];
  readonly length: number;
  /** Digest of the length as a number; a map has none. */
  readonly count: string | undefined;
}

/** One item of a list, or a whole body without lists. */
export interface Row {
  readonly shape: Shape;
  /** Scalars by member path, without those of inner lists. */
  readonly cells: ReadonlyMap<string, ScalarShape>;
  /** Every scalar of the row. */
  readonly all: readonly ScalarShape[];
  /** Digests of all of these. */
  readonly digests: ReadonlySet<string>;
}

/** Outside rows: a scalar, or a list of scalars. */
export type Leaf =
  | ScalarShape
  | {
      readonly type: 'list';
      readonly digest: string;
      readonly length: number;
      /** It holds links alone. */
      readonly link?: true;
    };

/** Whether something stands there that is not null. */
export const isFilled = (leaf: Leaf | undefined): leaf is Leaf => leaf !== undefined && leaf.type !== 'null';

export interface View {
  /** The outermost lists by path. */
  readonly lists: ReadonlyMap<string, List>;
  readonly outside: ReadonlyMap<string, Leaf>;
  /** The whole body as one row, what stands in lists left out. */
  readonly record: Row;
  /** Digests of everything. */
  readonly digests: ReadonlySet<string>;
}

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

/**
 * The values of a row without names: of an array, and in XML of an element that holds nothing but
 * elements of one name.
 */
const itemsOf = (shape: Shape): readonly Shape[] | undefined => {
  if (isScalar(shape)) return undefined;
  if (shape.type === 'array') return shape.items;
  const [only] = shape.members.length === 1 ? shape.members : [];
  return only && !isScalar(only[1]) && only[1].type === 'array' && only[1].items.every(isScalar)
    ? only[1].items
    : undefined;
};

export const isNameless = ({ shape }: Row): boolean => itemsOf(shape) !== undefined;

/** A row without names has its places. */
const cellsOfRow = (shape: Shape): ReadonlyMap<string, ScalarShape> => {
  const items = itemsOf(shape);
  return items
    ? new Map(items.flatMap((item, index) => (isScalar(item) ? [[`/${index}`, item] as const] : [])))
    : cellsOf(shape);
};

export const rowOf = memoizePerObject((shape: Shape): Row => {
  const all = scalarsIn(shape);
  return { shape, cells: cellsOfRow(shape), all, digests: new Set(all.map(({ digest }) => digest)) };
});

type Members = readonly (readonly [string, Shape])[];

/** Members without those that are null: null fits any type, and some formats leave it out. */
export const filledIn = (members: Members): Members => members.filter(([, { type }]) => type !== 'null');

/**
 * Two or more objects under names of any kind, all with the same members and with scalars among
 * them: the names are data. Objects of lists alone are what lists stand in.
 */
export const isMap = (all: Members): boolean => {
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

const isMapOfScalars = (members: Members): boolean =>
  members.length > 0 && members.every(([name, value]) => isDataName(name) && isScalar(value));

/** Name and value as a row without names. */
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

/** Items in another order are the same items. */
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
      const areLinks = items.length > 0 && items.every(({ link }) => link === true);
      outside.set(path, { type: 'list', digest, length: value.length, ...(areLinks ? { link: true } : {}) });
    } else for (const [name, inner] of value.members) walk(inner, `${path}/${name}`);
  };
  walk(shape, '');
  const cells = new Map<string, ScalarShape>();
  for (const [path, leaf] of outside) if (leaf.type !== 'list') cells.set(path, leaf);
  return {
    lists,
    outside,
    record: { shape, cells, all: own, digests: new Set(own.map(({ digest }) => digest)) },
    digests: new Set(scalarsIn(shape).map(({ digest }) => digest)),
  };
});

/**
 * A view as `like` has its lists: in XML a list of one row reads as a member, since children of one
 * name are a list only where there are several, and a list of one item may read as the item.
 */
export const viewLike = (body: BodyShape, like: View | undefined): View | undefined => {
  if (body.shape?.type === 'array' && like?.lists.has('')) return viewOf(body.shape);
  const view = viewIn(body);
  if (!view || !body.shape || body.kind !== 'xml' || !like) return view;
  const missing = [...like.lists.keys()].filter((path) => !view.lists.has(path));
  if (missing.length === 0) return view;
  const wrap = (shape: Shape, path: string): Shape => {
    if (missing.includes(path) && shape.type === 'object')
      return { type: 'array', length: 1, count: '', items: [shape] };
    return shape.type === 'object'
      ? { ...shape, members: shape.members.map(([name, value]) => [name, wrap(value, `${path}/${name}`)] as const) }
      : shape;
  };
  return viewOf(wrap(body.shape, ''));
};

/**
 * In XML an element that holds nothing but one other element may be a list of one: both readings
 * are the same text. The innermost such element is the list, as it would be with more of its kind.
 */
const withListsOfOne = memoizePerObject((shape: Shape): Shape => {
  const [root] = shape.type === 'object' ? shape.members : [];
  // The document has one root element, which is no item of anything.
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

/** Whether an object is known by these values of its own, or is what something is wrapped in. */
export const isKnownBy = (telling: readonly ScalarShape[]): boolean => telling.length >= 2;

/**
 * The structure of a body. Of a list of one item that holds lists it is the item where the item is
 * what these are wrapped in: a batch of one answer, or a sequence of one text, which is that text.
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

/**
 * An XML record with an empty element: that may be an empty list, and nothing around it the
 * owner's.
 */
export const isPerhapsEmptyList = (body: BodyShape): boolean => {
  const view = viewIn(body);
  return (
    body.kind === 'xml' && view?.lists.size === 0 && [...view.outside.values()].some(({ type }) => type === 'null')
  );
};

/** Of a form that cannot word a refusal. */
export const isMute = ({ form }: ScalarShape): boolean => form !== undefined;

export const isBoolean = ({ type }: ScalarShape): boolean => type === 'boolean' || type === 'null';

/** True or false, in formats without types too. */
export const isTruth = (shape: ScalarShape): boolean => shape.type === 'boolean' || shape.flag === true;

/** The rows of the outermost lists. */
export const rowsIn = (view: View | undefined): readonly Row[] =>
  [...(view?.lists.values() ?? [])].flatMap(({ rows }) => rows);

/**
 * One structure: the same members, each of one type. Null fits any type, and scalars of formats
 * without types fit any scalar; what stands in inner lists does not count. `strict`: null fits no
 * object and no list.
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
  // Names that are data do not make a structure.
  if (isMapOfScalars(a.members) && isMapOfScalars(b.members)) {
    const [, like] = b.members[0] ?? [];
    return like !== undefined && a.members.every(([, value]) => fits(value, like, strict));
  }
  if (a.members.length !== b.members.length) return false;
  const others = new Map(b.members);
  return a.members.every(([name, value]) => {
    const other = others.get(name);
    return other !== undefined && fits(value, other, strict);
  });
};

/** Names of the members of a row. */
export const namesOf = ({ shape }: Row): ReadonlySet<string> =>
  new Set(shape.type === 'object' ? shape.members.map(([name]) => name) : []);
