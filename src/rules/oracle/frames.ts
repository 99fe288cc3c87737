import { groupBy, memoizePerObject } from '../../collections.js';
import type { BodyShape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import type { Background, KeyedReads } from './background.js';
import { aroundOf, fixedDigestsOf, innerRows, type Keyed } from './keyed.js';
import { listStateAt } from './outside.js';
import { chosenBetween } from './steady-lists.js';
import { filledListsIn, hasEmptyList, isFilled, type Leaf, type Row, rowsIn, type View, viewIn } from './view.js';

/** Frames: parts of the keyed answer that the service may put into every answer. */

/** All values of a row in order, without nulls: some formats leave those out. */
const valuesOf = memoizePerObject(({ all }: Row): string =>
  all.flatMap(({ type, digest }) => (type === 'null' ? [] : [digest])).join(' '),
);

/**
 * The rows and values of the keyed answer that may be in every answer, also in a refusal: links,
 * prices, public statistics.
 *
 * For a record: the parts that `seen` repeats whole, if it has nothing of another part. For an
 * answer with several lists: those that `seen` repeats whole or that have other rows at each read,
 * if `seen` lacks another list; and all of them if another list is empty, since only that one may
 * be the owner's.
 */
export const framesIn = (reads: KeyedReads, seen: BodyShape): readonly Row[] => {
  const { keyed } = reads;
  const there = viewIn(seen);
  if (!there || !keyed.view) return [];
  if (keyed.isRecord) return partsRepeated(keyed, keyed.view, outsideOf(seen, there));
  const filled = filledListsIn(keyed.view);
  if (hasEmptyList(keyed.first.shape)) return filled.flatMap(([, { rows }]) => rows);
  const wholes = [...there.lists.values()].map(({ rows }) => new Set(rows.map(valuesOf)));
  const isRepeated = ([, { rows }]: (typeof filled)[number]): boolean =>
    wholes.some((its) => rows.every((row) => its.has(valuesOf(row))));
  const isChosen = chosenIn(reads);
  const lacks = ([path]: (typeof filled)[number]): boolean =>
    lacksAnother(reads, there, path) || lacksAround(reads, there);
  // A list with other rows at each read is never repeated whole, so it does not count as lacking.
  if (filled.every((list) => isRepeated(list) || (isChosen(list[0]) && !lacks(list)))) return [];
  return filled
    .filter((list) => isRepeated(list) || (isChosen(list[0]) && lacks(list)))
    .flatMap(([, { rows }]) => rows);
};

/**
 * Whether rows at a path may be in every answer, although the key gets others there: news for
 * guests, or a choice of offers. They may be if the answer lacks another list that the key gets.
 *
 * Rows that change at each read may also be so if the key gets an empty list too, if an answer that
 * opens nothing has rows at that path, or if the answer lacks what the key gets around the rows.
 */
export const mayBeFrame = (background: Background, seen: View, path: string): boolean => {
  const { keyed, nothing } = background;
  if (lacksAnother(background, seen, path)) return true;
  const isNowhere = ({ shape }: Response): boolean => (viewIn(shape)?.lists.get(path)?.length ?? 0) > 0;
  return (
    chosenIn(background)(path) &&
    (hasEmptyList(keyed.first.shape) || lacksAround(background, seen) || nothing.some(isNowhere))
  );
};

/** Whether more keyed reads may show that the rows of an answer are in every answer. */
export const mayRestOnFrame = (reads: KeyedReads, seen: BodyShape): boolean => {
  const there = viewIn(seen);
  return (
    there !== undefined &&
    rowsIn(there).length > 0 &&
    (hasEmptyList(reads.keyed.first.shape) || lacksAnother(reads, there) || lacksAround(reads, there))
  );
};

/**
 * Whether a list other than that at `path` is empty or gone. Beside a list that is the same each
 * time, a list with other rows at each read does not count, since it may be empty in one read. A
 * list of groups is empty if no group has a row.
 */
const lacksAnother = (reads: KeyedReads, seen: View, path?: string): boolean => {
  const isChosen = chosenIn(reads);
  const countsChosen = path === undefined || isChosen(path);
  return [...(reads.keyed.view?.lists ?? [])].some(([at, { length, rows }]) => {
    if (at === path || length === 0 || (isChosen(at) && !countsChosen)) return false;
    if (listStateAt(seen, at) !== 'filled') return true;
    return rows.every(isGroup) && !seen.lists.get(at)?.rows.some(isGroup);
  });
};

const isGroup = (row: Row): boolean => innerRows(row).length > 0;

/**
 * Whether a value around the rows is gone: one that may be the owner's, or one at a path where the
 * key always gets a value other than a link.
 */
const lacksAround = ({ keyed, moving }: KeyedReads, seen: View): boolean =>
  [...aroundOf(keyed)].some((digest) => !seen.digests.has(digest)) ||
  [...(keyed.view?.outside ?? [])].some(
    ([path, leaf]) => isFilled(leaf) && !leaf.link && !moving.has(path) && !isFilled(seen.outside.get(path)),
  );

/** Whether some list that the key gets has other rows at each read. */
export const choosesRows = (reads: KeyedReads): boolean =>
  [...(reads.keyed.view?.lists.keys() ?? [])].some(chosenIn(reads));

const chosenIn =
  ({ keyed, moving }: KeyedReads) =>
  (path: string): boolean =>
    moving.has(path) || chosenBetween(keyed).includes(path);

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
