import { lazy } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import type { Background } from './background.js';
import { comparisonsIn } from './comparisons.js';
import { fieldsIn, listsOfScalarsIn, objectsIn, rowsByList } from './contents.js';
import { mayTurnAnywhere } from './frames.js';
import { type Keyed, kindsOf } from './keyed.js';
import { compareOutside, incomparable, listStateAt, type Outside } from './outside.js';
import { carriesRecord, ownedIn } from './records.js';
import { fitsKeyed, resemblesRow } from './row-parts.js';
import { isSame, isSameRow, sharedWithKeyed } from './same.js';
import { isTable, isTableOfKind } from './tables.js';
import {
  fits,
  hasEmptyList,
  isFormatted,
  isPerhapsEmptyList,
  isScalar,
  namesOf,
  type Row,
  type View,
  viewLike,
} from './view.js';

/** What one answer shows beside the keyed answer and beside all others. */

export type Evidence = ReturnType<typeof evidenceOf>;

/** What one answer shows. What costs more is computed at most once, on demand. */
export const evidenceOf = (seen: Response, background: Background) => {
  const { keyed, nothing, volatile, publics, refusals } = background;
  const { shape: body } = seen;
  const view = viewLike(body, keyed.view);
  const foreign = view === undefined || (body.kind === 'html' && keyed.first.shape.kind !== 'html');
  const { openRows, knownRows, knownColumns, isOpen, isOpenInFields } = comparisonsIn(background);
  const isUnknown = ({ shape }: Row): boolean => !knownRows().some((known) => isSameRow(known.shape, shape));
  /**
   * Whether an answer that opens nothing holds an object of the same structure, such as a notice or
   * a step of a trace.
   */
  const isOfNothing = ({ shape }: Row): boolean =>
    nothing.some((one) => objectsIn(one.shape).some((other) => fits(other.shape, shape)));
  const others = lazy(() =>
    [...(view?.lists ?? [])].map(([path, { rows }]) => ({ path, rows: rows.filter(isUnknown) })),
  );
  /** Unknown rows of lists at any depth, also in markup and in strings. */
  const anyOthers = lazy(() => rowsByList(body).map((rows) => rows.filter(isUnknown)));
  /**
   * The number of formatted values in lists of scalars, which may be columns or rows without names.
   */
  const otherColumns = (): number =>
    // The lists of a text are its lines.
    body.kind === 'text'
      ? 0
      : listsOfScalarsIn(body)
          .filter(({ digest }) => !knownColumns().has(digest))
          .reduce((sum, { items }) => sum + items.filter(isFormatted).length, 0);
  /** Unknown rows, wherever they stand. */
  const otherRows = lazy(() => [...new Set([...others().flatMap(({ rows }) => rows), ...anyOthers().flat()])]);
  const outside = lazy(() => outsideOf(background, view));
  const isEmptyAt = (path: string): boolean => keyed.rows.length === 0 && keyed.view?.lists.has(path) === true;
  return {
    status: seen.status,
    success: isSuccess(seen),
    seen,
    broken: body.broken === true || body.capped === true,
    /**
     * There is no structure to compare: the body has none, or it is HTML and the keyed answer is
     * not.
     */
    foreign,
    /**
     * There is a structure, but in another format than the keyed answer has. Values outside rows
     * cannot be compared then.
     */
    inAnotherFormat:
      !foreign && (body.kind !== keyed.first.shape.kind || body.mediaType !== keyed.first.shape.mediaType),
    holdsEmptyList: () => hasEmptyList(body),
    background,
    /**
     * The answer holds the key itself, although no part of it was sent, and no public answer and no
     * answer that opens nothing holds it.
     */
    givesKey: () => seen.givesKey === true && ![...nothing, ...publics].some((one) => one.givesKey),
    carriesRecord: lazy(
      () => !isPerhapsEmptyList(keyed.first.shape) && carriesRecord(keyed, body, isOpen, openRows(), !isSuccess(seen)),
    ),
    fieldsCarryRecord: lazy(() => {
      const fields = fieldsIn(seen);
      return fields !== undefined && carriesRecord(keyed, fields, isOpenInFields, openRows(), true);
    }),
    /**
     * A record is carried also if values without a format count. A refusal may hold such values,
     * for example column titles.
     */
    mayCarryRecord: lazy(() => carriesRecord(keyed, body, isOpen, openRows())),
    isNothing: lazy(() => nothing.some((one) => isSame(seen, one, volatile))),
    /**
     * How many rows and values it shares with the keyed answer if the two are equal except for
     * volatile parts; else `undefined`.
     */
    shared: lazy((): number | undefined => {
      const shared = sharedWithKeyed(keyed.first.shape, keyed.second.shape, body, background.moving);
      if (!shared) return undefined;
      // Another operation gives the same answer to anybody.
      if ([...publics, ...refusals].some((one) => isSame(seen, one))) return 0;
      const isNew = (digest: string): boolean => !isOpen(digest);
      // Links repeat the requested path, so the same row has other links elsewhere.
      const isNewRow = ({ all }: Row): boolean => all.some(({ link, digest }) => !link && isNew(digest));
      return shared.rows.filter(isNewRow).length + shared.values.filter(isNew).length;
    }),
    bothEmpty: lazy(() => {
      if (!keyed.isEmpty) return false;
      if (keyed.view === undefined) return body.kind === 'empty';
      if (!view) return false;
      const standings = [...keyed.view.lists.keys()].map((path) => listStateAt(view, path));
      return standings.length > 0 ? standings.every((one) => one === 'empty') : view.outside.size === 0;
    }),
    listsEmptyOrGone: () => areListsEmptyOrGone(keyed, view),
    tableOfKind: lazy(() => {
      if (foreign) return false;
      const tables = others().filter(
        ({ path, rows }) => isTableOfKind(keyed, path, rows) || (isEmptyAt(path) && isTable(rows)),
      );
      return tables.length > 0 && !mayTurnAnywhere(keyed, view, new Set(tables.map(({ path }) => path)));
    }),
    anyTable: lazy(
      () =>
        anyOthers().some((rows) => isTable(rows.filter((row) => fitsKeyed(keyed, row) || !isOfNothing(row)))) ||
        otherColumns() >= 4,
    ),
    /** A list holds a table, even if its rows are known from other answers. */
    holdsTable: () => [...(view?.lists.values() ?? [])].some(({ rows }) => isTable(rows)),
    fittingRows: lazy(() => otherRows().filter((row) => !isScalar(row.shape) && fitsKeyed(keyed, row)).length),
    resemblesRow: lazy(() =>
      objectsIn(body).some((one) => resemblesRow(keyed, one, isOpen) && isUnknown(one) && !isOfNothing(one)),
    ),
    /** A row has at least half of the members that all keyed rows have. */
    halfRows: lazy(() => {
      const kinds = [...kindsOf(keyed).values()].map(({ names }) => [...names]).filter((names) => names.length > 0);
      return otherRows().some((row) => {
        const there = namesOf(row);
        return kinds.some((names) => names.filter((name) => there.has(name)).length * 2 >= names.length);
      });
    }),
    owned: lazy(() => {
      const fields = fieldsIn(seen);
      return ownedIn(keyed, body, isOpen) + (fields ? ownedIn(keyed, fields, isOpenInFields) : 0);
    }),
    keyedTree: (strict: boolean) =>
      body.shape !== undefined &&
      keyed.first.shape.shape !== undefined &&
      !foreign &&
      fits(body.shape, keyed.first.shape.shape, strict),
    outside,
    /** The rows are empty or gone, a count follows them, and nothing else differs. */
    isCountedEmpty: () => isCountedEmpty(background, view, outside()),
    /** The same is true of an answer that opens nothing. */
    isNothingCountedEmpty: () =>
      nothing.some((one) => {
        if (one.status !== seen.status) return false;
        const its = viewLike(one.shape, keyed.view);
        return isCountedEmpty(background, its, outsideOf(background, its));
      }),
  };
};

/** Paths of the lists that are filled in the keyed answer, or of all if none is. */
const listPathsOf = ({ view, rows }: Keyed): readonly string[] =>
  [...(view?.lists ?? [])].flatMap(([path, { length }]) => (length > 0 || rows.length === 0 ? [path] : []));

const areListsEmptyOrGone = (keyed: Keyed, view: View | undefined): boolean =>
  view !== undefined && listPathsOf(keyed).every((path) => listStateAt(view, path) !== 'filled');

const outsideOf = (background: Background, view: View | undefined): Outside =>
  view && background.keyed.view
    ? compareOutside(background, background.keyed.view, view, comparisonsIn(background).publicViews)
    : incomparable;

const isCountedEmpty = ({ keyed }: Background, view: View | undefined, { follows, says, differs }: Outside): boolean =>
  areListsEmptyOrGone(keyed, view) && follows && !says && !differs;
