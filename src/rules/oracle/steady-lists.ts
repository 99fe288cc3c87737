import { memoizePerObject } from '../../collections.js';
import { commonDigests, type Keyed } from './keyed.js';
import type { Row } from './view.js';

/** Which lists of the keyed answer change from read to read. */

/**
 * Paths of lists that have other rows in another read: one of the rows is not there again, and none
 * of the values that only it has.
 */
export const chosenBetween = memoizePerObject(({ view, again }: Pick<Keyed, 'view' | 'again'>): readonly string[] =>
  [...(view?.lists ?? [])].flatMap(([path, { rows }]) => {
    const [common, others] = [commonDigests(rows), again?.lists.get(path)?.rows ?? []];
    const isThere = ({ all, digests }: Row): boolean =>
      others.some((one) => [...digests].every((digest) => one.digests.has(digest))) ||
      all.some(
        ({ telling, digest }) => telling && !common.has(digest) && others.some((one) => one.digests.has(digest)),
      );
    return rows.every(isThere) ? [] : [path];
  }),
);

/** Rows of the lists that are the same in both keyed reads, by the path of the list. */
export const steadyListsOf = memoizePerObject((keyed: Keyed): ReadonlyMap<string, readonly Row[]> => {
  const chosen = chosenBetween(keyed);
  return new Map(
    [...(keyed.view?.lists ?? [])].flatMap(([path, { rows }]) =>
      chosen.includes(path) ? [] : [[path, rows] as const],
    ),
  );
});

export const steadyRowsOf = memoizePerObject(
  (keyed: Keyed): ReadonlySet<Row> => new Set([...steadyListsOf(keyed).values()].flat()),
);
