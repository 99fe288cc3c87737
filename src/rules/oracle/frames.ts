import { groupBy, memoizePerObject } from '../../collections.js';
import type { BodyShape } from '../../wire/body-shape.js';
import { aroundOf, fixedDigestsOf, type Keyed } from './keyed.js';
import { changeOf } from './same.js';
import { hasEmptyList, isFilled, type Leaf, type Row, type View, viewIn } from './view.js';

/**
 * Parts of the keyed answer that may be boilerplate: the service may put them into every answer.
 */

/** All values of a row in order, without nulls: some formats leave those out. */
const wholeOf = ({ all }: Row): string =>
  all.flatMap(({ type, digest }) => (type === 'null' ? [] : [digest])).join(' ');

/** A filled list of the keyed answer. */
interface KeyedList {
  readonly path: string;
  readonly rows: readonly Row[];
  /** The rows of both reads, if the second one has others: offers by turns, a feed. */
  readonly changing: readonly Row[] | undefined;
}

const filledLists = memoizePerObject(({ view, again }: Keyed): readonly KeyedList[] =>
  [...(view?.lists ?? [])].flatMap(([path, list]) => {
    if (list.length === 0) return [];
    const second = again?.lists.get(path);
    const changing = changeOf(list, second).settled ? undefined : [...list.rows, ...(second?.rows ?? [])];
    return [{ path, rows: list.rows, changing }];
  }),
);

/** The lists of the keyed answer that `seen` repeats: whole, or a row of one that changes. */
const repeatedLists = (keyed: Keyed, there: View): readonly KeyedList[] => {
  const wholes = [...there.lists.values()].map(({ rows }) => new Set(rows.map(wholeOf)));
  return filledLists(keyed).filter(({ rows, changing }) =>
    wholes.some((its) =>
      changing ? changing.some((row) => its.has(wholeOf(row))) : rows.every((row) => its.has(wholeOf(row))),
    ),
  );
};

/** Whether an answer lacks a value of what stands beside the lists of the keyed answer. */
const lacksSurroundings = (keyed: Keyed, there: View): boolean =>
  [...aroundOf(keyed)].some((digest) => !there.digests.has(digest));

/**
 * Whether the lists at these paths may be in every answer with other rows each time: they change
 * from read to read, and `there` has nothing of another list, or lacks a value beside them.
 */
export const mayTurnAnywhere = (keyed: Keyed, there: View, paths: ReadonlySet<string>): boolean => {
  const lists = filledLists(keyed);
  if (lists.some(({ path, changing }) => paths.has(path) && !changing)) return false;
  const repeated = repeatedLists(keyed, there);
  return lacksSurroundings(keyed, there) || lists.some((list) => !paths.has(list.path) && !repeated.includes(list));
};

/**
 * Rows and values of the keyed answer that may be in every answer, also in a refusal: links,
 * prices, public statistics, offers by turns.
 *
 * For an answer with lists: those that `seen` repeats, if it lacks another one; those that change,
 * if it lacks a value beside them; and all of them, if another one is empty, which may be the only one of the owner's. For a record: the parts
 * that `seen` repeats whole, if it has nothing of another part.
 */
export const framesIn = (keyed: Keyed, seen: BodyShape): readonly Row[] => {
  const there = viewIn(seen);
  if (!there || !keyed.view) return [];
  if (keyed.isRecord) return partsRepeated(keyed, keyed.view, outsideOf(seen, there));
  if (hasEmptyList(keyed.first.shape)) return keyed.rows;
  const repeated = repeatedLists(keyed, there);
  const isAll = repeated.length === filledLists(keyed).length;
  if (isAll && !lacksSurroundings(keyed, there)) return [];
  return repeated.filter(({ changing }) => !isAll || changing).flatMap(({ rows, changing = rows }) => changing);
};

/** The parts of a record: the scalars of each object, and each list of scalars. */
const partsOfRecord = memoizePerObject((keyed: Keyed): readonly (readonly (readonly [string, Leaf])[])[] => {
  const fixed = fixedDigestsOf(keyed);
  const steady = [...(keyed.view?.outside ?? [])].filter(([, leaf]) => leaf.type === 'list' || fixed.has(leaf.digest));
  const parts = groupBy(steady, ([path, { type }]) => (type === 'list' ? path : path.slice(0, path.lastIndexOf('/'))));
  return [...parts.values()];
});

/** Removes the root element of XML, so that paths are comparable with those of JSON. */
const withoutRoot = ({ kind }: BodyShape, path: string): string =>
  kind === 'xml' ? path.slice(Math.max(0, path.indexOf('/', 1))) : path;

const outsideOf = (body: BodyShape, { outside }: View): View['outside'] =>
  new Map([...outside].map(([path, leaf]) => [withoutRoot(body, path), leaf]));

const partsRepeated = (keyed: Keyed, own: View, seen: View['outside']): readonly Row[] => {
  const leafAt = (path: string): Leaf | undefined => seen.get(withoutRoot(keyed.first.shape, path));
  const isThere = ([path]: readonly [string, Leaf]): boolean => isFilled(leafAt(path));
  const all = partsOfRecord(keyed);
  if (all.length < 2 || all.every((part) => part.some(isThere))) return [];
  return all
    .filter((part) => part.every(([path, { digest }]) => leafAt(path)?.digest === digest))
    .map((part) => ({ ...own.record, digests: new Set(part.flatMap(([, { digest }]) => digest.split(' '))) }));
};
