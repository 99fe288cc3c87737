import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import type { Ask, Subject } from '../rule.js';
import { requestWithoutKey, serviceRequest } from './requests.js';

/** The first request of a run, which shows whether the service answers at all. */

/** The request to the base path. */
export const hello = (subject: Subject): Probe =>
  serviceRequest(subject, { name: 'the base path, on a connection of its own', connection: 'fresh' });

/** Maximum number of operations that are asked if the base path is not answered. */
const mostAsked = 3;

/** A few operations, for a server that answers only documented paths. */
const operationReads = (subject: Subject): readonly Probe[] =>
  subject.contract.operations
    .filter(({ method }) => method === 'GET')
    .slice(0, mostAsked)
    .map((operation) => requestWithoutKey({ ...subject, operation }, { connection: 'fresh' }));

/**
 * The request to the base path. If that gets no answer on an accepted connection, the first
 * answered operation: some servers reset or drop what they do not serve.
 */
export const firstAnswered = (ask: Ask, subject: Subject): Exchange => {
  const greeted = ask(hello(subject));
  const { error, tls } = greeted.attempts.at(-1) ?? {};
  if (!tls || !error || error.code === 'certificate') return greeted;
  return ask.all(operationReads(subject)).find(answerOf) ?? greeted;
};
