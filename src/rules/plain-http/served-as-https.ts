import type { Response } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { isOfOneForm } from '../oracle/form.js';
import { isOfKind, keyedOf, kindsOf } from '../oracle/keyed.js';
import { readExchange, readResponse } from '../oracle/reading.js';
import { isSame, sharedWithKeyed } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import { isTableOfKind } from '../oracle/tables.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import { viewIn } from '../oracle/view.js';
import { repeated } from '../support/repeat.js';
import { missingOn, overTls, type PlainAnswer } from './plain-answer.js';

/** Whether an answer has rows of the same kind, or half of the values, in any format. */
export const carriesRowsOf = (open: Response, seen: Response): boolean => {
  const there = new Set([...seen.shape.values, ...(seen.shape.parts ?? [])]);
  const carried = open.shape.values.filter((value) => there.has(value)).length;
  if (carried >= 2 && carried * 2 >= open.shape.values.length) return true;
  const lists = viewIn(seen.shape)?.lists;
  const own = keyedOf(open, open);
  if (!lists || own.rows.length === 0) return false;
  return [...lists].some(([path, { rows }]) => {
    const kind = kindsOf(own).get(path);
    // Another selection, an older copy or another language: rows with the same two or more members.
    const alike = kind && kind.names.size >= 2 ? rows.filter((row) => isOfKind(row, kind)).length : 0;
    return alike >= 2 || isTableOfKind(own, path, rows);
  });
};

/** Whether plain HTTP serves what HTTPS serves. */

/** `served` for what HTTPS serves, the reading of a success that may be that, or `undefined`. */
export const representationIn = (plain: PlainAnswer): 'served' | Reading | undefined => {
  const { known, subject, answer } = plain;
  if (subject.operation.access === 'public') return isPublicRepresentation(plain) ? 'served' : undefined;
  if (!('keyed' in known)) return undefined;
  const good = usable(known);
  if (!isUsable(good)) return undefined;
  const isEmpty = answer.shape.kind === 'empty' && good.first.shape.kind === 'empty';
  const mayBeServed = ({ verdict }: Reading): boolean =>
    verdict === 'granted' || (verdict === 'unclear' && isSuccess(answer));
  if (!mayBeServed(readExchange(plain.step, good.background)) && !isEmpty) return undefined;
  const nothing = answerOf(plain.ask(missingOn(plain)));
  const isEverywhere = nothing !== undefined && isSame(nothing, answer);
  const reading = readExchange(plain.step, good.background, {
    nothing: nothing ? [nothing] : [],
    missingDiffers: nothing !== undefined && !isEverywhere,
  });
  if (reading.verdict === 'granted') return 'served';
  // An empty answer counts only with the status that HTTPS gives, and if a missing path gets
  // another answer.
  if (isEmpty) return answer.status === good.first.status && !isEverywhere ? 'served' : undefined;
  // A page of that port about something else, such as its load: missing paths get it too.
  const isAlike =
    nothing?.status === answer.status &&
    isOfOneForm(nothing.shape, answer.shape) &&
    readResponse(nothing, good.background).line === reading.line;
  return mayBeServed(reading) && !isAlike ? reading : undefined;
};

/**
 * Whether plain HTTP gives what HTTPS gives to everybody: the same answer, or rows of its kind. A
 * page that missing paths get too does not count.
 */
export const isPublicRepresentation = (plain: PlainAnswer): boolean => {
  const { ask, known, answer } = plain;
  return overTls(plain).some((https) => {
    const open = answerOf(https);
    if (!open || !isSuccess(open) || answer.shape.kind === 'empty') return false;
    if (answer.shape.kind !== open.shape.kind && !carriesRowsOf(open, answer)) return false;
    const again = answerOf(repeated(ask, https)) ?? open;
    const shows = (seen: Response): boolean =>
      sharedWithKeyed(open.shape, again.shape, seen.shape) !== undefined || carriesRowsOf(open, seen);
    if (!shows(answer)) return false;
    const nothing = [known.missing, ask(missingOn(plain))];
    return !nothing.some((other) => {
      const body = answerOf(other);
      return body !== undefined && (isSame(body, answer) || shows(body));
    });
  });
};
