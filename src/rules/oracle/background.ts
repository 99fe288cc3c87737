import { lazy, memoizePerObject } from '../../collections.js';
import type { Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { digestsIn, fieldsIn, listsOfScalarsIn, objectsIn, rowsByList } from './contents.js';
import type { Keyed } from './keyed.js';
import type { OtherOperations } from './other-operations.js';
import { isSameRow } from './same.js';
import { fits, type Row, rowsIn, type View, viewIn, viewLike } from './view.js';

/** What other answers of an operation are compared with: what the key gets, and what anybody. */

/** Two keyed reads, and what changes from one keyed read to another. */
export interface KeyedReads {
  readonly keyed: Keyed;
  /** Paths that change between keyed reads: outside rows, and of lists with other rows. */
  readonly moving: ReadonlySet<string>;
}

/** The answers that every other answer of an operation is compared with. */
export interface Background extends KeyedReads {
  /**
   * Answers that open nothing: of missing paths, of the base path, of the request without its
   * bypass, and of the bypass at a missing path.
   */
  readonly nothing: readonly Response[];
  /** Paths (or places of pieces) that differ between two equivalent requests of these. */
  readonly volatile: ReadonlySet<string>;
  /** Answers of public operations. */
  readonly publics: readonly Response[];
  /** Answers of other protected operations to a client without a key. */
  readonly refusals: readonly Response[];
  /** The operation answers a client without a key with an error status. */
  readonly anonymousRefused: boolean;
  /** At least three other operations refuse by status, and none refuses in a 2xx body. */
  readonly refusesByStatus: OtherOperations['refusesByStatus'];
  /** The keyed answer is a row of what the key gets at the list: `/things/1` in `/things`. */
  readonly isListed: () => boolean;
  /** The bypass gets another answer at a missing path, if it is sent there. Only line 0 asks. */
  readonly missingDiffers: () => boolean;
  /** Other keyed reads had another form than the two that are compared with. */
  readonly variesInForm: boolean;
}

/** The background for an answer that siblings, which refuse by status, say nothing about. */
export const withoutSiblings = memoizePerObject(
  (background: Background): Background => ({ ...background, refusesByStatus: () => false }),
);

/**
 * The objects in answers that open nothing. Rows of public answers say nothing of others of their
 * structure: a missing path may give public rows.
 */
const objectsOfNothing = memoizePerObject(({ nothing, publics }: Background): readonly Row[] => {
  const known = publics.flatMap((one) => rowsByList(one.shape).flat());
  return nothing
    .flatMap((one) => objectsIn(one.shape))
    .filter((one) => !known.some((row) => isSameRow(row.shape, one.shape)));
});

/** Whether an answer that opens nothing holds an object of this structure. */
export const isInNothing = (background: Background, shape: Shape, strict = false): boolean =>
  objectsOfNothing(background).some((other) => fits(other.shape, shape, strict));

/** Rows and values of answers that do not need the key. They are not the owner's. */
interface GivenToAnybody {
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
export const givenToAnybody = memoizePerObject(({ nothing, publics, refusals }: Background): GivenToAnybody => {
  const known = [...nothing, ...publics];
  return {
    publicViews: publics.flatMap((one) => viewIn(one.shape) ?? []),
    knownRows: lazy(() => known.flatMap((one) => rowsByList(one.shape).flat())),
    knownColumns: lazy(() => new Set(known.flatMap((one) => listsOfScalarsIn(one.shape)).map(({ digest }) => digest))),
    open: openIn(nothing, [...publics, ...refusals]),
    openBesideRefusals: openIn(nothing, publics),
  };
});

/** An answer beside the background that it is compared with. */
export interface ComparedAnswer {
  readonly seen: Response;
  readonly background: Background;
  readonly view: View | undefined;
  /**
   * The answer has no structure to compare: it has none, or is HTML where the key gets another
   * format.
   */
  readonly foreign: boolean;
}

export const comparedAnswer = (seen: Response, background: Background): ComparedAnswer => {
  const { keyed } = background;
  const view = viewLike(seen.shape, keyed.view);
  const isPage = seen.shape.kind === 'html' && keyed.first.shape.kind !== 'html';
  return { seen, background, view, foreign: view === undefined || isPage };
};
