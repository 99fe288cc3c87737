import { groupBy, memoizePerObject } from '../../collections.js';
import type { BodyShape } from '../../wire/body-shape.js';
import type { Keyed } from './keyed.js';
import { isFilled, type Leaf, type Row, type View, viewIn } from './view.js';

/** What of the keyed answer may stand in every answer of the service. */

/** Null is left out in some formats. */
export const wholeOf = ({ all }: Row): string =>
  all.flatMap(({ type, digest }) => (type === 'null' ? [] : [digest])).join(' ');

/**
 * What may frame every answer of the service, a refusal too (links, prices, numbers of everybody):
 * rows of the lists that an answer repeats whole, where it has none of the other rows, and values
 * of the parts of a record that it repeats whole, where it has nothing of another part.
 */
export const framesIn = (keyed: Keyed, seen: BodyShape): readonly Row[] => {
  const there = viewIn(seen);
  if (!there || !keyed.view) return [];
  if (keyed.isRecord) return partsRepeated(keyed, keyed.view, outsideOf(seen, there));
  const [own, its] = [keyed.view, there].map(({ lists }) =>
    [...lists.values()].filter(({ length }) => length > 0).map(({ rows }) => rows),
  );
  if (!own || !its || own.length < 2 || its.length === 0) return [];
  const isIn = (rows: readonly Row[], others: readonly Row[]): boolean => {
    const wholes = new Set(others.map(wholeOf));
    return rows.every((row) => wholes.has(wholeOf(row)));
  };
  const repeated = own.filter((rows) => its.some((others) => isIn(rows, others)));
  const isMore = repeated.length === own.length || !its.every((rows) => repeated.some((one) => isIn(rows, one)));
  return isMore ? [] : repeated.flat();
};

const isFilledAt = ({ outside, lists }: View, path: string): boolean =>
  isFilled(outside.get(path)) || (lists.get(path)?.length ?? 0) > 0;

/**
 * Where the keyed answer has an empty list, which is as empty here, and every other list is
 * repeated whole: what the list that is empty belongs to may frame every answer with the others.
 */
export const besideNone = ({ first, view: own }: Keyed, seen: BodyShape): readonly Row[] => {
  const there = viewIn(seen);
  if (!own || !there) return [];
  const isEmptied =
    [...own.lists].some(([path, { length }]) => length === 0 && there.lists.get(path)?.length === 0) ||
    // An empty element of XML may be an empty list.
    (first.shape.kind === 'xml' &&
      [...own.outside].some(([path, { type }]) => type === 'null' && !isFilledAt(there, path)));
  if (!isEmptied) return [];
  const filled = [...own.lists].filter(([, { length }]) => length > 0);
  const isRepeated = ([path, { rows }]: (typeof filled)[number]): boolean =>
    there.lists.get(path)?.rows.map(wholeOf).join('\n') === rows.map(wholeOf).join('\n');
  return filled.every(isRepeated) ? filled.flatMap(([, { rows }]) => rows) : [];
};

/** The scalars of an object are a part, and each list of scalars is one. */
const partsOfRecord = memoizePerObject(({ fixed, view }: Keyed): readonly (readonly (readonly [string, Leaf])[])[] => {
  const steady = [...(view?.outside ?? [])].filter(([, leaf]) => leaf.type === 'list' || fixed.has(leaf.digest));
  const parts = groupBy(steady, ([path, { type }]) => (type === 'list' ? path : path.slice(0, path.lastIndexOf('/'))));
  return [...parts.values()];
});

/** XML has a root element around what JSON has as the document. */
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
