import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { anonymousControls, keyedControl, publicReads } from '../oracle/control-requests.js';
import { missingOf, nonce, type RequestOptions, requestFor } from '../requests.js';
import type { Ask, OperationSubject } from '../rule.js';
import type { Bypass } from './bypass.js';

/** Names of these in the battery. */
export const cookieTricks = ['the cookies that a refusal has set', 'an invented cookie value'] as const;

/**
 * Cookies that the service itself sets: those of a refusal, or else of another answer without a key,
 * sent back as a browser does, and an invented value of those that came with the keyed answer. Where
 * any session counts as logged in, either opens the operation.
 */
export const sentCookies = (ask: Ask, subject: OperationSubject): readonly Bypass[] => {
  const [refusal, ...elsewhere] = [...anonymousControls(subject), ...publicReads(subject)];
  const keyed = namesIn(ask(keyedControl(subject, 1)));
  const setsSome = (probe: Probe): boolean => namesIn(ask(probe)).length > 0;
  const setter = refusal && setsSome(refusal) ? refusal : elsewhere.find(setsSome);
  const [words, how] =
    setter === refusal
      ? [cookieTricks[0], 'with the cookies of a refusal']
      : ['the cookies that another answer has set', 'with the cookies of another answer'];
  return [
    ...(setter
      ? [
          {
            ...cookies(subject, words, how, '<VISITOR_COOKIES>'),
            trick: cookieTricks[0],
            before: { ...setter, name: 'without a key, for its cookies', occasion: 'for its cookies' },
          },
        ]
      : []),
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
