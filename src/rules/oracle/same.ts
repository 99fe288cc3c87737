import { memoizePerObject, memoizePerPair } from '../../collections.js';
import type { BodyShape, ScalarShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { header, redirectPathOf } from './answers.js';
import { isScalar, type Leaf, type List, type Row, rowsIn, structureOf, type View, viewIn, viewOf } from './view.js';

/** Whether two answers are equal except for volatile parts. Pure functions of shapes. */

/** Two moments near now are equal, and so are two links: these repeat the requested path. */
const isSameScalar = (a: ScalarShape, b: ScalarShape): boolean =>
  a.digest === b.digest || (a.passing === true && b.passing === true) || (a.link === true && b.link === true);

type Items = Extract<Shape, { readonly type: 'array' }>;

/** The items of a list as one string, independent of their order and without links. */
const itemsOf = memoizePerObject((list: Items): string =>
  tally(list.items.map((item) => JSON.stringify(item, (_name, value) => (value?.link === true ? 'link' : value)))),
);

const holdsObjects = ({ items }: Items): boolean => items.length > 0 && items.every(({ type }) => type === 'object');

/** Called where two scalars or two lists differ. Returns `false` to end the comparison. */
type OnOther = (path: string) => boolean;

/**
 * Compares two structures. All items of a list have one path. Lists of different lengths are
 * compared as far as both go if they hold objects. Returns `false` if the structures differ or the
 * comparison was ended.
 */
const compare = (one: Shape, other: Shape, onOther: OnOther, path = ''): boolean => {
  if (one === other) return true;
  if (isScalar(one)) {
    if (!isScalar(other)) return false;
    return isSameScalar(one, other) || onOther(path);
  }
  if (one.type === 'array') {
    if (other.type !== 'array') return false;
    const isAsLong = one.length === other.length;
    const ofItems = `${path}/*`;
    if (!isAsLong && !([one, other].every(holdsObjects) && onOther(ofItems))) return false;
    // Rows in another order are the same rows.
    if (isAsLong && itemsOf(one) === itemsOf(other)) return true;
    return one.items.every((item, index) => {
      const its = other.items[index];
      return its === undefined ? !isAsLong : compare(item, its, onOther, ofItems);
    });
  }
  if (other.type !== 'object' || one.members.length !== other.members.length) return false;
  const members = new Map(other.members);
  return one.members.every(([name, value]) => {
    const its = members.get(name);
    return its !== undefined && compare(value, its, onOther, `${path}/${name}`);
  });
};

/** Whether two rows are equal. */
export const isSameRow = (a: Shape, b: Shape): boolean => compare(a, b, () => false);

/**
 * The places where two bodies of one structure differ: member paths (all items of a list have one
 * path), or indexes of pieces. Returns `undefined` if the structures differ.
 */
export const differences = (a: BodyShape, b: BodyShape): ReadonlySet<string> | undefined => {
  if (a.digest === b.digest) return new Set();
  if (a.kind !== b.kind) return undefined;
  const found = new Set<string>();
  // HTML has a structure only for its tables, so its pieces are compared.
  const [one, other] = [structureOf(a), structureOf(b)];
  if (one && other && a.kind !== 'html')
    return compare(one, other, (path) => found.add(path) !== undefined) ? found : undefined;
  if (!a.pieces || !b.pieces || a.pieces.length !== b.pieces.length) return undefined;
  for (const [index, piece] of a.pieces.entries()) if (b.pieces[index] !== piece) found.add(`#${index}`);
  return found;
};

/** Whether status, redirect path and body are equal but for the places in `volatile`. */
export const isSame = (
  a: Response | undefined,
  b: Response | undefined,
  volatile: ReadonlySet<string> = new Set(),
): boolean => {
  if (!a || !b) return false;
  if (a === b) return true;
  if (a.status !== b.status || redirectPathOf(a) !== redirectPathOf(b)) return false;
  const found = differences(a.shape, b.shape);
  return found !== undefined && [...found].every((path) => volatile.has(path));
};

/** The places where two answers to equivalent requests differ. */
export const volatileIn = (first: Response | undefined, second: Response | undefined): ReadonlySet<string> =>
  (first && second && differences(first.shape, second.shape)) ?? new Set();

/** Whether bodies have one kind and media type, and the same lists, or a common member. */
export const isOfOneForm = (a: BodyShape, b: BodyShape): boolean => {
  if (a.kind !== b.kind || a.mediaType !== b.mediaType) return false;
  const [one, other] = [viewIn(a), viewIn(b)];
  if (a.kind === 'html' || (!one && !other)) return true;
  if (!one || !other) return false;
  if (one.lists.size > 0 || other.lists.size > 0)
    return one.lists.size === other.lists.size && [...one.lists.keys()].every((path) => other.lists.has(path));
  return (
    [...one.outside.keys()].some((path) => other.outside.has(path)) ||
    (one.outside.size === 0 && other.outside.size === 0)
  );
};

const tally = (keys: readonly string[]): string => [...keys].sort().join('\n');

/** The columns of a row: its scalars by path, and all values of inner lists as one column. */
const columnsOf = memoizePerObject((row: Row): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const [path, { digest, passing }] of row.cells) found.set(path, passing ? 'now' : digest);
  const own = new Set(row.cells.values());
  const inner = row.all.filter((scalar) => !own.has(scalar));
  if (inner.length > 0) found.set('[]', tally(inner.map(({ digest }) => digest)));
  return found;
});

