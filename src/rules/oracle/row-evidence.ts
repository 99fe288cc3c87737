import { lazy } from '../../collections.js';
import { type ComparedAnswer, givenToAnybody, isInNothing } from './background.js';
import { listsOfScalarsIn, objectsIn, rowsByList } from './contents.js';
import { mayBeFrame } from './frames.js';
import { fitsKeyed, resembleRecord, resemblesRow } from './row-parts.js';
import { isSameRow } from './same.js';
import { isTable, isTableOfKind, kindsOf } from './tables.js';
import { isFormatted, isScalar, namesOf, type Row } from './view.js';

/** What an answer shows by rows that nobody gets elsewhere. */
export const rowEvidenceOf = ({ seen, view, foreign, background }: ComparedAnswer) => {
  const { keyed } = background;
  const { shape: body } = seen;
  const { knownRows, knownColumns, open } = givenToAnybody(background);
  const isUnknown = ({ shape }: Row): boolean => !knownRows().some((known) => isSameRow(known.shape, shape));
  /** Whether no answer that opens nothing has this structure: errors of the API are of one. */
  const isOnlyHere = ({ shape }: Row): boolean => !isInNothing(background, shape);
  const inLists = lazy(() =>
    [...(view?.lists ?? [])].map(([path, { rows }]) => ({ path, rows: rows.filter(isUnknown) })),
  );
  /** Unknown rows of lists at any depth, also inside markup and strings. */
  const anywhere = lazy(() => rowsByList(body).map((rows) => rows.filter(isUnknown)));
  const all = lazy(() => [...new Set([...inLists().flatMap(({ rows }) => rows), ...anywhere().flat()])]);
  /** Formatted values in lists of scalars: columns, or rows without names. */
  const otherColumns = (): number =>
    // The lists of a text are its lines.
    (body.kind === 'text' ? [] : listsOfScalarsIn(body))
      .filter(({ digest }) => !knownColumns().has(digest))
      .flatMap(({ items }) => items.filter(isFormatted)).length;
  const isEmptyAt = (path: string): boolean => keyed.rows.length === 0 && keyed.view?.lists.has(path) === true;
  const anyTable = lazy(
    () =>
      anywhere().some((rows) => isTable(rows.filter((row) => fitsKeyed(keyed, row) || isOnlyHere(row)))) ||
      otherColumns() >= 4,
  );
  const fittingRows = lazy(() => all().filter((row) => !isScalar(row.shape) && fitsKeyed(keyed, row)).length);
  const resembles = lazy(
    () =>
      objectsIn(body).some((one) => resemblesRow(keyed, one, open.has) && isUnknown(one) && isOnlyHere(one)) ||
      anywhere().some((rows) => resembleRecord(keyed, rows, open.has) && rows.every(isOnlyHere)),
  );
  return {
    tableOfKind: lazy(
      () =>
        !foreign &&
        view !== undefined &&
        inLists().some(
          ({ path, rows }) =>
            (isTableOfKind(keyed, path, rows.filter(isOnlyHere)) && !mayBeFrame(background, view, path)) ||
            (isEmptyAt(path) && isTable(rows)),
        ),
    ),
    anyTable,
    fittingRows,
    resemblesRow: resembles,
    /** Some of its rows may be data, wherever they stand. */
    mayHoldRows: () => anyTable() || fittingRows() >= 2 || resembles(),
    /** A list holds a table, even if its rows are known from other answers. */
    holdsTable: () => [...(view?.lists.values() ?? [])].some(({ rows }) => isTable(rows)),
    /** A row has at least half of the members that all keyed rows have. */
    halfRows: () => {
      const kinds = [...kindsOf(keyed).values()].map(({ names }) => [...names]).filter((names) => names.length > 0);
      return all().some((row) => {
        const there = namesOf(row);
        return kinds.some((names) => names.filter((name) => there.has(name)).length * 2 >= names.length);
      });
    },
  };
};
