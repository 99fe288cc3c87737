import { lazy, memoizePerObject } from '../../collections.js';
import type { Response } from '../../wire/types.js';
import type { Background } from './background.js';
import { digestsIn, fieldsIn, listsOfScalarsIn, rowsByList } from './contents.js';
import { type Row, rowsIn, type View, viewIn } from './view.js';

/** Rows and values of answers that do not need the key. They are not the owner's. */
interface Comparisons {
  readonly publicViews: readonly View[];
  /** Rows of public answers and of answers that open nothing. */
  readonly knownRows: () => readonly Row[];
  /** Digests of their lists of scalars. */
  readonly knownColumns: () => ReadonlySet<string>;
  /** What a client without a key gets at other operations. */
  readonly open: Open;
  /** `open` without refusals of other protected operations, which may leak the owner's data. */
  readonly openBesideRefusals: Open;
}

/** Whether a digest occurs in a public answer, in one that opens nothing, or in another refusal. */
export type IsOpen = (digest: string) => boolean;

export interface Open {
  /** Rows that public operations, or other protected operations, give to a client without a key. */
  readonly rows: () => readonly Row[];
  readonly has: IsOpen;
  readonly hasInFields: IsOpen;
}

/** What anybody gets: in answers that open nothing, and at other operations. */
export const openIn = (nothing: readonly Response[], others: readonly Response[]): Open => {
  const answers = [...nothing, ...others];
  const sets = lazy(() => answers.map((one) => digestsIn(one.shape)));
  const fields = lazy(() => answers.flatMap((one) => fieldsIn(one) ?? []).map(digestsIn));
  const has: IsOpen = (digest) => sets().some((open) => open.has(digest));
  return {
    rows: lazy(() => others.flatMap((one) => rowsIn(viewIn(one.shape)))),
    has,
    hasInFields: (digest) => has(digest) || fields().some((open) => open.has(digest)),
  };
};

/** Computed once for each background, since many answers are compared with it. */
export const comparisonsIn = memoizePerObject(({ nothing, publics, refusals }: Background): Comparisons => {
  const known = [...nothing, ...publics];
  return {
    publicViews: publics.flatMap((one) => viewIn(one.shape) ?? []),
    knownRows: lazy(() => known.flatMap((one) => rowsByList(one.shape).flat())),
    knownColumns: lazy(() => new Set(known.flatMap((one) => listsOfScalarsIn(one.shape)).map(({ digest }) => digest))),
    open: openIn(nothing, [...publics, ...refusals]),
    openBesideRefusals: openIn(nothing, publics),
  };
});
