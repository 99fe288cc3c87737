import { lazy } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import { carriesRecord, fitsKeyed, isTable, isTableOfKind, type Keyed, ownedIn } from './keyed.js';
import { isSame, sharedWithKeyed } from './same.js';
import {
  digestsIn,
  fits,
  isPerhapsEmptyList,
  isSameRow,
  isScalar,
  isTruth,
  type Leaf,
  type List,
  namesOf,
  type Row,
  rowsIn,
  type View,
  viewIn,
  viewLike,
} from './view.js';

/** What everything is compared with. */
export interface Background {
  readonly keyed: Keyed;
  /** Answers that show nothing: missing paths, the base path, the request without its bypass, the bypass at a missing path. */
  readonly nothing: readonly Response[];
  /** What differs between two answers of one of these. */
  readonly volatile: ReadonlySet<string>;
  /** Members outside rows that differ between any two reads with the key. */
  readonly moving: ReadonlySet<string>;
  /** What everybody may read. */
  readonly publics: readonly Response[];
  /** Refusals of other protected operations. */
  readonly refusals: readonly Response[];
  /** The keyed request of this operation was refused by status without a key. */
  readonly anonymousRefused: boolean;
  /** At least three other operations behind the same gate refuse by status, and none in a body. */
  readonly refusesByStatus: () => boolean;
  /** The bypass at a missing path was asked, and its answer is another one. */
  readonly missingDiffers: boolean;
}

/** Where a list of the keyed answer stands in another answer. */
type Standing = 'filled' | 'empty' | 'gone';

/** What an answer shows, each found once. */
export interface Evidence {
  readonly status: number;
  readonly success: boolean;
  readonly seen: Response;
  readonly broken: boolean;
  /** Of another format than the keyed answer, without a structure to compare. */
  readonly foreign: boolean;
  /** Of another format than the keyed answer, with a structure. What stands around rows in one has no place in the other. */
  readonly inAnotherFormat: boolean;
  readonly holdsEmptyList: () => boolean;
  readonly carriesRecord: () => boolean;
  /** The same without a value that words nothing: a refusal by status may repeat what frames the data. */
  readonly mayCarryRecord: () => boolean;
  readonly isNothing: () => boolean;
  /** Rows and values that it shares with the keyed answer, which it equals but for what is volatile; `undefined`: it does not. */
  readonly shared: () => number | undefined;
  readonly bothHollow: () => boolean;
  readonly listsEmptyOrGone: () => boolean;
  readonly tableOfKind: () => boolean;
  readonly anyTable: () => boolean;
  readonly fittingRows: () => number;
  readonly halfRows: () => boolean;
  readonly owned: () => number;
  readonly keyedTree: (strict: boolean) => boolean;
  readonly agrees: () => boolean;
  readonly says: () => boolean;
  readonly differs: () => boolean;
  readonly follows: () => boolean;
  readonly nullForRows: () => boolean;
  readonly background: Background;
}

const standingOf = (view: View, path: string): Standing => {
  const list = view.lists.get(path);
  if (list) return list.length > 0 ? 'filled' : 'empty';
  const steps = path.split('/');
  const isNull = steps.some((_, index) => view.outside.get(steps.slice(0, index + 1).join('/'))?.type === 'null');
  return isNull ? 'empty' : 'gone';
};

