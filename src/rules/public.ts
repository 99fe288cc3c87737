import type { Exchange, Probe, Response } from '../wire/types.js';
import { failed, inconclusive, passed } from './judgements.js';
import { header, isRedirect, isSuccess, outlineOf, sameAnswer, sameBody } from './oracle/compare.js';
import { agree, answerOf } from './oracle/controls.js';
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
    const withheld = keyed && opensOnlyWithKey(answer, keyed, [missing, base]);
    if (keyed && withheld) return withheldTwice(look, subject, open, keyed, comparedWith, withheld);
    const looksOpen = isSuccess(answer) && ![missing, base, ...refusals].some((other) => like(other, answer));
    if (looksOpen)
      return passed(`Answered with ${answer.status} and nothing sent.`, [open], {
        comparedWith: [...comparedWith, ...(keyed ? [keyed] : [])],
        ...(keyed ? {} : { note: 'No key was given, so it was not seen whether a key opens more.' }),
      });
    return notOpen(look, subject, open, answer, keyed, missing, comparedWith);
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

/** How the key opens what its absence does not; `undefined` where it makes no such difference. */
const opensOnlyWithKey = (
  open: Response,
  keyedExchange: Exchange,
  nothing: readonly Exchange[],
): string | undefined => {
  const keyed = answerOf(keyedExchange);
  if (!keyed || !isSuccess(keyed) || nothing.some((other) => like(other, keyed))) return undefined;
  if (!isSuccess(open)) return `${open.status} with nothing sent, ${keyed.status} with the key`;
  if (agree(keyed, open) || agree(open, keyed)) return emptied(open, keyed);
  if (open.facts.kind !== keyed.facts.kind)
    return `${open.facts.kind} with nothing sent, ${keyed.facts.kind} with the key`;
  const [without, withKey] = [open.facts.shape, keyed.facts.shape];
  if (!without || !withKey) return undefined;
  const members = outlineOf(without).members;
  const shared = [...outlineOf(withKey).members].filter((path) => path !== '' && members.has(path));
  return shared.length === 0 && outlineOf(withKey).members.size > 1
    ? 'another body with nothing sent than with the key'
    : emptied(open, keyed);
};

/** Lists that are filled with the key and empty without it. */
const emptied = (open: Response, keyed: Response): string | undefined => {
  if (!open.facts.shape || !keyed.facts.shape) return undefined;
  const lists = outlineOf(open.facts.shape).lists;
  const filled = [...outlineOf(keyed.facts.shape).lists].filter(([, items]) => items.length > 0);
  return filled.length > 0 && filled.every(([path]) => lists.get(path)?.length === 0)
    ? 'empty lists with nothing sent, filled ones with the key'
    : undefined;
};

const withheldTwice = (
  look: Look,
  subject: OperationSubject,
  open: Exchange,
  keyed: Exchange,
  comparedWith: readonly Exchange[],
  withheld: string,
): Judgement => {
  const [second] = look.all([again(open.probe)]);
  const [keyedAgain] = look.all(withTheKey(subject, 2));
  const nothing = comparedWith.slice(0, 2);
  const answer = second && answerOf(second);
  const still = answer && keyedAgain && opensOnlyWithKey(answer, keyedAgain, nothing);
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
