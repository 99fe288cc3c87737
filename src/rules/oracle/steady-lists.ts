import { memoizePerObject } from '../../collections.js';
import { commonDigests, type Keyed } from './keyed.js';
import { changeOf } from './same.js';
import type { List, Row } from './view.js';

/** Which lists of the keyed answer change from read to read. */

/** Whether rows are the same in another read but for some columns; the others tell them apart. */
const hasSameRows = (list: List, again: List | undefined): boolean => {
  const { settled, keys } = changeOf(list, again);
  return settled && list.rows.length > 1 && new Set(keys.split('\n')).size === list.rows.length;
};

/**
 * Paths of lists that have other rows in another read: one of the rows is not there again, and none
 * of the values that only it has.
 */
export const chosenBetween = memoizePerObject(({ view, again }: Pick<Keyed, 'view' | 'again'>): readonly string[] =>
  [...(view?.lists ?? [])].flatMap(([path, list]) => {
    if (hasSameRows(list, again?.lists.get(path))) return [];
    const { rows } = list;
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