/** What changes in a list between the two keyed reads. */
interface ListChange {
  /** Equal in both reads except for fewer than half of the columns. */
  readonly settled: boolean;
  readonly moving: ReadonlySet<string>;
  /** The rows without moving columns, independent of order. */
  readonly keys: string;
}

const unsettled: ListChange = { settled: false, moving: new Set(), keys: '' };

/** Cached for both lists, since every answer is compared with the same two reads. */
const changeBetween = memoizePerPair((first: List, second: List): ListChange => {
  if (first.rows.length !== second.rows.length || first.length !== second.length) return unsettled;
  const [a, b] = [first.rows.map(columnsOf), second.rows.map(columnsOf)];
  const paths = new Set([...a, ...b].flatMap((columns) => [...columns.keys()]));
  const values = (rows: readonly ReadonlyMap<string, string>[], path: string): string =>
    tally(rows.map((columns) => columns.get(path) ?? ''));
  const moving = new Set([...paths].filter((path) => values(a, path) !== values(b, path)));
  const keys = keysBeside(moving, first);
  const settled = moving.size * 2 < paths.size && keys === keysBeside(moving, second);
  return { settled: settled || (first.rows.length === 0 && first.length === 0), moving, keys };
});

export const changeOf = (first: List, second: List | undefined): ListChange =>
  second ? changeBetween(first, second) : unsettled;

const keyOf = (row: Row, moving: ReadonlySet<string>): string =>
  [...columnsOf(row)]
    .filter(([path]) => !moving.has(path))
    .map((column) => column.join(' '))
    .sort()
    .join(';');

const keysBeside = memoizePerPair((moving: ReadonlySet<string>, { rows }: List): string =>
  tally(rows.map((row) => keyOf(row, moving))),
);

const isSameLeaf = (a: Leaf, b: Leaf | undefined): boolean =>
  b !== undefined && a.type === b.type && (a.digest === b.digest || (a.passing === true && b.passing === true));

/** What an answer shares with both keyed reads. */
interface SharedParts {
  readonly rows: readonly Row[];
  /** Digests of values outside rows, or of pieces of a text. */
  readonly values: readonly string[];
}

/** What an answer shares with both keyed reads if it equals them but for volatile parts. */
export const sharedWithKeyed = (
  first: BodyShape,
  second: BodyShape,
  seen: BodyShape,
  moving: ReadonlySet<string> = new Set(),
): SharedParts | undefined => {
  if (seen.kind !== first.kind || second.kind !== first.kind || seen.broken !== first.broken) return undefined;
  if (first.kind !== 'html') {
    const [one, other, its] = [first, second, seen].map(structureOf);
    if (one && other && its) return sharedTree(viewOf(one), viewOf(other), viewOf(its), moving);
    if (first.shape || seen.shape) return undefined;
  }
  if (first.pieces && second.pieces && seen.pieces) return sharedPieces(first.pieces, second.pieces, seen.pieces);
  return seen.digest === first.digest && first.kind !== 'empty' ? { rows: [], values: [seen.digest] } : undefined;
};

const sharedTree = (first: View, second: View, seen: View, moving: ReadonlySet<string>): SharedParts | undefined => {
  if (first.lists.size !== seen.lists.size || first.lists.size !== second.lists.size) return undefined;
  const fixed = [...first.outside].filter(
    ([path, { digest }]) => second.outside.get(path)?.digest === digest && !moving.has(path),
  );
  if (!fixed.every(([path, leaf]) => isSameLeaf(leaf, seen.outside.get(path)))) return undefined;
  if ([...seen.outside.keys()].some((path) => !first.outside.has(path) && !second.outside.has(path))) return undefined;
  for (const [path, list] of first.lists) {
    const its = seen.lists.get(path);
    const { settled, moving: columns, keys } = changeOf(list, second.lists.get(path));
    if (!its || !settled || its.length !== list.length || keysBeside(columns, its) !== keys) return undefined;
  }
  // Links repeat the requested path, so they prove nothing.
  const telling = fixed.filter(([, { type, link, passing }]) => type !== 'null' && !link && !passing);
  return { rows: rowsIn(seen), values: telling.map(([, { digest }]) => digest) };
};

type Pieces = readonly string[];

const sharedPieces = (first: Pieces, second: Pieces, seen: Pieces): SharedParts | undefined => {
  if (first.length !== second.length || first.length !== seen.length) return undefined;
  const stable = first.filter((piece, index) => second[index] === piece);
  const isHeld = first.every((piece, index) => second[index] !== piece || seen[index] === piece);
  return isHeld && stable.length > 0 ? { rows: [], values: stable } : undefined;
};

/**
 * Whether an answer has the fields of the keyed answer: Content-Type, and ETag or Content-Length.
 * An ETag that is stable for the key has to be equal, whatever the length is. Returns `undefined`
 * if the keyed answer has no field to compare.
 */
export const sameFields = (keyed: Response, again: Response | undefined, seen: Response): boolean | undefined => {
  const [type, etag, length] = ['content-type', 'etag', 'content-length'].map((name) => header(keyed, name));
  const telling = length === '0' ? undefined : length;
  if (type === undefined || (etag === undefined && telling === undefined)) return undefined;
  if (header(seen, 'content-type') !== type) return false;
  const seenTag = header(seen, 'etag');
  if (etag !== undefined && seenTag === etag) return true;
  const isStable = etag !== undefined && again !== undefined && header(again, 'etag') === etag;
  if (isStable && seenTag !== undefined) return false;
  return telling !== undefined && header(seen, 'content-length') === telling;
};