export const evidenceOf = (seen: Response, background: Background): Evidence => {
  const { keyed, nothing, volatile, publics, refusals } = background;
  const { facts } = seen;
  const view = viewLike(facts, keyed.view);
  const foreign = view === undefined || (facts.kind === 'html' && keyed.first.facts.kind !== 'html');
  const [nothingViews, publicViews] = [nothing, publics].map((all) => all.flatMap((one) => viewIn(one.facts) ?? []));
  const publicRows = lazy(() => (publicViews ?? []).flatMap(rowsIn));
  const knownRows = lazy(() => [...publicRows(), ...(nothingViews ?? []).flatMap(rowsIn)]);
  const openSets = lazy(() => [...nothing, ...publics, ...refusals].map((one) => digestsIn(one.facts)));
  const isOpen = (digest: string): boolean => openSets().some((open) => open.has(digest));
  const isUnknown = ({ shape }: Row): boolean => !knownRows().some((known) => isSameRow(known.shape, shape));
  const others = lazy(() =>
    [...(view?.lists ?? [])].map(([path, { rows }]) => ({ path, rows: rows.filter(isUnknown) })),
  );
  const outside = lazy(() =>
    view && keyed.view ? compareOutside(background, keyed.view, view, publicViews ?? []) : silent,
  );
  const lists = [...(keyed.view?.lists ?? [])].filter(([, { length }]) => length > 0 || keyed.rows.length === 0);

  return {
    status: seen.status,
    success: isSuccess(seen),
    seen,
    broken: facts.broken === true || facts.capped === true,
    foreign,
    inAnotherFormat:
      !foreign && (facts.kind !== keyed.first.facts.kind || facts.mediaType !== keyed.first.facts.mediaType),
    holdsEmptyList: () =>
      view !== undefined &&
      ([...view.lists.values()].some(({ length }) => length === 0) ||
        (facts.kind === 'xml' && [...view.outside.values()].some(isNull))),
    background,
    carriesRecord: lazy(
      () =>
        !isPerhapsEmptyList(keyed.first.facts) && carriesRecord(keyed, facts, isOpen, publicRows(), !isSuccess(seen)),
    ),
    mayCarryRecord: lazy(() => carriesRecord(keyed, facts, isOpen, publicRows())),
    isNothing: lazy(() => nothing.some((one) => isSame(seen, one, volatile))),
    shared: lazy(() => {
      const shared = sharedWithKeyed(keyed.first.facts, keyed.second.facts, facts, background.moving);
      if (!shared) return undefined;
      const elsewhere = [...nothing, ...publics].map((one) => digestsIn(one.facts));
      const isNew = (digest: string): boolean => !elsewhere.some((there) => there.has(digest));
      return shared.rows.filter(({ digests }) => [...digests].some(isNew)).length + shared.values.filter(isNew).length;
    }),
    bothHollow: lazy(() => {
      if (!keyed.isHollow) return false;
      if (keyed.view === undefined) return facts.kind === 'empty';
      if (!view) return false;
      const standings = [...keyed.view.lists.keys()].map((path) => standingOf(view, path));
      return standings.length > 0 ? standings.every((one) => one === 'empty') : view.outside.size === 0;
    }),
    listsEmptyOrGone: () => view !== undefined && lists.every(([path]) => standingOf(view, path) !== 'filled'),
    tableOfKind: lazy(
      () =>
        !foreign &&
        lists.some(([path]) => {
          const there = others().find((one) => one.path === path);
          return there !== undefined && (keyed.rows.length > 0 ? isTableOfKind(keyed, there) : isTable(there.rows));
        }),
    ),
    anyTable: lazy(() => others().some(({ rows }) => isTable(rows))),
    fittingRows: lazy(
      () =>
        others()
          .flatMap(({ rows }) => rows)
          .filter((row) => !isScalar(row.shape) && fitsKeyed(keyed, row)).length,
    ),
    halfRows: lazy(() =>
      others().some(({ rows }) =>
        rows.some((row) => {
          const names = namesOf(row);
          return (
            names.size > 0 &&
            [...keyed.names].filter((name) => names.has(name)).length * 2 >= keyed.names.size &&
            keyed.names.size > 0
          );
        }),
      ),
    ),
    owned: lazy(() => ownedIn(keyed, facts, isOpen)),
    keyedTree: (strict) =>
      facts.shape !== undefined &&
      keyed.first.facts.shape !== undefined &&
      !foreign &&
      fits(facts.shape, keyed.first.facts.shape, strict),
    agrees: () => outside().agrees,
    says: () => outside().says,
    differs: () => outside().differs,
    follows: () => outside().follows,
    nullForRows: () =>
      view !== undefined && lists.some(([path]) => standingOf(view, path) === 'empty' && !view.lists.has(path)),
  };
};

/**
 * The answer has every member that the keyed answer has beside its rows, and no other, with other values here and there: what
 * was equal in two keyed reads by chance may be among these.
 */
export const differsInValuesAlone = ({ facts }: Response, { keyed, moving }: Background): boolean => {
  const [own, again, seen] = [keyed.view, viewIn(keyed.second.facts), viewLike(facts, keyed.view)];
  if (!own || !again || !seen || facts.kind !== keyed.first.facts.kind) return false;
  const paths = (view: View): readonly string[] => [...view.outside.keys()].filter((path) => !own.lists.has(path));
  const isSameMembers = paths(seen).length === own.outside.size && paths(seen).every((path) => own.outside.has(path));
  return (
    isSameMembers &&
    [...own.outside].some(
      ([path, { digest }]) =>
        !moving.has(path) && again.outside.get(path)?.digest === digest && seen.outside.get(path)?.digest !== digest,
    )
  );
};

interface Outside {
  readonly agrees: boolean;
  readonly says: boolean;
  readonly differs: boolean;
  readonly follows: boolean;
}

const silent: Outside = { agrees: false, says: false, differs: false, follows: false };

const isTruthLeaf = (leaf: Leaf): boolean => leaf.type !== 'list' && isTruth(leaf);
const isNull = (leaf: Leaf | undefined): boolean => leaf?.type === 'null';
const isPassing = (leaf: Leaf): boolean => leaf.type !== 'list' && leaf.passing === true;
const isLink = (leaf: Leaf): boolean => leaf.type !== 'list' && leaf.link === true;
const isNumber = (leaf: Leaf): boolean => leaf.type === 'number' || (leaf.type === 'text' && leaf.form === 'number');
const isBeyondRows = (leaf: Leaf): boolean => leaf.type !== 'list' && leaf.exceeds === true;
const smallOf = (leaf: Leaf | undefined): 0 | 1 | undefined =>
  leaf === undefined || leaf.type === 'list' ? undefined : leaf.small;

