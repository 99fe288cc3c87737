import type { Exchange, Response } from '../wire/types.js';
import type { Trick } from './battery.js';
import { header, isSuccess, sameHead } from './oracle/compare.js';
import { answerOf, closesEachTime, type UsableControls } from './oracle/controls.js';
import { type Reading, readResponse } from './oracle/granted.js';
import { again, baseOf, missingOf, read } from './probes.js';
import type { OperationSubject } from './rule.js';

/**
 * HEAD shows no body, and some servers answer every HEAD with 200. It is granted when its Content-Type and its
 * Content-Length or ETag are those of a HEAD with the key, and differ from those where nothing is and of a refusal with 200;
 * and where that HEAD with the key does not itself speak of another body than GET opens.
 */
export const headTrick = (subject: OperationSubject): Trick => {
  const probe = read(subject, { name: 'HEAD without a key', credential: 'none', method: 'HEAD' });
  const keyed = read(subject, { name: 'HEAD with the key', credential: 'valid', method: 'HEAD' });
  const nothing = [missingOf(subject, probe), baseOf(subject, probe)];
  return {
    words: 'a HEAD request without a key',
    probe,
    readWith: (look, exchange, controls) => {
      if (closesEachTime(exchange)) return { verdict: 'refused', seen: 'the connection closed each time' };
      const answer = answerOf(exchange);
      if (answer && !isSuccess(answer)) return { verdict: 'refused', seen: `${answer.status} to HEAD` };
      const [granted, repeated, ...others] = look.all([keyed, again(keyed), ...nothing]);
      return granted && repeated
        ? readHead(
            exchange,
            [granted, repeated],
            [...others.flatMap((other) => answerOf(other) ?? []), ...refusal(controls)],
            controls,
          )
        : unknown;
    },
  };
};

/** The fields of a refusal that is told with 200: where they are those that the key gets, they tell nothing apart. */
const refusal = (controls: UsableControls): readonly Response[] => {
  const answer = answerOf(controls.anonymous);
  if (!answer || !isSuccess(answer) || readResponse(answer, controls).verdict !== 'refused') return [];
  const length = ['Content-Length', String(answer.facts.size)] as const;
  return [
    header(answer, 'content-length') === undefined ? { ...answer, headers: [...answer.headers, length] } : answer,
  ];
};

const unknown: Reading = { verdict: 'refused', seen: 'a HEAD that shows nothing' };

/**
 * Whether a HEAD tells of another body than GET opens, as that of a health check or of a route with a HEAD of its own does:
 * another length than both reads had, and not their ETag. Only without a content coding are lengths those of bodies.
 */
const isOfAnotherBody = (head: Response, { first, second }: UsableControls): boolean => {
  const length = header(head, 'content-length');
  if (length === undefined || [head, first, second].some(isCoded)) return false;
  if (first.facts.truncated || first.facts.size !== second.facts.size || length === String(first.facts.size))
    return false;
  const tag = tagOf(head);
  return tag === undefined || ![first, second].some((get) => tagOf(get) === tag);
};

const isCoded = (answer: Response): boolean => !/^(?:identity)?$/i.test(header(answer, 'content-encoding') ?? '');

/** Compared weakly (RFC 9110, section 8.8.3.2). */
const tagOf = (answer: Response): string | undefined => header(answer, 'etag')?.replace(/^W\//, '');

const readHead = (
  exchange: Exchange,
  keyed: readonly [Exchange, Exchange],
  others: readonly Response[],
  controls: UsableControls,
): Reading => {
  const [answer, granted, repeated] = [exchange, ...keyed].map(answerOf);
  if (!answer)
    return { verdict: 'unclear', seen: `no answer to HEAD (${exchange.attempts.at(-1)?.error?.code ?? 'none'})` };
  const compared = granted && isSuccess(granted) ? sameHead(granted, repeated, answer) : false;
  if (!granted || !compared)
    return {
      ...unknown,
      seen: `${answer.status} to HEAD, ${compared === undefined ? 'with nothing to compare' : 'unlike with the key'}`,
    };
  const isKeyed = (seen: Response): boolean => sameHead(granted, repeated, seen) === true;
  if (isOfAnotherBody(granted, controls))
    return { ...unknown, seen: `${answer.status} to HEAD, with fields that are not those of what GET opens` };
  const alike = others.some((other) => isKeyed(other) && other.status === answer.status);
  return alike
    ? { ...unknown, seen: `${answer.status} to HEAD, with fields that refusals have too` }
    : { verdict: 'granted', seen: `${answer.status} with the fields that the key gets` };
};
