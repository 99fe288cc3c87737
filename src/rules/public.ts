import type { Shape } from '../wire/facts.js';
import type { Exchange, Probe, Response } from '../wire/types.js';
import { failed, inconclusive, passed } from './judgements.js';
import { header, isRedirect, isSuccess, outlineOf, sameAnswer, sameBody } from './oracle/compare.js';
import { agree, answerOf } from './oracle/controls.js';
import { isAnswerTo } from './oracle/volatile.js';
import { again, baseOf, filledIn, keysOf, missingOf, protectedReads, read, targetOf } from './probes.js';
import type { Judgement, Look, OperationRule, OperationSubject } from './rule.js';

/** AUTH-4: a public resource needs no credentials. */
export const opensWithoutCredentials: OperationRule = {
  scope: 'operation',
  id: 'opens-without-credentials',
  clauses: ['AUTH-4'],
  title: 'opens with nothing sent',
  stage: 'keyed',
  appliesTo: ({ operation }) => operation.access === 'public' && operation.method !== 'OPTIONS',
  probes: (subject) => [...openProbes(subject), ...protectedReads(subject), ...withTheKey(subject)],
  judge: (look, subject) => {
    const [open, missing, base] = look.all(openProbes(subject));
    const refusals = look.all(protectedReads(subject));
    if (!open || !missing || !base) throw new TypeError('a look returns an exchange for every probe');
    const comparedWith = [missing, base, ...refusals];
    const answer = answerOf(open);
    if (!answer || answer.status === 429 || [502, 503, 504].includes(answer.status))
      return inconclusive(
        `The request got no answer to judge (${answer?.status ?? open.attempts.at(-1)?.error?.code ?? 'none'}).`,
        [open],
        { comparedWith },
      );
    const [keyedProbe] = withTheKey(subject);
    const keyed = keyedProbe && look(keyedProbe);
    const optional = (subject.operation.alternatives ?? []).length > 0;
    const withheldFrom = (without: Response, withKey: Exchange): string | undefined =>
      refusedWithoutKey(look, without, withKey, [missing, base], refusals) ??
      (optional ? undefined : heldBack(without, withKey, [missing, base]));
    const withheld = keyed && withheldFrom(answer, keyed);
    if (keyed && withheld) return withheldTwice(look, subject, open, keyed, comparedWith, withheld, withheldFrom);
    const looksOpen = isSuccess(answer) && ![missing, base, ...refusals].some((other) => like(other, answer));
    if (!looksOpen) return notOpen(look, subject, open, answer, keyed, missing, comparedWith);
    if (keyed && !optional && areOtherTexts(look, subject, open, keyed))
      return inconclusive(
        'With the key it is answered with another text than with nothing sent; whether that text holds something back cannot be told.',
        [open, keyed],
        { comparedWith },
      );
    const more = keyed && optional && heldBack(answer, keyed, [missing, base]);
    const note = keyed
      ? more && `The key, which the document leaves to the client, makes a difference: ${more}.`
      : 'No key was given, so it was not seen whether a key opens more.';
    return passed(`Answered with ${answer.status} and nothing sent.`, [open], {
      comparedWith: [...comparedWith, ...(keyed ? [keyed] : [])],
      ...(note ? { note } : {}),
    });
  },
};

const openProbes = (subject: OperationSubject): readonly Probe[] => {
  const open = read(subject, { name: 'with nothing sent', credential: 'none' });
  return [
    open,
    missingOf(subject, { ...open, name: 'a path that does not exist' }),
    baseOf(subject, { ...open, name: 'the base path' }),
  ];
};

/** The same with the key, where one was given that may be sent. */
const withTheKey = (subject: OperationSubject, round = 1): readonly Probe[] => {
  const security = keysOf(subject);
  if (security.length === 0) return [];
  const operation = { ...subject.operation, security };
  return [read({ ...subject, operation }, { name: 'with the key', credential: 'valid', round })];
};

const like = (other: Exchange, answer: Response): boolean => {
  const response = answerOf(other);
  return (
    response !== undefined &&
    (sameAnswer(response, answer) || (isSuccess(response) && sameBody(response.facts, answer.facts)))
  );
};

/** The answer of a key that opens something: `undefined` where it opens nothing that is not there without it. */
const openedBy = (keyedExchange: Exchange, nothing: readonly Exchange[]): Response | undefined => {
  const keyed = answerOf(keyedExchange);
  return keyed && isSuccess(keyed) && !nothing.some((other) => like(other, keyed)) ? keyed : undefined;
};