/** The members outside rows that stay in both keyed reads, held against those of the answer. */
const compareOutside = (
  { keyed, nothing, moving }: Background,
  own: View,
  seen: View,
  publics: readonly View[],
): Outside => {
  const again = viewIn(keyed.second.facts);
  const isFixed = (path: string, leaf: Leaf): boolean =>
    again?.outside.get(path)?.digest === leaf.digest && !isPassing(leaf) && !moving.has(path);
  const fixed = [...own.outside].filter(([path, leaf]) => isFixed(path, leaf));
  const elsewhere = nothing.flatMap((one) => viewIn(one.facts) ?? []);
  const lists = [...own.lists];
  const theirs = lists.map(([path]) => seen.lists.get(path));

  const isCountOf = (leaf: Leaf, list: List | undefined, least = 2): boolean =>
    list !== undefined && list.length >= least && list.count === leaf.digest;
  /** The page leads to another one, and the answer does not: a number beyond the rows of the one may count them all. */
  const hasMore = fixed.some(
    ([path, leaf]) => isLink(leaf) && (isNull(seen.outside.get(path)) || !seen.outside.has(path)),
  );
  const isShownCount = (path: string, leaf: Leaf): boolean =>
    lists.some(([, list]) => isCountOf(leaf, list)) ||
    (hasMore && isBeyondRows(leaf)) ||
    publics.some((view) => {
      const its = view.outside.get(path);
      return its !== undefined && [...view.lists.values()].some((list) => isCountOf(its, list));
    }) ||
    lists.some((_, index) => {
      const now = seen.outside.get(path);
      // Of a page the keyed answer may count more than its rows; a 1 beside one row may be anything.
      return now !== undefined && isNumber(leaf) && isNumber(now) && isCountOf(now, theirs[index]);
    });
  const followsRows = (path: string, leaf: Leaf): boolean => {
    const now = seen.outside.get(path);
    if (now === undefined || !isShownCount(path, leaf)) return false;
    return theirs.some((list) => (list ? isCountOf(now, list, 0) : smallOf(now) === 0));
  };
  const following = new Set(fixed.filter(([path, leaf]) => followsRows(path, leaf)).map(([path]) => path));
  const countsMore = fixed.some(([path, leaf]) => following.has(path) && isBeyondRows(leaf));
  const oneRow = keyed.rows.length === 1;
  const areListsThere = lists.every(([path]) => standingOf(seen, path) !== 'gone');

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
  const isFlip = ({ leaf, now }: { leaf: Leaf; now: Leaf }): boolean => isTruthLeaf(leaf) && isTruthLeaf(now);
  // 0 beside no rows may be their number, or that of their pages. Where the list itself is gone and no count follows the
  // rows, 1 was a number of rows only where there was one: else it may be a flag.
  const isEmptied = ({ leaf, now }: { leaf: Leaf; now: Leaf }): boolean =>
    isNumber(leaf) &&
    smallOf(now) === 0 &&
    (smallOf(leaf) !== 1 || oneRow || following.size > 0 || areListsThere) &&
    theirs.every((list) => list === undefined || list.length === 0);
  const spoken = changed.filter(
    (each) => !isEmptied(each) && !(isFlip(each) && following.size > 0) && !isLink(each.now) && !isPassing(each.now),
  );
  const isNewLeaf = ([path, leaf]: readonly [string, Leaf]): boolean =>
    !own.outside.has(path) &&
    again?.outside.has(path) !== true &&
    !own.lists.has(path) &&
    !isNull(leaf) &&
    !isLink(leaf) &&
    !(leaf.type === 'list' && leaf.length === 0);
  const isNewList = ([path, list]: readonly [string, List]): boolean =>
    list.length > 0 && !own.lists.has(path) && !own.outside.has(path);
  const inPlaceOfRows = [...seen.outside].some(
    // Of a list that is empty for the key nobody knows whether it holds words.
    ([path, leaf]) =>
      own.lists.has(path) && !isNull(leaf) && (leaf.type !== 'list' || (leaf.length > 0 && keyed.rows.length > 0)),
  );
  return {
    agrees,
    says: spoken.length > 0 || inPlaceOfRows || [...seen.outside].some(isNewLeaf) || [...seen.lists].some(isNewList),
    differs:
      fixed.some(([path, leaf]) => {
        const now = seen.outside.get(path);
        // Where there are no rows, no link leads to more of them.
        if (countsMore && isLink(leaf)) return false;
        return now === undefined || (isNull(now) && !isNull(leaf));
      }) || changed.some((each) => isEmptied(each) || (isFlip(each) && following.size > 0)),
    follows: following.size > 0,
  };
};
