import type { ScalarShape, Shape } from '../wire/facts.js';
import type { Exchange, Response } from '../wire/types.js';
import { isSuccess, sameAnswer, sameBody } from './oracle/compare.js';
import { agree, answerOf } from './oracle/controls.js';
import { lastName, outlineOf, tellsTheOutcome } from './oracle/outline.js';

/** What an answer without a key lacks of the one with it, for a resource that everybody may read. */

export const like = (other: Exchange, answer: Response): boolean => {
  const response = answerOf(other);
  return (
    response !== undefined &&
    (sameAnswer(response, answer) || (isSuccess(response) && sameBody(response.facts, answer.facts)))
  );
};

/** The answer of a key that opens something: `undefined` where it opens nothing that is not there without it. */
export const openedBy = (keyedExchange: Exchange, nothing: readonly Exchange[]): Response | undefined => {
  const keyed = answerOf(keyedExchange);
  return keyed && isSuccess(keyed) && !nothing.some((other) => like(other, keyed)) ? keyed : undefined;
};

/** The envelope that the key gets, without what is in it, and with another outcome told: `{"code": 401, "results": null}`. */
export const deniedInEnvelope = (
  open: Response,
  keyedExchange: Exchange,
  nothing: readonly Exchange[],
): string | undefined => {
  const keyed = openedBy(keyedExchange, nothing);
  if (!keyed?.facts.shape || !open.facts.shape || !isSuccess(open)) return undefined;
  const [without, withKey] = [outlineOf(open.facts.shape), outlineOf(keyed.facts.shape)];
  const filled = filledLists(keyed.facts.shape);
  const isEmptied = filled.length > 0 && filled.every((path) => (without.lists.get(path)?.length ?? 0) === 0);
  const sameEnvelope = filled.every((path) => without.members.has(path));
  const denies = [...withKey.scalars].some(([path, value]) => {
    const said = without.scalars.get(path);
    return said !== undefined && tellsTheOutcome.test(lastName(path)) && turnsTo(value, said);
  });
  return isEmptied && sameEnvelope && denies
    ? 'no list and another outcome with nothing sent, a filled list with the key'
    : undefined;
};

/** Another outcome: an error where there was none, the other boolean, another number that counts nothing. Words vary. */
const turnsTo = (keyed: ScalarShape, said: ScalarShape): boolean => {
  if (keyed.type === 'null') return said.type !== 'null';
  if (said.type !== keyed.type || said.digest === keyed.digest) return false;
  return said.type === 'boolean' || (said.type === 'number' && said.countLike !== true);
};

/**
 * What the key gets more, where the answer without one may hold something back; `undefined` where the key makes no such
 * difference. It proves nothing: the public list may be empty, and the owner of the key have entries of their own.
 */
export const heldBack = (open: Response, keyedExchange: Exchange, nothing: readonly Exchange[]): string | undefined => {
  const keyed = openedBy(keyedExchange, nothing);
  if (!keyed || !isSuccess(open)) return undefined;
  if (agree(keyed, open) || agree(open, keyed)) return emptied(open, keyed) ?? leftOut(open, keyed);
  if (holdsRecords(open)) return emptied(open, keyed);
  if (open.facts.kind !== keyed.facts.kind)
    return `${open.facts.kind} with nothing sent, ${keyed.facts.kind} with the key`;
  const [without, withKey] = [open.facts.shape, keyed.facts.shape];
  if (!without || !withKey) return undefined;
  const members = outlineOf(without).members;
  const shared = [...outlineOf(withKey).members].filter((path) => path !== '' && members.has(path));
  return shared.length === 0 && outlineOf(withKey).members.size > 1
    ? 'another body with nothing sent than with the key'
    : (emptied(open, keyed) ?? leftOut(open, keyed));
};

/** Lists that hold something else than what went wrong and where to go from there. */
const holdsRecords = ({ facts: { shape } }: Response): boolean =>
  shape !== undefined &&
  filledLists(shape).some((path) => !/err|warn|messag|notice|detail|hint|problem|reason|link/i.test(path));

/** Lists that are filled with the key and empty without it. */
const emptied = (open: Response, keyed: Response): string | undefined => {
  if (!open.facts.shape || !keyed.facts.shape) return undefined;
  const lists = outlineOf(open.facts.shape).lists;
  const filled = filledLists(keyed.facts.shape);
  return filled.length > 0 && filled.every((path) => lists.get(path)?.length === 0)
    ? 'empty lists with nothing sent, filled ones with the key'
    : undefined;
};

const filledLists = (shape: Shape): string[] =>
  [...outlineOf(shape).lists].flatMap(([path, items]) => (items.length > 0 ? [path] : []));

/**
 * Lists that the key fills and that are null or not there without it, where nothing else is the same either: an answer that
 * is merely richer with the key (the client's own notes on a record) has the rest of it in common.
 */
const leftOut = (open: Response, keyed: Response): string | undefined => {
  if (!open.facts.shape || !keyed.facts.shape) return undefined;
  const [without, withKey] = [outlineOf(open.facts.shape), outlineOf(keyed.facts.shape)];
  const values = new Set(keyed.facts.values);
  const common =
    open.facts.values.some((value) => values.has(value)) ||
    [...withKey.scalars].some(
      ([path, { type, digest }]) => type !== 'null' && without.scalars.get(path)?.digest === digest,
    );
  return filledLists(keyed.facts.shape).length > 0 && filledLists(open.facts.shape).length === 0 && !common
    ? 'no list with nothing sent, a filled one with the key'
    : undefined;
};
