import type { BodyShape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from '../oracle/answers.js';
import { digestsIn, rowsByList } from '../oracle/contents.js';
import { isSame, isSameRow, volatileIn } from '../oracle/same.js';
import {
  filledListsIn,
  fits,
  isBooleanLike,
  isFilled,
  isFormatted,
  type Leaf,
  scalarsIn,
  structureOf,
  type View,
  viewIn,
  viewLike,
} from '../oracle/view.js';
import { givesResource } from './same-resource.js';

/** What a public resource withholds from a client without a key. Pure functions of answers. */

/** Answers to a client without a key that open nothing. */
export interface KeylessAnswers {
  readonly nothing: readonly Response[];
  readonly refusals: readonly Response[];
}

export const isOneOf = (answer: Response, others: readonly Response[]): boolean => {
  const [first, second] = others;
  const volatile = volatileIn(first, second);
  return others.some((other) => isSame(answer, other, volatile));
};

/**
 * How a client without a key is refused what the key opens: by status, as protected operations
 * refuse in a body, or by what stands where nothing is, in another format. `undefined` if it is
 * not.
 */
export const refusedWithoutKey = (
  open: Response,
  keyed: Response,
  { nothing, refusals }: KeylessAnswers,
): string | undefined => {
  if (!isSuccess(open)) return `${open.status} with nothing sent, ${keyed.status} with the key`;
  // In the same format it may be an empty list, which a store may give for every name.
  if (open.shape.kind !== keyed.shape.kind && !holdsNothing(open.shape) && isOneOf(open, nothing))
    return `${open.status} with nothing sent, as for a path that does not exist, ${keyed.shape.kind} with the key`;
  return refusals.some((refusal) => isSuccess(refusal) && sidesWith(open, refusal, keyed))
    ? `${open.status} with nothing sent, as protected resources are refused, another body with the key`
    : undefined;
};

/** Whether a body has no values except null. An empty XML element is read as null. */
export const holdsNothing = (body: BodyShape): boolean =>
  digestsIn(body).size === 0 ||
  (body.kind !== 'html' && body.shape !== undefined && scalarsIn(body.shape).every(({ type }) => type === 'null'));

/**
 * Whether an answer resembles a refusal more than the keyed answer: it equals the refusal, or it
 * has its structure and not that of the keyed answer, or more of its values are the refusal's where
 * the two differ.
 */
const sidesWith = (open: Response, refusal: Response, keyed: Response): boolean => {
  // An empty body is no refusal: a client without a key may have no rows.
  if (holdsNothing(open.shape)) return false;
  if (isSame(open, keyed) || givesRowsOf(keyed, open) || givesValuesOf(keyed, open)) return false;
  if (isSame(open, refusal)) return true;
  const [a, r, k] = [open, refusal, keyed].map(({ shape }) => structureOf(shape));
  const [own, refused, opened] = [open, refusal, keyed].map(({ shape }) => viewIn(shape));
  if (!a || !r || !k || !own || !refused || !opened || !fits(a, r, true)) return false;
  const rows = filledListsIn(opened);
  if (rows.some(([path]) => (own.lists.get(path)?.length ?? 0) > 0)) return false;
  const sides = [...own.outside].flatMap(([path, leaf]) => {
    const [its, theirs] = [refused.outside.get(path), opened.outside.get(path)];
    if (!isFilled(leaf) || !isFilled(its) || its.digest === theirs?.digest) return [];
    const side = leaf.digest === its.digest ? 'refusal' : leaf.digest === theirs?.digest ? 'key' : 'none';
    return [{ side, telling: leaf.type !== 'list' && leaf.telling === true }];
  });
  // The keyed answer without its rows says no more than an empty answer.
  const isRest = [...own.outside.keys()].every((path) => opened.outside.has(path));
  if (!fits(a, k)) return !isRest || sides.some(({ side }) => side !== 'none') || listsAsRefused(own, refused, opened);
  // Small numbers may be equal by chance, so only telling values count.
  const telling = sides.filter((each) => each.telling && each.side !== 'none');
  const heard = telling.length > 0 ? telling : sides;
  const countOf = (of: string): number => heard.filter(({ side }) => side === of).length;
  return rows.length > 0 && countOf('refusal') > countOf('key');
};

/** Whether a list that the keyed answer lacks has a value of the refusal's list. */
const listsAsRefused = (own: View, refused: View, opened: View): boolean =>
  [...own.lists].some(([path, { rows }]) => {
    const known = new Set(refused.lists.get(path)?.rows.flatMap(({ digests }) => [...digests]));
    return (
      !opened.lists.has(path) &&
      rows.some(({ digests }) => [...digests].some((digest) => known.has(digest) && !opened.digests.has(digest)))
    );
  });

/** Whether an answer has rows, columns or a record whose values are all in the keyed answer. */
const givesValuesOf = (keyed: Response, open: Response): boolean => {
  const view = viewIn(open.shape);
  const leaves = [...(view?.outside.values() ?? [])];
  const passing = new Set(leaves.flatMap((leaf) => (leaf.type !== 'list' && leaf.passing ? [leaf.digest] : [])));
  const hasColumns = leaves.some((leaf) => leaf.type === 'list');
  const isMeasure = (leaf: Leaf): boolean => leaf.type !== 'list' && isFormatted(leaf) && leaf.telling === true;
  const isRecord = leaves.filter((leaf) => isMeasure(leaf) && !leaf.passing).length > 1;
  const there = digestsIn(keyed.shape);
  return (
    (filledListsIn(view).length > 0 || hasColumns || isRecord) &&
    [...digestsIn(open.shape)].every((digest) => there.has(digest) || passing.has(digest))
  );
};

/**
 * Whether all rows, or text pieces, of the answer are in the keyed answer. Then they are the
 * resource, even if protected operations give them too.
 */
const givesRowsOf = (keyed: Response, open: Response): boolean => {
  const [own, opened] = [viewIn(open.shape), viewIn(keyed.shape)];
  if (!own && !opened) {
    const there = new Set(keyed.shape.pieces);
    return (open.shape.pieces ?? []).length > 0 && (open.shape.pieces ?? []).every((piece) => there.has(piece));
  }
  const [rows, there] = [open, keyed].map(({ shape }) => rowsByList(shape).flat());
  // In XML, a list of one row may be read as a member outside rows.
  if (rows && rows.length > 0 && rows.every((row) => there?.some((each) => isSameRow(each.shape, row.shape))))
    return true;
  const filled = filledListsIn(own);
  return (
    filled.length > 0 &&
    filled.every(([path, { rows }]) =>
      rows.every(({ shape }) => opened?.lists.get(path)?.rows.some((row) => isSameRow(row.shape, shape)) === true),
    )
  );
};

/**
 * What only the key gets, in words; `undefined` if there is no such difference. It proves nothing:
 * the public list may be empty, and the key's owner may have entries of their own. `changes` tells
 * whether the answer to nobody is another one at each read.
 */
export const withheldFromPublic = (
  open: Response,
  keyed: Response,
  known: KeylessAnswers,
  changes: () => boolean,
): string | undefined => {
  if (isSame(open, keyed)) return undefined;
  const opened = viewIn(keyed.shape);
  const own = viewLike(open.shape, opened);
  if (open.shape.kind !== keyed.shape.kind)
    return `${open.shape.kind} with nothing sent, ${keyed.shape.kind} with the key`;
  if (!own || !opened)
    return sharesPieces(open, keyed) || ((open.shape.pieces ?? []).length <= 1 && changes())
      ? undefined
      : 'another text with nothing sent than with the key';
  const filled = filledListsIn(opened);
  const hasItsList = filledListsIn(own).some(([path]) => opened.lists.has(path));
  if (filled.length > 0 && !givesResource(own, opened, [...known.nothing, ...known.refusals])) {
    const isNew = [...own.outside].some(([path, leaf]) => isFilled(leaf) && !opened.outside.has(path));
    const isEmptied = filled.every(([path]) => own.lists.get(path)?.length === 0);
    if (isEmptied) return 'empty lists with nothing sent, filled ones with the key';
    if (hasItsList) return 'other items with nothing sent than with the key';
    return sharesValues(own, opened) && !isNew ? undefined : 'no list with nothing sent, a filled one with the key';
  }
  if (filled.length > 0 || opened.outside.size === 0 || hasItsList || sharesValues(own, opened)) return undefined;
  return [...opened.outside.keys()].some((path) => own.outside.has(path)) && changes()
    ? undefined
    : 'another body with nothing sent than with the key';
};

/** How many items more the key gets, in the lists that a client without one gets items of. */
export const moreItems = (open: Response, keyed: Response): number => {
  const opened = viewIn(keyed.shape);
  const own = viewLike(open.shape, opened);
  return filledListsIn(own)
    .map(([path, { length }]) => (opened?.lists.get(path)?.length ?? 0) - length)
    .filter((more) => more > 0)
    .reduce((sum, more) => sum + more, 0);
};

/**
 * Whether the answers have a value in common, at one place or in one list of values. That something
 * is so, or how many rows there are, is none of the resource.
 */
const sharesValues = (own: View, opened: View): boolean => {
  const counts = new Set([...opened.lists.values()].map(({ count }) => count));
  const isContent = (leaf: Leaf): boolean => leaf.type === 'list' || !(isBooleanLike(leaf) || counts.has(leaf.digest));
  const hasItem = (): boolean =>
    own.record.all.some((scalar) => isFilled(scalar) && opened.record.digests.has(scalar.digest));
  return [...own.outside].some(([path, leaf]) => {
    const there = opened.outside.get(path);
    if (!isFilled(leaf) || !isFilled(there) || !isContent(leaf)) return false;
    return leaf.digest === there.digest || (leaf.type === 'list' && there.type === 'list' && hasItem());
  });
};

const sharesPieces = (open: Response, keyed: Response): boolean => {
  const there = new Set(keyed.shape.pieces ?? [keyed.shape.digest]);
  return (open.shape.pieces ?? [open.shape.digest]).some((piece) => there.has(piece));
};
