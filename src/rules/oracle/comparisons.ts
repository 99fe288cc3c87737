import { lazy, memoizePerObject } from '../../collections.js';
import type { Background } from './background.js';
import { digestsIn, fieldsIn, listsOfScalarsIn, rowsByList } from './contents.js';
import type { IsOpen } from './records.js';
import { type Row, rowsIn, type View, viewIn } from './view.js';

/** Rows and values of other answers. Whatever occurs in them is not the key owner's. */
interface Comparisons {
  readonly publicViews: readonly View[];
  /** Rows that public operations, or other protected operations, give to a client without a key. */
  readonly openRows: () => readonly Row[];
  /** Rows of public answers and of answers that open nothing. */
  readonly knownRows: () => readonly Row[];
  /** Digests of their lists of scalars. */
  readonly knownColumns: () => ReadonlySet<string>;
  readonly isOpen: IsOpen;
  readonly isOpenInFields: IsOpen;
}

/** Computed once for each background, since many answers are compared with it. */
export const comparisonsIn = memoizePerObject(({ nothing, publics, refusals }: Background): Comparisons => {
  const [known, all] = [
    [...nothing, ...publics],
    [...nothing, ...publics, ...refusals],
  ];
  const publicViews = publics.flatMap((one) => viewIn(one.shape) ?? []);
  const publicRows = publicViews.flatMap(rowsIn);
  const openSets = lazy(() => all.map((one) => digestsIn(one.shape)));
  const openInFields = lazy(() => all.flatMap((one) => fieldsIn(one) ?? []).map(digestsIn));
  const isOpen: IsOpen = (digest) => openSets().some((open) => open.has(digest));
  return {
    publicViews,
    openRows: lazy(() => [...publicRows, ...refusals.flatMap((one) => rowsIn(viewIn(one.shape)))]),
    knownRows: lazy(() => [...known.flatMap((one) => rowsByList(one.shape)).flat()]),
    knownColumns: lazy(() => new Set(known.flatMap((one) => listsOfScalarsIn(one.shape)).map(({ digest }) => digest))),
    isOpen,
    isOpenInFields: (digest) => isOpen(digest) || openInFields().some((open) => open.has(digest)),
  };
});
