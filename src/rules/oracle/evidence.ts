import { lazy } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import type { Background } from './background.js';
import { comparisonsIn } from './comparisons.js';
import { columnsIn, fieldsIn, objectsIn, rowsByList } from './contents.js';
import { kindsOf } from './keyed.js';
import { compareOutside, incomparable, listStateAt } from './outside.js';
import { carriesRecord, ownedIn } from './records.js';
import { fitsKeyed, resemblesRow } from './row-parts.js';
import { isSame, isSameRow, sharedWithKeyed } from './same.js';
import { isTable, isTableOfKind } from './tables.js';
import { fits, isNull, isPerhapsEmptyList, isScalar, namesOf, type Row, viewLike } from './view.js';

/** What one answer shows. Each member is computed at most once, on demand. */
export interface Evidence {
  readonly status: number;
  readonly success: boolean;
  readonly seen: Response;
  readonly broken: boolean;
  /**
   * There is no structure to compare: the body has none, or it is HTML and the keyed answer is not.
   */
  readonly foreign: boolean;
  /**
   * There is a structure, but in another format than the keyed answer has. Values outside rows
   * cannot be compared then.
   */
  readonly inAnotherFormat: boolean;
  readonly holdsEmptyList: () => boolean;
  /**
   * The answer holds the key itself, although no part of it was sent, and no public answer and no
   * answer that opens nothing holds it.
   */
  readonly givesKey: () => boolean;
  readonly carriesRecord: () => boolean;
  /** The header fields carry a record. */
  readonly fieldsCarryRecord: () => boolean;
  /**
   * A record is carried also if values without a format count. A refusal may hold such values, for
   * example column titles.
   */
  readonly mayCarryRecord: () => boolean;
  readonly isNothing: () => boolean;
  /**
   * How many rows and values it shares with the keyed answer if the two are equal except for
   * volatile parts; else `undefined`.
   */
  readonly shared: () => number | undefined;
  readonly bothEmpty: () => boolean;
  readonly listsEmptyOrGone: () => boolean;
  readonly tableOfKind: () => boolean;
  readonly anyTable: () => boolean;
  /** A list holds a table, even if its rows are known from other answers. */
  readonly holdsTable: () => boolean;
  readonly fittingRows: () => number;
  readonly resemblesRow: () => boolean;
  readonly halfRows: () => boolean;
  readonly owned: () => number;
  readonly keyedTree: (strict: boolean) => boolean;
  readonly agrees: () => boolean;
  readonly says: () => boolean;
  readonly differs: () => boolean;
  readonly follows: () => boolean;
  /** The rows are empty or gone, a count follows them, and nothing else differs. */
  readonly isCountedEmpty: () => boolean;
  /** The same is true of an answer that opens nothing. */
  readonly isNothingCountedEmpty: () => boolean;
  readonly nullForRows: () => boolean;
  readonly background: Background;
}

