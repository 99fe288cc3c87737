import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, answersOf } from '../oracle/answers.js';
import { choosesRows } from '../oracle/frames.js';
import type { Reading } from '../oracle/table.js';
import { fits, type Row, viewIn } from '../oracle/view.js';
import { follow } from '../support/follow-up.js';
import { again } from '../support/requests.js';
import { type Bypass, isPlain, type Judging, showsOwners } from './bypass.js';

/**
 * Lists that give other rows at each read, such as a feed or a random choice. One read does not
 * hold all of their rows.
 */

/** With this many reads, a row that every fifth read has is met with a probability of 99 %. */
const enoughReads = 20;

/**
 * Returns the reading, or unclear if the rows that it grants may be those of a changing list that
 * everybody gets.
 *
 * Such a list may belong to a public resource, to the request without the bypass, or to the bypass
 * at a missing path. It counts only if its rows have the structure of the granted ones, and only
 * then is it read again. If the key gets other rows at each read too, two of its reads may share a
 * row with that list by chance: then a record has to be absent from many reads of the list.
 * @param exchange the bypass and its answer; a redirect is read by its end
 * @param read reads the answer, given more answers that open nothing
 */
export const unlessOfChangingList = (
  { ask, controls }: Pick<Judging, 'ask' | 'controls'>,
  bypass: Pick<Bypass, 'probe' | 'unchanged' | 'missing'>,
  exchange: Exchange,
  read: (more: readonly Response[]) => Reading,
): Reading => {
  const reading = read([]);
  const isRecord = showsOwners(reading);
  if (reading.verdict !== 'granted' || (isRecord && !choosesRows(controls.background))) return reading;
  const plain = isPlain(controls)(bypass) ? [] : [bypass.unchanged ?? controls.anonymous.probe];
  const lists = listsIn(answerOf(follow(ask, exchange).at(-1) ?? exchange));
  const nowhere = bypass.missing ? [bypass.missing()] : [];
  const changing = [...controls.publics.map(({ probe }) => probe), ...plain, ...nowhere].filter((probe) => {
    const [first, second] = [probe, again(probe)].map((each) => listsIn(answerOf(ask(each))));
    return first?.some(
      (open, at) => lists.some((rows) => areAlike(rows, open)) && isChanging(open, second?.[at] ?? []),
    );
  });
  if (changing.length === 0) return reading;
  if (!isRecord)
    return { ...reading, verdict: 'unclear', seen: `${reading.seen}, or those of a list that changes for everybody` };
  const more = changing.flatMap((probe) => Array.from({ length: enoughReads }, (_, at): Probe => again(probe, at + 1)));
  return read(answersOf(ask.all(more)));
};

const listsIn = (answer: Response | undefined): readonly (readonly Row[])[] =>
  [...((answer && viewIn(answer.shape)?.lists.values()) ?? [])].map(({ rows }) => rows);

const areAlike = (rows: readonly Row[], open: readonly Row[]): boolean =>
  rows.length > 0 && rows.every(({ shape }) => open.some((other) => fits(other.shape, shape)));

/** Whether two reads have different rows. Order and moving columns do not count. */
const isChanging = (one: readonly Row[], other: readonly Row[]): boolean =>
  one.length !== other.length || one.some((row) => !other.some((same) => areMostlyEqual(row, same)));

const areMostlyEqual = ({ digests }: Row, other: Row): boolean =>
  [...digests].filter((digest) => other.digests.has(digest)).length * 2 > digests.size;
