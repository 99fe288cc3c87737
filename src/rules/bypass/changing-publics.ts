import type { Response } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import type { Reading } from '../oracle/table.js';
import { fits, type Row, viewIn } from '../oracle/view.js';
import { again } from '../support/requests.js';
import { type Judging, showsOwners } from './bypass.js';

/**
 * Public lists that give other rows at each read, such as a feed or a random choice. One read does
 * not hold all of their rows.
 */

/**
 * The reading, unclear if the rows that it grants may be those of a changing public list: they have
 * the structure of its rows, in the same place. Only then is a public resource read again.
 */
export const unlessOfChangingPublic = (
  { ask, controls }: Pick<Judging, 'ask' | 'controls'>,
  answer: Response,
  reading: Reading,
): Reading => {
  if (reading.verdict !== 'granted' || showsOwners(reading)) return reading;
  const lists = [...(viewIn(answer.shape)?.lists ?? [])];
  const isOfItsKind = controls.publics.some((open) =>
    lists.some(([path, { rows }]) => {
      const first = rowsAt(answerOf(open), path);
      return areAlike(rows, first) && isChanging(first, rowsAt(answerOf(ask(again(open.probe))), path));
    }),
  );
  return isOfItsKind
    ? { ...reading, verdict: 'unclear', seen: `${reading.seen}, or those of a public list that changes` }
    : reading;
};

const rowsAt = (answer: Response | undefined, path: string): readonly Row[] =>
  (answer && viewIn(answer.shape)?.lists.get(path)?.rows) ?? [];

const areAlike = (rows: readonly Row[], open: readonly Row[]): boolean =>
  rows.length > 0 && rows.every(({ shape }) => open.some((other) => fits(other.shape, shape)));

/** Whether two reads have other rows, whatever their order. Columns may move. */
const isChanging = (one: readonly Row[], other: readonly Row[]): boolean =>
  one.length !== other.length || one.some((row) => !other.some((same) => areMostlyEqual(row, same)));

const areMostlyEqual = ({ digests }: Row, other: Row): boolean =>
  [...digests].filter((digest) => other.digests.has(digest)).length * 2 > digests.size;