export const evidenceOf = (seen: Response, background: Background): Evidence => {
  const { keyed, nothing, volatile, publics, refusals } = background;
  const { shape: body } = seen;
  const view = viewLike(body, keyed.view);
  const foreign = view === undefined || (body.kind === 'html' && keyed.first.shape.kind !== 'html');
  const { publicViews, openRows, knownRows, knownColumns, isOpen, isOpenInFields } = comparisonsIn(background);
  const isUnknown = ({ shape }: Row): boolean => !knownRows().some((known) => isSameRow(known.shape, shape));
  /**
   * Whether an answer that opens nothing holds an object of the same structure, such as a notice.
   */
  const isOfNothing = ({ shape }: Row): boolean =>
    nothing.some((one) => objectsIn(one.shape).some((other) => fits(other.shape, shape)));
  const others = lazy(() =>
    [...(view?.lists ?? [])].map(([path, { rows }]) => ({ path, rows: rows.filter(isUnknown) })),
  );
  /** Unknown rows of lists at any depth, also in markup and in strings. */
  const anyOthers = lazy(() => rowsByList(body).map((rows) => rows.filter(isUnknown)));
  /**
   * The number of formatted values in unknown lists of scalars, which may be columns or rows
   * without names.
   */
  const otherColumns = (): number =>
    columnsIn(body).reduce((sum, { values, mute }) => sum + (knownColumns().has(values) ? 0 : mute), 0);
  const fitting = (rows: readonly Row[]): number =>
    rows.filter((row) => !isScalar(row.shape) && fitsKeyed(keyed, row)).length;
  const outside = lazy(() =>
    view && keyed.view ? compareOutside(background, keyed.view, view, publicViews) : incomparable,
  );
  const isEmptyAt = (path: string): boolean => keyed.rows.length === 0 && keyed.view?.lists.has(path) === true;
  const lists = [...(keyed.view?.lists ?? [])].filter(([, { length }]) => length > 0 || keyed.rows.length === 0);
  const listsEmptyOrGone = (): boolean =>
    view !== undefined && lists.every(([path]) => listStateAt(view, path) !== 'filled');
  const isCountedEmpty = (): boolean => {
    const { follows, says, differs } = outside();
    return listsEmptyOrGone() && follows && !says && !differs;
  };

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
    givesKey: () => seen.givesKey === true && ![...nothing, ...publics].some((one) => one.givesKey),
    carriesRecord: lazy(
      () => !isPerhapsEmptyList(keyed.first.shape) && carriesRecord(keyed, body, isOpen, openRows(), !isSuccess(seen)),
    ),
    fieldsCarryRecord: lazy(() => {
      const fields = fieldsIn(seen);
      return fields !== undefined && carriesRecord(keyed, fields, isOpenInFields, openRows(), true);
    }),
    mayCarryRecord: lazy(() => carriesRecord(keyed, body, isOpen, openRows())),
    isNothing: lazy(() => nothing.some((one) => isSame(seen, one, volatile))),
    shared: lazy(() => {
      const shared = sharedWithKeyed(keyed.first.shape, keyed.second.shape, body, background.moving);
      if (!shared) return undefined;
      // Another operation gives the same answer to anybody.
      if ([...publics, ...refusals].some((one) => isSame(seen, one))) return 0;
      const isNew = (digest: string): boolean => !isOpen(digest);
      // Links repeat the requested path, so the same row has other links elsewhere.
      const isNewRow = ({ digests, shape, all }: Row): boolean =>
        [...digests].some(isNew) &&
        !(all.some(({ link }) => !link) && [...knownRows(), ...openRows()].some((row) => isSameRow(row.shape, shape)));
      return shared.rows.filter(isNewRow).length + shared.values.filter(isNew).length;
    }),
    bothEmpty: lazy(() => {
      if (!keyed.isEmpty) return false;
      if (keyed.view === undefined) return body.kind === 'empty';
      if (!view) return false;
      const standings = [...keyed.view.lists.keys()].map((path) => listStateAt(view, path));
      return standings.length > 0 ? standings.every((one) => one === 'empty') : view.outside.size === 0;
    }),
    listsEmptyOrGone,
    tableOfKind: lazy(
      () =>
        !foreign &&
        others().some(({ path, rows }) => isTableOfKind(keyed, path, rows) || (isEmptyAt(path) && isTable(rows))),
    ),
    anyTable: lazy(
      () =>
        others().some(({ rows }) => isTable(rows)) || anyOthers().some((rows) => isTable(rows)) || otherColumns() >= 4,
    ),
    holdsTable: () => [...(view?.lists.values() ?? [])].some(({ rows }) => isTable(rows)),
    fittingRows: lazy(() => Math.max(fitting(others().flatMap(({ rows }) => rows)), ...anyOthers().map(fitting))),
    resemblesRow: lazy(() =>
      objectsIn(body).some((one) => resemblesRow(keyed, one, isOpen) && isUnknown(one) && !isOfNothing(one)),
    ),
    halfRows: lazy(() => {
      const kinds = [...kindsOf(keyed).values()].map(({ names }) => [...names]).filter((names) => names.length > 0);
      return others().some(({ rows }) =>
        rows.some((row) => {
          const there = namesOf(row);
          return kinds.some((names) => names.filter((name) => there.has(name)).length * 2 >= names.length);
        }),
      );
    }),
    owned: lazy(() => {
      const fields = fieldsIn(seen);
      return ownedIn(keyed, body, isOpen) + (fields ? ownedIn(keyed, fields, isOpenInFields) : 0);
    }),
    keyedTree: (strict) =>
      body.shape !== undefined &&
      keyed.first.shape.shape !== undefined &&
      !foreign &&
      fits(body.shape, keyed.first.shape.shape, strict),
    agrees: () => outside().agrees,
    says: () => outside().says,
    differs: () => outside().differs,
    follows: () => outside().follows,
    isCountedEmpty,
    isNothingCountedEmpty: () =>
      nothing.some((one) => one.status === seen.status && evidenceOf(one, background).isCountedEmpty()),
    nullForRows: () =>
      view !== undefined && lists.some(([path]) => listStateAt(view, path) === 'empty' && !view.lists.has(path)),
  };
};
