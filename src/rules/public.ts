import type { Exchange, Probe, Response } from '../wire/types.js';
import { deniedInEnvelope, heldBack, like, openedBy } from './held-back.js';
import { failed, inconclusive, passed } from './judgements.js';
import { header, isRedirect, isSuccess, isUnavailable, sameAnswer, sameBody } from './oracle/compare.js';
import { answerOf, controlsOf, usable } from './oracle/controls.js';
import { readResponse } from './oracle/granted.js';
import { isAnswerTo } from './oracle/volatile.js';
import {
  again,
  baseOf,
  filledIn,
  isArmed,
  keysOf,
  missingOf,
  protectedReads,
  read,
  targetOf,
  token,
  withQuery,
} from './probes.js';
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
    if (!answer || answer.status === 429 || isUnavailable(answer))
      return inconclusive(
        `The request got no answer to judge (${answer?.status ?? open.attempts.at(-1)?.error?.code ?? 'none'}).${answer?.status === 429 ? ' A rate limit: wait longer with RATE_LIMIT_WAIT_S, or run again when it is over.' : ''}`,
        [open],
        { comparedWith },
      );
    const [keyedProbe] = withTheKey(subject);
    const keyed = keyedProbe && look(keyedProbe);
    const optional = (subject.operation.alternatives ?? []).length > 0;
    const known: Known = {
      nothing: [missing, base],
      refusals: refusals.filter((refusal) => !isOpenToAll(look, subject, refusal)),
    };
    const withheldFrom = (without: Response, withKey: Exchange): string | undefined =>
      refusedWithoutKey(look, without, withKey, known) ??
      (optional ? undefined : deniedInEnvelope(without, withKey, known.nothing));
    // What the key gets where nothing is either, it does not open: a server may repeat the request, or greet the key everywhere.
    const isEcho = (withKey: Exchange): boolean => {
      const nothingThere = look(
        missingOf(subject, { ...withKey.probe, name: 'a path that does not exist, with the key' }),
      );
      const opened = answerOf(withKey);
      return opened !== undefined && like(nothingThere, opened);
    };
    const found = keyed && withheldFrom(answer, keyed);
    const withheld = keyed && found && !isEcho(keyed) ? found : undefined;
    if (keyed && withheld) return withheldTwice(look, subject, open, keyed, comparedWith, withheld, withheldFrom);
    const looksOpen = isSuccess(answer) && ![missing, base, ...known.refusals].some((other) => like(other, answer));
    if (!looksOpen) return notOpen(look, subject, open, answer, keyed, missing, comparedWith);
    const more = keyed && heldBack(answer, keyed, known.nothing);
    if (keyed && more && !optional)
      return inconclusive(
        `It gives ${more}; whether that is held back from a client without a key, or the owner's own beside it, cannot be told.`,
        [open, keyed],
        { comparedWith },
      );
    if (keyed && !optional && areOtherTexts(look, subject, open, keyed))
      return inconclusive(
        'With the key it is answered with another text than with nothing sent; whether that text holds something back cannot be told.',
        [open, keyed],
        { comparedWith },
      );
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

/** A URL that nobody else asks for: what a cache keeps of the answer, it keeps there. */
const onItsOwnQuery = (subject: OperationSubject, label: string): string =>
  withQuery(targetOf(subject), [`nothing-${token(subject.deployment, `${label} ${subject.operation.id}`)}=1`]);

/** The same with the key, where one was given that may be sent. */
const withTheKey = (subject: OperationSubject, round = 1): readonly Probe[] => {
  const security = keysOf(subject);
  if (security.length === 0) return [];
  const operation = { ...subject.operation, security };
  const target = onItsOwnQuery(subject, 'public with the key');
  return [read({ ...subject, operation }, { name: 'with the key', credential: 'valid', target, round })];
};

/** What a client without a key gets that opens nothing. */
interface Known {
  readonly nothing: readonly Exchange[];
  readonly refusals: readonly Exchange[];
}

/** Whether a protected operation is read without a key: what that is answered with is no refusal. */
const isOpenToAll = (look: Look, subject: OperationSubject, refusal: Exchange): boolean => {
  const answer = answerOf(refusal);
  const operation = subject.contract.operations.find(({ id }) => id === refusal.probe.operation);
  if (!answer || !isSuccess(answer) || !operation) return false;
  const guarded = { ...subject, operation };
  if (!isArmed(guarded)) return false;
  const controls = usable(controlsOf(look, guarded));
  return typeof controls !== 'string' && readResponse(answer, controls).verdict === 'granted';
};

/** How the client without a key is refused what the key opens: by a status, or as protected resources are refused. */
const refusedWithoutKey = (
  look: Look,
  open: Response,
  keyedExchange: Exchange,
  { nothing, refusals }: Known,
): string | undefined => {
  const keyed = openedBy(keyedExchange, [...nothing, ...refusals]);
  if (!keyed) return undefined;
  if (!isSuccess(open)) return `${open.status} with nothing sent, ${keyed.status} with the key`;
  return !like(keyedExchange, open) && refusals.some((refusal) => isAnswerTo(look, refusal, open))
    ? `${open.status} with nothing sent, as protected resources are refused, another body with the key`
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
  // Not where a read with the key may have left something.
  const [second] = look.all([{ ...open.probe, target: onItsOwnQuery(subject, 'public with nothing') }]);
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
