import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import type { Ask, Subject } from '../rule.js';
import { requestWithoutKey, serviceRequest } from './requests.js';

/** The first request of a run, which shows whether the service answers at all. */

/** The request to the base path. */
export const hello = (subject: Subject): Probe =>
  serviceRequest(subject, { name: 'the base path, on a connection of its own', connection: 'fresh' });

/** Maximum number of operations that are asked if the base path is reset. */
const mostAsked = 3;

/** A few operations, for a server that answers only documented paths. */
const operationReads = (subject: Subject): readonly Probe[] =>
  subject.contract.operations
    .filter(({ method }) => method === 'GET')
    .slice(0, mostAsked)
    .map((operation) => requestWithoutKey({ ...subject, operation }, { connection: 'fresh' }));

/** The request to the base path; if that is reset, the first answered operation. */
export const firstAnswered = (ask: Ask, subject: Subject): Exchange => {
  const greeted = ask(hello(subject));
  const { error, tls } = greeted.attempts.at(-1) ?? {};
  if (!tls || error?.code !== 'reset') return greeted;
  return ask.all(operationReads(subject)).find(answerOf) ?? greeted;
};
