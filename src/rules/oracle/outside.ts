import type { Response } from '../../wire/types.js';
import { type Background, givenToAnybody } from './background.js';
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

/** A value at a path outside rows. */
type Placed = readonly [path: string, leaf: Leaf];

/** A value of the keyed answer, and what stands there in the answer. */
interface Change {
  readonly leaf: Leaf;
  readonly now: Leaf;
}

/** The members outside rows that both keyed reads agree on. */
const fixedIn = (background: Background, own: View): readonly Placed[] =>
  [...own.outside].filter(([path, { passing }]) => !passing && !isChanging(background, path));

const isCountOf = (leaf: Leaf, list: List | undefined, least = 2): boolean =>
  list !== undefined && list.length >= least && list.count === leaf.digest;

/** The paths of shown counts that are the number of the answer's rows. */
const countsThatFollow = (
  { own, seen, publics }: { readonly own: View; readonly seen: View; readonly publics: readonly View[] },
  fixed: readonly Placed[],
): ReadonlySet<string> => {
  const theirs = [...own.lists.keys()].map((path) => seen.lists.get(path));
  const isPublicCount = (path: string): boolean =>
    publics.some((view) => {
      const its = view.outside.get(path);
      return its !== undefined && [...view.lists.values()].some((list) => isCountOf(its, list));
    });
  const follows = ([path, leaf]: Placed): boolean => {
    const now = seen.outside.get(path);
    if (now === undefined) return false;
    // The keyed answer's number may be a total beyond its page, so the answer's own count decides.
    // A 1 beside one row may be anything.
    const isOwnCount = isNumber(leaf) && isNumber(now) && theirs.some((list) => isCountOf(now, list));
    const isShown = [...own.lists.values()].some((list) => isCountOf(leaf, list)) || isPublicCount(path) || isOwnCount;
    return isShown && theirs.some((list) => (list ? isCountOf(now, list, 0) : now.small === 0));
  };
  return new Set(fixed.filter(follows).map(([path]) => path));
};

/** Compares the members outside rows that both keyed reads agree on with those of the answer. */
export const compareOutside = (background: Background, seen: View | undefined): Outside => {
  const { keyed, nothing } = background;
  const own = keyed.view;
  if (!own || !seen) return incomparable;
  const fixed = fixedIn(background, own);
  const following = countsThatFollow({ own, seen, publics: givenToAnybody(background).publicViews }, fixed);
  const isNew = (path: string): boolean => !own.outside.has(path) && !isChanging(background, path);
  const elsewhere = nothing.flatMap((one) => viewIn(one.shape) ?? []);
  const hasNoRows = [...own.lists.keys()].every((path) => (seen.lists.get(path)?.length ?? 0) === 0);

  const agrees = fixed.some(
    ([path, leaf]) =>
      following.has(path) ||
      (!isNull(leaf) &&
        seen.outside.get(path)?.digest === leaf.digest &&
        !elsewhere.some((view) => view.outside.get(path)?.digest === leaf.digest)),
  );
  const changed = fixed.flatMap(([path, leaf]): readonly Change[] => {
    const now = seen.outside.get(path);
    return now && !isNull(now) && now.digest !== leaf.digest && !following.has(path) ? [{ leaf, now }] : [];
  });
  // A 0 beside no rows may be their number or the number of pages.
  const isEmptied = ({ leaf, now }: Change): boolean => hasNoRows && isNumber(leaf) && now.small === 0;
  // A boolean may say whether there are rows, if a number counts them.
  const isCounted = following.size > 0 || changed.some(isEmptied);
  const isFollowingFlip = ({ leaf, now }: Change): boolean => isCounted && isBooleanLike(leaf) && isBooleanLike(now);
  const spoken = changed.filter(
    (each) => !isEmptied(each) && !isFollowingFlip(each) && !isLink(each.now) && !each.now.passing,
  );
  // If answers that open nothing have a link there too, it does not belong to rows.
  const isOfNothing = (path: string): boolean => elsewhere.some(({ outside }) => isFilled(outside.get(path)));
  const isNewLeaf = ([path, leaf]: Placed): boolean =>
    isNew(path) && !own.lists.has(path) && !isNull(leaf) && (!isLink(leaf) || isOfNothing(path));
  // Null in the keyed answer is no list.
  const isNewList = ([path, list]: readonly [string, List]): boolean =>
    list.length > 0 && !own.lists.has(path) && (!own.outside.has(path) || isNull(own.outside.get(path)));
  // A list that is empty for the key might otherwise hold words, so a filled one proves nothing.
  const isInPlaceOfRows = ([path, leaf]: Placed): boolean =>
    own.lists.has(path) && !isNull(leaf) && (leaf.type !== 'list' || keyed.rows.length > 0);
  const isGone = ([path, leaf]: Placed): boolean => {
    const now = seen.outside.get(path);
    return now === undefined || (isNull(now) && !isNull(leaf));
  };
  // An answer without rows has no next page, so a new link may lead to the log-in.
  const leadsOn =
    changed.some(({ leaf, now }) => isNull(leaf) && isLink(now)) ||
    [...seen.outside].some(([path, leaf]) => isLink(leaf) && isNew(path));
  return {
    agrees,
    says:
      spoken.length > 0 ||
      [...seen.outside].some((each) => isInPlaceOfRows(each) || isNewLeaf(each)) ||
      [...seen.lists].some(isNewList),
    differs: fixed.some(isGone) || leadsOn || changed.some((each) => isEmptied(each) || isFollowingFlip(each)),
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
