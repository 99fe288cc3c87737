import type { Response } from '../../wire/types.js';
import type { Background } from './background.js';
import { comparisonsIn } from './comparisons.js';
import { changingOf } from './keyed.js';
import { isBooleanLike, isFilled, isNull, type Leaf, type List, type View, viewIn, viewLike } from './view.js';

/** Compares what stands outside rows with the keyed answer. */

/** The value at a path outside rows changes from one keyed read to another. */
export const isChanging = ({ keyed, moving }: Background, path: string): boolean =>
  moving.has(path) || changingOf(keyed).has(path);

/**
 * Whether an answer has the members outside rows that the keyed answer has, and one of their values
 * differs although both keyed reads agree on it. They may agree by chance, and the value may change
 * by itself.
 */
export const differsInValuesAlone = ({ shape }: Response, background: Background): boolean => {
  const { keyed } = background;
  const [own, seen] = [keyed.view, viewLike(shape, keyed.view)];
  if (!own || !seen || shape.kind !== keyed.first.shape.kind) return false;
  const isSameMembers =
    seen.outside.size === own.outside.size && [...seen.outside.keys()].every((path) => own.outside.has(path));
  return (
    isSameMembers &&
    [...own.outside].some(
      ([path, { digest }]) => !isChanging(background, path) && seen.outside.get(path)?.digest !== digest,
    )
  );
};

export interface Outside {
  readonly agrees: boolean;
  readonly says: boolean;
  readonly differs: boolean;
  readonly follows: boolean;
}

const incomparable: Outside = { agrees: false, says: false, differs: false, follows: false };

const isLink = (leaf: Leaf): boolean => leaf.link === true;
const isNumber = (leaf: Leaf): boolean => leaf.type === 'number' || (leaf.type === 'text' && leaf.form === 'number');

/** Compares the members outside rows that both keyed reads agree on with those of the answer. */
export const compareOutside = (background: Background, seen: View | undefined): Outside => {
  const { keyed, nothing } = background;
  const { publicViews: publics } = comparisonsIn(background);
  const own = keyed.view;
  if (!own || !seen) return incomparable;
  const fixed = [...own.outside].filter(([path, { passing }]) => !passing && !isChanging(background, path));
  const isNew = (path: string): boolean => !own.outside.has(path) && !isChanging(background, path);
  const elsewhere = nothing.flatMap((one) => viewIn(one.shape) ?? []);
  const lists = [...own.lists];
  const theirs = lists.map(([path]) => seen.lists.get(path));

  const isCountOf = (leaf: Leaf, list: List | undefined, least = 2): boolean =>
    list !== undefined && list.length >= least && list.count === leaf.digest;
  const isShownCount = (path: string, leaf: Leaf): boolean =>
    lists.some(([, list]) => isCountOf(leaf, list)) ||
    publics.some((view) => {
      const its = view.outside.get(path);
      return its !== undefined && [...view.lists.values()].some((list) => isCountOf(its, list));
    }) ||
    lists.some((_, index) => {
      const now = seen.outside.get(path);
      // The keyed answer's number may be a total beyond its page, so the answer's own count
      // decides. A 1 beside one row may be anything.
      return now !== undefined && isNumber(leaf) && isNumber(now) && isCountOf(now, theirs[index]);
    });
  const followsRows = (path: string, leaf: Leaf): boolean => {
    const now = seen.outside.get(path);
    if (now === undefined || !isShownCount(path, leaf)) return false;
    return theirs.some((list) => (list ? isCountOf(now, list, 0) : now.small === 0));
  };
  const following = new Set(fixed.filter(([path, leaf]) => followsRows(path, leaf)).map(([path]) => path));

  const agrees = fixed.some(
    ([path, leaf]) =>
      following.has(path) ||
      (!isNull(leaf) &&
        seen.outside.get(path)?.digest === leaf.digest &&
        !elsewhere.some((view) => view.outside.get(path)?.digest === leaf.digest)),
  );
  const changed = fixed.flatMap(([path, leaf]) => {
    const now = seen.outside.get(path);
    return now && !isNull(now) && now.digest !== leaf.digest && !following.has(path) ? [{ leaf, now }] : [];
  });
  // A 0 beside no rows may be their number or the number of pages.
  const isEmptied = ({ leaf, now }: { leaf: Leaf; now: Leaf }): boolean =>
    isNumber(leaf) && now.small === 0 && theirs.every((list) => list === undefined || list.length === 0);
  // A boolean may say whether there are rows, if a number counts them.
  const isCounted = following.size > 0 || changed.some(isEmptied);
  const isFollowingFlip = ({ leaf, now }: { leaf: Leaf; now: Leaf }): boolean =>
    isCounted && isBooleanLike(leaf) && isBooleanLike(now);
  const spoken = changed.filter(
    (each) => !isEmptied(each) && !isFollowingFlip(each) && !isLink(each.now) && !each.now.passing,
  );
  // If answers that open nothing have a link there too, it does not belong to rows.
  const isOfNothing = (path: string): boolean => elsewhere.some(({ outside }) => isFilled(outside.get(path)));
  const isNewLeaf = ([path, leaf]: readonly [string, Leaf]): boolean =>
    isNew(path) && !own.lists.has(path) && !isNull(leaf) && (!isLink(leaf) || isOfNothing(path));
  // Null in the keyed answer is no list.
  const isNewList = ([path, list]: readonly [string, List]): boolean =>
    list.length > 0 && !own.lists.has(path) && (!own.outside.has(path) || isNull(own.outside.get(path)));
  // An answer without rows has no next page, so a new link may lead to the log-in.
  const leadsOn =
    changed.some(({ leaf, now }) => isNull(leaf) && isLink(now)) ||
    [...seen.outside].some(([path, leaf]) => isLink(leaf) && isNew(path));
  const inPlaceOfRows = [...seen.outside].some(
    // A list that is empty for the key might otherwise hold words, so a filled one proves nothing.
    ([path, leaf]) => own.lists.has(path) && !isNull(leaf) && (leaf.type !== 'list' || keyed.rows.length > 0),
  );
  return {
    agrees,
    says: spoken.length > 0 || inPlaceOfRows || [...seen.outside].some(isNewLeaf) || [...seen.lists].some(isNewList),
    differs:
      fixed.some(([path, leaf]) => {
        const now = seen.outside.get(path);
        return now === undefined || (isNull(now) && !isNull(leaf));
      }) ||
      leadsOn ||
      changed.some((each) => isEmptied(each) || isFollowingFlip(each)),
    follows: following.size > 0,
  };
};

/** State of a list of the keyed answer in another answer. */
type ListState = 'filled' | 'empty' | 'gone';

export const listStateAt = (view: View, path: string): ListState => {
  const list = view.lists.get(path);
  if (list) return list.length > 0 ? 'filled' : 'empty';
  return isNull(view.outside.get(path)) ? 'empty' : 'gone';
};
