import { lazy, memoizePerObject } from '../../collections.js';
import type { Background } from './background.js';
import { columnsIn, digestsIn, fieldsIn, rowsByList } from './contents.js';
import type { IsOpen } from './records.js';
import { type Row, rowsIn, type View, viewIn } from './view.js';

/** What the answers hold that another one is compared with, beside the keyed ones. */
interface Comparisons {
  readonly publicViews: readonly View[];
  /** What other operations give to anybody is nobody's. */
  readonly openRows: () => readonly Row[];
  /** Rows of nothing and of public answers. */
  readonly knownRows: () => readonly Row[];
  /** The same of lists of scalars. */
  readonly knownColumns: () => ReadonlySet<string>;
  readonly isOpen: IsOpen;
  readonly isOpenInFields: IsOpen;
}

/** Found once for all answers that are read against one background. */
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
    knownRows: lazy(() => [
      ...publicRows,
      ...nothing.flatMap((one) => rowsIn(viewIn(one.shape))),
      ...known.flatMap((one) => rowsByList(one.shape)).flat(),
    ]),
    knownColumns: lazy(() => new Set(known.flatMap((one) => columnsIn(one.shape)).map(({ values }) => values))),
    isOpen,
    isOpenInFields: (digest) => isOpen(digest) || openInFields().some((open) => open.has(digest)),
  };
});
