import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape, Shape } from '../../wire/body-shape.js';

/** What stands where in a body. Pure functions of its structure. */

export const isScalar = (shape: Shape): shape is ScalarShape => shape.type !== 'object' && shape.type !== 'array';

/** A list of rows: an array of anything but scalars, an empty array, or a map of objects with the same members. */
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
export type Leaf = ScalarShape | { readonly type: 'list'; readonly digest: string; readonly length: number };

export interface View {
  /** The outermost lists by path. */
  readonly lists: ReadonlyMap<string, List>;
  readonly outside: ReadonlyMap<string, Leaf>;
  /** The whole body as one row, what stands in lists left out. */
  readonly record: Row;
  /** Digests of everything. */
  readonly digests: ReadonlySet<string>;
}

const scalarsIn = (shape: Shape, found: ScalarShape[] = []): ScalarShape[] => {
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

/** A row without names has its places. */
const cellsOfRow = (shape: Shape): ReadonlyMap<string, ScalarShape> =>
  shape.type === 'array'
    ? new Map(shape.items.flatMap((item, index) => (isScalar(item) ? [[`/${index}`, item] as const] : [])))
    : cellsOf(shape);

export const rowOf = memoizePerObject((shape: Shape): Row => {
  const all = scalarsIn(shape);
  return { shape, cells: cellsOfRow(shape), all, digests: new Set(all.map(({ digest }) => digest)) };
});

/**
 * Two or more objects under names of any kind, all with the same members and with scalars among them: the names are data.
 * Objects of lists alone are what lists stand in.
 */
export const isMap = (members: readonly (readonly [string, Shape])[]): boolean => {
  if (members.length < 2) return false;
  const names = members.map(([, value]) =>
    value.type === 'object' && value.members.length > 0 ? value.members.map(([name]) => name).join('\n') : '',
  );
  return (
    names.every((each) => each !== '' && each === names[0]) && members.every(([, value]) => rowOf(value).cells.size > 0)
  );
};

const listAt = (shape: Shape): List | undefined => {
  if (shape.type === 'array') {
    if (shape.items.length > 0 && shape.items.every(isScalar)) return undefined;
    return { rows: shape.items.map(rowOf), length: shape.length, count: shape.count };
  }
  if (shape.type !== 'object' || !isMap(shape.members)) return undefined;
  return { rows: shape.members.map(([, value]) => rowOf(value)), length: shape.members.length, count: undefined };
};

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
      outside.set(path, { type: 'list', digest: items.map(({ digest }) => digest).join(' '), length: value.length });
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
 * A view as `like` has its lists: in XML a list of one row reads as a member, since children of one name are a list only where
 * there are several.
 */
export const viewLike = (body: BodyShape, like: View | undefined): View | undefined => {
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
 * In XML an element that holds nothing but one other element may be a list of one: both readings are the same text. The innermost
 * such element is the list, as it would be with more of its kind.
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

export const viewIn = ({ kind, shape }: BodyShape): View | undefined =>
  shape && viewOf(kind === 'xml' ? withListsOfOne(shape) : shape);

/** An XML record with an empty element: that may be an empty list, and nothing around it the owner's. */
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

/** Every object with scalars of its own that stands anywhere in a body, markup and strings included. */
export const objectsIn = memoizePerObject((body: BodyShape): readonly Row[] => {
  const found: Row[] = [];
  const walk = (shape: Shape): void => {
    if (isScalar(shape)) return;
    if (shape.type === 'array') for (const item of shape.items) walk(item);
    else {
      found.push(rowOf(shape));
      for (const [, value] of shape.members) walk(value);
    }
  };
  for (const shape of [...(body.shape ? [body.shape] : []), ...(body.embedded ?? [])]) walk(shape);
  return found;
});

/** Rows without names: arrays of three scalars or more. */
export const tuplesIn = memoizePerObject((body: BodyShape): readonly (readonly string[])[] => {
  const found: (readonly string[])[] = [];
  const walk = (shape: Shape): void => {
    if (isScalar(shape)) return;
    if (shape.type === 'object') for (const [, value] of shape.members) walk(value);
    else if (shape.items.length >= 3 && shape.items.every(isScalar))
      found.push(shape.items.filter(isScalar).map(({ digest }) => digest));
    else for (const item of shape.items) walk(item);
  };
  for (const shape of [...(body.shape ? [body.shape] : []), ...(body.embedded ?? [])]) walk(shape);
  return found;
});

/** Lines of a text as rows of their words. */
export const linesIn = (body: BodyShape): readonly Row[] =>
  body.kind === 'text' ? (body.embedded ?? []).filter(({ type }) => type === 'array').map(rowOf) : [];

/** Digests of every scalar, and of what stands within sentences. */
export const digestsIn = memoizePerObject(
  (body: BodyShape): ReadonlySet<string> =>
    new Set([
      ...(body.shape ? viewOf(body.shape).digests : []),
      ...(body.embedded ?? []).flatMap((shape) => scalarsIn(shape).map(({ digest }) => digest)),
      ...(body.pieces ?? []),
      ...body.values,
      ...(body.parts ?? []),
    ]),
);

/** Digests of what stands in the text of a body: of markup and plain text, and of sentences in JSON. */
export const textIn = memoizePerObject(
  (body: BodyShape): ReadonlySet<string> =>
    new Set([...(body.kind === 'json' ? [] : [...(body.pieces ?? []), ...body.values]), ...(body.parts ?? [])]),
);

/**
 * One structure: the same members, each of one type. Null fits any type, and scalars of formats without types fit any
 * scalar; what stands in inner lists does not count. `strict`: null fits no object and no list.
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

/**
 * Whether two rows are the same one. What repeats the path that was asked for reads in another way where another path was, so
 * links count as equal.
 */
export const isSameRow = (a: Shape, b: Shape): boolean => {
  if (a === b) return true;
  if (isScalar(a)) return isScalar(b) && (a.digest === b.digest || (a.link === true && b.link === true));
  if (a.type === 'array')
    return (
      b.type === 'array' &&
      a.length === b.length &&
      a.items.every((item, index) => {
        const its = b.items[index];
        return its !== undefined && isSameRow(item, its);
      })
    );
  if (b.type !== 'object' || a.members.length !== b.members.length) return false;
  const others = new Map(b.members);
  return a.members.every(([name, value]) => {
    const its = others.get(name);
    return its !== undefined && isSameRow(value, its);
  });
};

/** Names of the members of a row. */
export const namesOf = ({ shape }: Row): ReadonlySet<string> =>
  new Set(shape.type === 'object' ? shape.members.map(([name]) => name) : []);
