import { canonicalText, type Json } from '../../collections.js';
import { isPlainName } from '../../wire/body-shape.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { clip } from '../../words.js';
import { answerOf, header, isRedirect, isSuccess, redirectPathOf } from '../oracle/answers.js';
import { keyedControl } from '../oracle/control-requests.js';
import type { Ask, Explanation, Judgement, OperationSubject, SeenFact } from '../rule.js';
import { bodySchema } from './body-schema.js';
import { observed } from './judgement.js';
import { again, requestWithNothing } from './requests.js';
import { canSendKey } from './subjects.js';

/** Observations: what the contract leaves open is reported. A rule that observes cannot fail. */

export const observedFacts = (facts: readonly SeenFact[]): Judgement =>
  observed(
    facts.map(({ fact }) => fact).join(' ') || 'Nothing to tell.',
    facts.flatMap(({ exchanges }) => exchanges),
    { facts },
  );

/** A fact without a value that runs could compare. */
export const plainFact = (gap: string, fact: string, exchange: Exchange): SeenFact => ({
  gap,
  fact,
  exchanges: [exchange],
});

interface FactInput {
  readonly gap: string;
  /** The fact's name: `refusal-without-key`. */
  readonly id: string;
  readonly words: string;
  readonly reads: readonly Exchange[];
  /** The comparable value, without data or keys. `undefined` if a read has none. */
  readonly shows: (answer: Response, exchange: Exchange) => Json | undefined;
}

/** A fact with a value that runs can compare, unless it differs within one run. */
export const seenFact = ({ gap, id, words, reads, shows }: FactInput): SeenFact => {
  const values = reads.flatMap((exchange) => {
    const answer = answerOf(exchange);
    const value = answer && shows(answer, exchange);
    return value === undefined ? [] : [value];
  });
  const [value = null] = values;
  const isVolatile = new Set(values.map(canonicalText)).size > 1;
  return {
    gap,
    fact: isVolatile ? `${words} It differs between two reads, so it is not compared with other runs.` : words,
    exchanges: reads.slice(0, 1),
    id,
    value: isVolatile ? null : value,
    reads: values.length,
    ...(isVolatile ? { volatile: true } : {}),
  };
};

/** `401 with WWW-Authenticate: Token as application/json` */
export const summaryOf = (exchange: Exchange): string => {
  const answer = answerOf(exchange);
  if (!answer) return `no answer (${exchange.attempts.at(-1)?.error?.code ?? 'none'})`;
  const challenge = header(answer, 'www-authenticate');
  const location = isRedirect(answer) ? header(answer, 'location') : undefined;
  const parts = [
    `${answer.status}`,
    // The query may hold a token.
    ...(location === undefined ? [] : [`to ${location.replace(/\?.*/s, '?…')}`]),
    ...(challenge === undefined ? [] : [`with WWW-Authenticate: ${clip(challenge, 80)}`]),
    ...(answer.shape.mediaType === '' ? [] : [`as ${answer.shape.mediaType}`]),
  ];
  return parts.join(' ');
};

/** Schemes of WWW-Authenticate (RFC 9110, section 11.6.1), without parameters. */
const challengesOf = (answer: Response): readonly string[] => {
  const schemes = answer.headers
    .filter(([name]) => name.toLowerCase() === 'www-authenticate')
    .flatMap(([, value]) => value.replace(/"(?:[^"\\]|\\.)*"/g, '""').split(','))
    .flatMap((part) => /^\s*([!#$%&'*+.^_`|~\w-]+)(?:\s+[^\s=]|\s*$)/.exec(part)?.[1] ?? []);
  return [...new Set(schemes)].sort();
};

/** The target of a redirect. Segments that may be made for one request are left out. */
const redirectOf = (answer: Response): Json => {
  const location = header(answer, 'location') ?? '';
  const origin = /^(?:https?:)?\/\/([^/?#]*)/i.exec(location);
  return {
    scheme: /^([a-z]+):/i.exec(location)?.[1]?.toLowerCase() ?? null,
    toHost: origin !== null,
    path: redirectPathOf(answer)
      .split('/')
      .map((segment) => (segment === '' || isPlainName(segment) ? segment : '*'))
      .join('/'),
  };
};

/** An answer as a comparable value: status, media type, challenges and redirect. */
export const answerValue = (answer: Response): Json => ({
  status: answer.status,
  mediaType: answer.shape.mediaType,
  ...(challengesOf(answer).length > 0 ? { challenges: challengesOf(answer) } : {}),
  ...(isRedirect(answer) ? { redirect: redirectOf(answer) } : {}),
});

/** An answer as a comparable value, with the structure of its body: for answers without data. */
export const refusalValue = (answer: Response, exchange: Exchange): Json => {
  const body = bodySchema(exchange);
  const known = answerValue(answer);
  return body && typeof known === 'object' ? { ...known, body } : known;
};

/** The two reads that should open an operation: with the key if it is protected. */
export const ownReads = (subject: OperationSubject): readonly [Probe, Probe] =>
  subject.operation.access === 'protected' && canSendKey(subject)
    ? [keyedControl(subject, 1), keyedControl(subject, 2)]
    : [requestWithNothing(subject), again(requestWithNothing(subject))];

/** A request, and once more if the answer is a redirect: its target may be made for one request. */
export const readTwiceIfRedirected = (ask: Ask, probe: Probe): readonly Exchange[] => {
  const first = ask(probe);
  const answer = answerOf(first);
  return answer && isRedirect(answer) ? [first, ask(again(probe))] : [first];
};

export const observation = (asks: string, sends: string, observed: string, use: string): Explanation => ({
  asks: `${asks} The contract leaves it open, so it is only observed.`,
  sends,
  judged: `Always observed: ${observed} It cannot fail, and weighs nothing in the verdict.`,
  causes: 'Nothing here is a failure.',
  fixes: use,
});

/** Id of the fact about how a key is answered after it has ended. */
export const endedKeyFactId = 'ended-key';

/** The fact about how a key is answered after it has ended. */
export const endedKeyFact = (reads: readonly [Exchange, ...Exchange[]]): SeenFact =>
  seenFact({
    gap: 'GAP-KEY-LIFE',
    id: endedKeyFactId,
    words: `With a key that has ended: ${summaryOf(reads[0])}.`,
    reads,
    shows: (answer, exchange) => (isSuccess(answer) ? answerValue(answer) : refusalValue(answer, exchange)),
  });
