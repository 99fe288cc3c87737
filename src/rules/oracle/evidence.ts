import { lazy } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import type { Background } from './background.js';
import { compareOutside, isNull, silent, standingOf } from './outside.js';
import { carriesRecord, fitsKeyed, ownedIn } from './records.js';
import { isSame, sharedWithKeyed } from './same.js';
import { isTable, isTableOfKind } from './tables.js';
import {
  digestsIn,
  fits,
  isPerhapsEmptyList,
  isSameRow,
  isScalar,
  namesOf,
  type Row,
  rowsIn,
  viewIn,
  viewLike,
} from './view.js';

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

export const evidenceOf = (seen: Response, background: Background): Evidence => {
  const { keyed, nothing, volatile, publics, refusals } = background;
  const { shape: body } = seen;
  const view = viewLike(body, keyed.view);
  const foreign = view === undefined || (body.kind === 'html' && keyed.first.shape.kind !== 'html');
  const [nothingViews, publicViews] = [nothing, publics].map((all) => all.flatMap((one) => viewIn(one.shape) ?? []));
  const publicRows = lazy(() => (publicViews ?? []).flatMap(rowsIn));
  const knownRows = lazy(() => [...publicRows(), ...(nothingViews ?? []).flatMap(rowsIn)]);
  const openSets = lazy(() => [...nothing, ...publics, ...refusals].map((one) => digestsIn(one.shape)));
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
    broken: body.broken === true || body.capped === true,
    foreign,
    inAnotherFormat:
      !foreign && (body.kind !== keyed.first.shape.kind || body.mediaType !== keyed.first.shape.mediaType),
    holdsEmptyList: () =>
      view !== undefined &&
      ([...view.lists.values()].some(({ length }) => length === 0) ||
        (body.kind === 'xml' && [...view.outside.values()].some(isNull))),
    background,
    carriesRecord: lazy(
      () =>
        !isPerhapsEmptyList(keyed.first.shape) && carriesRecord(keyed, body, isOpen, publicRows(), !isSuccess(seen)),
    ),
    mayCarryRecord: lazy(() => carriesRecord(keyed, body, isOpen, publicRows())),
    isNothing: lazy(() => nothing.some((one) => isSame(seen, one, volatile))),
    shared: lazy(() => {
      const shared = sharedWithKeyed(keyed.first.shape, keyed.second.shape, body, background.moving);
      if (!shared) return undefined;
      const elsewhere = [...nothing, ...publics].map((one) => digestsIn(one.shape));
      const isNew = (digest: string): boolean => !elsewhere.some((there) => there.has(digest));
      return shared.rows.filter(({ digests }) => [...digests].some(isNew)).length + shared.values.filter(isNew).length;
    }),
    bothHollow: lazy(() => {
      if (!keyed.isHollow) return false;
      if (keyed.view === undefined) return body.kind === 'empty';
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
    owned: lazy(() => ownedIn(keyed, body, isOpen)),
    keyedTree: (strict) =>
      body.shape !== undefined &&
      keyed.first.shape.shape !== undefined &&
      !foreign &&
      fits(body.shape, keyed.first.shape.shape, strict),
    agrees: () => outside().agrees,
    says: () => outside().says,
    differs: () => outside().differs,
    follows: () => outside().follows,
    nullForRows: () =>
      view !== undefined && lists.some(([path]) => standingOf(view, path) === 'empty' && !view.lists.has(path)),
  };
};