/** How the client without a key is refused what the key opens: by a status, or as protected resources are refused. */
const refusedWithoutKey = (
  look: Look,
  open: Response,
  keyedExchange: Exchange,
  nothing: readonly Exchange[],
  refusals: readonly Exchange[],
): string | undefined => {
  const keyed = openedBy(keyedExchange, [...nothing, ...refusals]);
  if (!keyed) return undefined;
  if (!isSuccess(open)) return `${open.status} with nothing sent, ${keyed.status} with the key`;
  return !like(keyedExchange, open) && refusals.some((refusal) => isAnswerTo(look, refusal, open))
    ? `${open.status} with nothing sent, as protected resources are refused, another body with the key`
    : undefined;
};

/** What the answer without a key holds back of the keyed one; `undefined` where the key makes no such difference. */
const heldBack = (open: Response, keyedExchange: Exchange, nothing: readonly Exchange[]): string | undefined => {
  const keyed = openedBy(keyedExchange, nothing);
  if (!keyed || !isSuccess(open)) return undefined;
  if (agree(keyed, open) || agree(open, keyed)) return emptied(open, keyed) ?? leftOut(open, keyed);
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

/** Whether two texts, each of them the same when read again, have little in common. */
const areOtherTexts = (look: Look, subject: OperationSubject, open: Exchange, keyed: Exchange): boolean => {
  const shared = (a: Exchange, b: Exchange): number => {
    const [left, right] = [a, b].map((exchange) => new Set(answerOf(exchange)?.facts.pieces ?? []));
    if (!left || !right || left.size === 0) return 1;
    return [...left].filter((piece) => right.has(piece)).length / left.size;
  };
  if (shared(keyed, open) >= 0.5) return false;
  const [openAgain, keyedAgain] = look.all([again(open.probe), ...withTheKey(subject, 2)]);
  return (
    openAgain !== undefined &&
    keyedAgain !== undefined &&
    shared(open, openAgain) >= 0.5 &&
    shared(keyed, keyedAgain) >= 0.5
  );
};

const withheldTwice = (
  look: Look,
  subject: OperationSubject,
  open: Exchange,
  keyed: Exchange,
  comparedWith: readonly Exchange[],
  withheld: string,
  withheldFrom: (without: Response, withKey: Exchange) => string | undefined,
): Judgement => {
  const [second] = look.all([again(open.probe)]);
  const [keyedAgain] = look.all(withTheKey(subject, 2));
  const answer = second && answerOf(second);
  const still = answer && keyedAgain && withheldFrom(answer, keyedAgain);
  return still
    ? failed(`It opens with the key, but not with nothing sent: ${withheld}.`, [open, keyed], {
        expected: 'the resource, with nothing sent',
        seen: withheld,
        comparedWith,
      })
    : inconclusive(`The first try gave ${withheld}, and a second one did not.`, [open, keyed], { comparedWith });
};

const notOpen = (
  look: Look,
  subject: OperationSubject,
  open: Exchange,
  answer: Response,
  keyed: Exchange | undefined,
  missing: Exchange,
  comparedWith: readonly Exchange[],
): Judgement => {
  const { assumedPath } = subject.operation;
  const exchanges = keyed ? [open, keyed] : [open];
  const filled = filledIn(subject.operation);
  const where = assumedPath
    ? ` The contract does not give its path: set ${assumedPath.setting} to it.`
    : filled === ''
      ? ''
      : ` The value filled in for ${filled} may name nothing there: give one that does in the PARAMETERS file, under "${subject.operation.id}".`;
  const target = targetOf(subject);
  const nothing = answerOf(missing);
  if (isRedirect(answer) && !(nothing && sameAnswer(answer, nothing)))
    return inconclusive(`${target} redirects to ${header(answer, 'location') ?? ''}.${where}`, exchanges, {
      comparedWith,
    });
  if (nothing && (sameAnswer(answer, nothing) || (isSuccess(answer) && sameBody(answer.facts, nothing.facts))))
    return inconclusive(
      `${target} is answered like a path that does not exist (${answer.status}).${where}`,
      exchanges,
      { comparedWith },
    );
  if (isSuccess(answer))
    return inconclusive(
      `${target} is answered with ${answer.status}, but as the base path or a refusal is.${where}`,
      exchanges,
      { comparedWith },
    );
  if (!keyed)
    return inconclusive(
      `${target} is answered with ${answer.status}; without a key it cannot be seen whether one would open it.${where || ' Set API_KEY.'}`,
      exchanges,
      { comparedWith },
    );
  const second =
    !assumedPath && [401, 403, 407].includes(answer.status) ? answerOf(look(again(open.probe))) : undefined;
  if (second?.status === answer.status)
    return failed(
      `With nothing sent it is refused (${answer.status}), and the key given does not open it either.`,
      exchanges,
      {
        expected: 'the resource, with nothing sent',
        seen: String(answer.status),
        comparedWith,
      },
    );
  return inconclusive(`${target} is answered with ${answer.status}, and the key is no help.${where}`, exchanges, {
    comparedWith,
  });
};
