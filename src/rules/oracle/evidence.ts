import { lazy } from '../../collections.js';
import type { Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import type { Background } from './background.js';
import { comparisonsIn, type Open } from './comparisons.js';
import { bodyOfFields, digestsIn, fieldsIn, listsOfScalarsIn, objectsIn, rowsByList } from './contents.js';
import { mayBeFrame } from './frames.js';
import { type Keyed, kindsOf } from './keyed.js';
import { compareOutside, listStateAt } from './outside.js';
import { carriesRecord, ownedAround, ownedIn, repeatsRow } from './records.js';
import { fitsKeyed, resembleRecord, resemblesRow } from './row-parts.js';
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

/** Evidence of one answer. Costly parts are computed on demand, at most once. */
export const evidenceOf = (seen: Response, background: Background) => {
  const { keyed, nothing, volatile, publics, refusals } = background;
  const { shape: body } = seen;
  const view = viewLike(body, keyed.view);
  const foreign = view === undefined || (body.kind === 'html' && keyed.first.shape.kind !== 'html');
  const { knownRows, knownColumns, open, openBesideRefusals } = comparisonsIn(background);
  const { has: isOpen, hasInFields: isOpenInFields } = open;
  const isUnknown = ({ shape }: Row): boolean => !knownRows().some((known) => isSameRow(known.shape, shape));
  /** Whether an answer that opens nothing holds an object of this structure. */
  const isOfNothing = ({ shape }: Row): boolean =>
    nothing.some((one) => objectsIn(one.shape).some((other) => fits(other.shape, shape)));
  const others = lazy(() =>
    [...(view?.lists ?? [])].map(([path, { rows }]) => ({ path, rows: rows.filter(isUnknown) })),
  );
  /** Unknown rows of lists at any depth, also inside markup and strings. */
  const anyOthers = lazy(() => rowsByList(body).map((rows) => rows.filter(isUnknown)));
  /** Formatted values in lists of scalars: columns, or rows without names. */
  const otherColumns = (): number =>
    // The lists of a text are its lines.
    body.kind === 'text'
      ? 0
      : listsOfScalarsIn(body)
          .filter(({ digest }) => !knownColumns().has(digest))
          .reduce((sum, { items }) => sum + items.filter(isFormatted).length, 0);
  /** Unknown rows, wherever they stand. */
  const otherRows = lazy(() => [...new Set([...others().flatMap(({ rows }) => rows), ...anyOthers().flat()])]);
  const isEmptyAt = (path: string): boolean => keyed.rows.length === 0 && keyed.view?.lists.has(path) === true;
  return {
    status: seen.status,
    success: isSuccess(seen),
    seen,
    broken: body.broken === true || body.capped === true,
    /**
     * The answer has no structure to compare: it has none, or is HTML where the key gets another
     * format.
     */
    foreign,
    /** The format is not that of the keyed answer, so values outside rows are not compared. */
    inAnotherFormat:
      !foreign && (body.kind !== keyed.first.shape.kind || body.mediaType !== keyed.first.shape.mediaType),
    holdsEmptyList: () => hasEmptyList(body),
    background,
    /**
     * The answer holds the key itself, although no part of the key was sent and no public answer or
     * answer that opens nothing holds it.
     */
    givesKey: () => seen.givesKey === true && ![...nothing, ...publics].some((one) => one.givesKey),
    carriesRecord: lazy(
      () => !isPerhapsEmptyList(keyed.first.shape) && carriesRecord(background, body, open, !isSuccess(seen)),
    ),
    /** Names of the fields that together carry a record. */
    fieldsWithRecord: lazy(() => (carriesInFields(background, seen, open) ? namesOfFields(keyed, seen, open) : [])),
    /** The same, with small values and those without a format, which a refusal may hold too. */
    mayCarryRecord: lazy(() => carriesRecord(background, body, open) || repeatsRow(keyed, body, open.rows())),
    /**
     * The answer has a record that refusals of other operations have too. It is the owner's in all
     * of them, or everybody's.
     */
    sharesRecordWithRefusals: lazy(
      () =>
        refusals.length > 0 &&
        (carriesRecord(background, body, openBesideRefusals, true) ||
          carriesInFields(background, seen, openBesideRefusals) ||
          // Without a structure, nothing tells which values are of one record.
          (keyed.view === undefined && ownedIn(keyed, body, openBesideRefusals.has) >= 2)),
    ),
    isNothing: lazy(() => nothing.some((one) => isSame(seen, one, volatile))),
    /**
     * Number of rows and values that an answer equal to the keyed one shares with it; `undefined`
     * for any other answer.
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
    /**
     * Two formatted values beside the lists that nothing else has make it a record with empty
     * lists, and no page.
     */
    bothEmpty: lazy(() => {
      if (!keyed.isEmpty || ownedAround(keyed, digestsIn(body), isOpen) >= 2) return false;
      if (keyed.view === undefined) return body.kind === 'empty';
      if (!view) return false;
      const standings = [...keyed.view.lists.keys()].map((path) => listStateAt(view, path));
      return standings.length > 0 ? standings.every((one) => one === 'empty') : view.outside.size === 0;
    }),
    listsEmptyOrGone: () => areListsEmptyOrGone(keyed, view),
    tableOfKind: lazy(
      () =>
        !foreign &&
        others().some(
          ({ path, rows }) =>
            (isTableOfKind(keyed, path, rows) && !mayBeFrame(background, view, path)) ||
            (isEmptyAt(path) && isTable(rows)),
        ),
    ),
    anyTable: lazy(
      () =>
        anyOthers().some((rows) => isTable(rows.filter((row) => fitsKeyed(keyed, row) || !isOfNothing(row)))) ||
        otherColumns() >= 4,
    ),
    /** A list holds a table, even if its rows are known from other answers. */
    holdsTable: () => [...(view?.lists.values() ?? [])].some(({ rows }) => isTable(rows)),
    fittingRows: lazy(() => otherRows().filter((row) => !isScalar(row.shape) && fitsKeyed(keyed, row)).length),
    resemblesRow: lazy(
      () =>
        objectsIn(body).some((one) => resemblesRow(keyed, one, isOpen) && isUnknown(one) && !isOfNothing(one)) ||
        anyOthers().some((rows) => resembleRecord(keyed, rows, isOpen) && !rows.some(isOfNothing)),
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
    /** Whether an object of this structure stands in the answer, at any depth. */
    holdsTree: (shape: Shape): boolean =>
      objectsIn(body).some((one) => fits(one.shape, shape, true) && !isOfNothing(one)),
    outside: lazy(() => compareOutside(background, view)),
    isCountedEmpty: () => isCountedEmpty(background, view),
    /** An answer that opens nothing is counted empty too. */
    isNothingCountedEmpty: () =>
      nothing.some((one) => one.status === seen.status && isCountedEmpty(background, viewLike(one.shape, keyed.view))),
  };
};

const carriesInFields = (background: Background, seen: Response, open: Open): boolean => {
  const fields = fieldsIn(seen);
  return fields !== undefined && carriesRecord(background, fields, { ...open, has: open.hasInFields }, true);
};

/** Names of the fields with values of the keyed answer that are not open. */
const namesOfFields = ({ first }: Keyed, { fields = [] }: Response, open: Open): readonly string[] => {
  const isShared = (digest: string): boolean => digestsIn(first.shape).has(digest) && !open.hasInFields(digest);
  const sharing = fields.filter((field) => [...digestsIn(bodyOfFields([field]))].some(isShared));
  return [...new Set(sharing.map(({ name }) => name))];
};

/** Paths of the lists that are filled in the keyed answer, or of all if none is. */
const listPathsOf = ({ view, rows }: Keyed): readonly string[] =>
  [...(view?.lists ?? [])].flatMap(([path, { length }]) => (length > 0 || rows.length === 0 ? [path] : []));

const areListsEmptyOrGone = (keyed: Keyed, view: View | undefined): boolean =>
  view !== undefined && listPathsOf(keyed).every((path) => listStateAt(view, path) !== 'filled');

/** Whether the rows are empty or gone, a count follows them, and nothing else differs. */
const isCountedEmpty = (background: Background, view: View | undefined): boolean => {
  if (!areListsEmptyOrGone(background.keyed, view)) return false;
  const { follows, says, differs } = compareOutside(background, view);
  return follows && !says && !differs;
};
