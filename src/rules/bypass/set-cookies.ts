import type { Exchange } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { anonymousControls, keyedControl } from '../oracle/control-requests.js';
import { missingOf, nonce, type RequestOptions, requestFor } from '../requests.js';
import type { Ask, OperationSubject } from '../rule.js';
import type { Bypass } from './bypass.js';

/** Names of these in the battery. */
export const cookieTricks = ['the cookies that a refusal has set', 'an invented cookie value'] as const;

/**
 * Cookies that the service itself sets: those of a refusal, sent back as a browser does, and an
 * invented value of those that came with the keyed answer. Where any session counts as logged in,
 * either opens the operation.
 */
export const sentCookies = (ask: Ask, subject: OperationSubject): readonly Bypass[] => {
  const [refusal] = anonymousControls(subject);
  const [refused, keyed] = [refusal ? namesIn(ask(refusal)) : [], namesIn(ask(keyedControl(subject, 1)))];
  return [
    ...(refused.length === 0
      ? []
      : [
          {
            ...cookies(subject, cookieTricks[0], 'with the cookies of a refusal', '<VISITOR_COOKIES>'),
            before: requestFor(subject, {
              name: 'without a key, for its cookies',
              credential: 'none',
              occasion: 'for its cookies',
            }),
          },
        ]),
    ...(keyed.length === 0
      ? []
      : [
          {
            ...cookies(
              subject,
              `an invented value of ${keyed.join(', ')}`,
              'with an invented cookie',
              keyed.map((name) => `${name}=${nonce(subject.deployment, `cookie ${name}`)}`).join('; '),
            ),
            trick: cookieTricks[1],
          },
        ]),
  ];
};

/**
 * On a connection of its own, so that nothing else uses it. A client sends one Cookie field (RFC
 * 6265, section 5.4).
 */
const cookies = (subject: OperationSubject, name: string, how: string, value: string): Bypass => {
  const { operation } = subject;
  const words: RequestOptions = { name, credential: 'none', connection: 'fresh' };
  const probe = requestFor(
    { ...subject, operation: { ...operation, headers: [...operation.headers, ['Cookie', value]] } },
    words,
  );
  return { words: name, how, probe, missing: () => missingOf(subject, probe) };
};

const mostNames = 8;

/** Names of the cookies that an answer sets. Their values are not kept. */
const namesIn = (exchange: Exchange): readonly string[] => {
  const fields = answerOf(exchange)?.headers.filter(([name]) => name.toLowerCase() === 'set-cookie') ?? [];
  const names = fields.flatMap(([, value]) => /^\s*([!#$%&'*+\-.^`|~\w]+)=/.exec(value)?.[1] ?? []);
  return [...new Set(names)].slice(0, mostNames);
};
