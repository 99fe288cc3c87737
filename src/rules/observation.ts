import type { Exchange } from '../wire/types.js';
import { clip } from '../words.js';
import { observed } from './judgement.js';
import { answerOf, header, isRedirect } from './oracle/answers.js';
import { keyedControl } from './oracle/control-requests.js';
import { canSendKey, requestFor } from './requests.js';
import type { Explanation, Judgement, OperationSubject } from './rule.js';

/** What the contract leaves open is observed and reported. A rule that observes cannot fail. */

export type GapFacts = NonNullable<Judgement['facts']>;

export const observedFacts = (
  gap: string,
  told: readonly (readonly [fact: string, exchange: Exchange])[],
): Judgement => {
  const facts: GapFacts = told.map(([fact, exchange]) => ({ gap, fact, exchanges: [exchange] }));
  return observed(
    facts.map(({ fact }) => fact).join(' ') || 'Nothing to tell.',
    told.map(([, exchange]) => exchange),
    { facts },
  );
};

/** `401 with WWW-Authenticate: Token, application/json`. */
export const summaryOf = (exchange: Exchange): string => {
  const answer = answerOf(exchange);
  if (!answer) return `no answer (${exchange.attempts.at(-1)?.error?.code ?? 'none'})`;
  const challenge = header(answer, 'www-authenticate');
  const location = isRedirect(answer) ? header(answer, 'location') : undefined;
  const parts = [
    `${answer.status}`,
    ...(location === undefined ? [] : [`to ${location}`]),
    ...(challenge === undefined ? [] : [`with WWW-Authenticate: ${clip(challenge, 80)}`]),
    ...(answer.shape.mediaType === '' ? [] : [`as ${answer.shape.mediaType}`]),
  ];
  return parts.join(' ');
};

/** The read that opens an operation: with the key where it asks for one. */
export const ownRead = (subject: OperationSubject) =>
  subject.operation.access === 'protected' && canSendKey(subject)
    ? keyedControl(subject, 1)
    : requestFor(subject, { name: 'with nothing sent', credential: 'none' });

/** The explanation of a rule that observes. */
export const observation = (asks: string, sends: string, told: string, use: string): Explanation => ({
  asks: `${asks} The contract leaves it open, so it is only observed.`,
  sends,
  judged: `Always observed: ${told} It cannot fail, and weighs nothing in the verdict.`,
  causes: 'Nothing here is a failure.',
  fixes: use,
});
