import type { Operation } from '../contract/model.js';
import { answersFit, type FitOf } from './documented-response/documented-response-rule.js';
import { responseFor } from './documented-response/response-description.js';
import { defineRule } from './rule.js';
import { because } from './support/causes.js';
import { lineOf } from './support/judgement.js';

const promisesSuccess = ({ responses }: Operation): boolean =>
  responses.some(({ status }) => /^(?:2|default$)/.test(status));

const statusFit: FitOf = ({ operation }, { status }) => {
  const described = responseFor(operation, status);
  if (described)
    return {
      state: 'fits',
      reason: `Answered with ${status}, which the document lists${described.status === String(status) ? '' : ` as ${described.status}`} (${lineOf(described.position)}).`,
    };
  const listed = operation.responses.map((response) => response.status).join(', ');
  // If the document omits the success of a read, no service could conform.
  if (status >= 200 && status < 300 && !promisesSuccess(operation))
    return {
      state: 'open',
      reason: `Answered with ${status}; the document lists no success for this operation, only ${listed} (${lineOf(operation.responses[0]?.position ?? operation.position)}).`,
    };
  const line = lineOf(operation.responses[0]?.position ?? operation.position);
  return {
    state: 'differs',
    cause: because('undocumented-status', status, line),
    reason: `Answered with ${status}, and the document lists ${listed} (${line}).`,
    expected: listed,
    seen: String(status),
  };
};

/**
 * DOC-1: the status is documented. A document that lists only `default` allows every status, so it
 * is not judged.
 */
export const documentedStatus = defineRule({
  scope: 'operation',
  id: 'documented-status',
  clauses: ['DOC-1'],
  title: 'answers with a documented status',
  stage: 'keyed',
  appliesTo: ({ operation }) =>
    operation.access !== 'unstated' && operation.responses.some(({ status }) => status !== 'default'),
  procedure: answersFit(statusFit),
  explanation: {
    asks: 'An answer to a request that the document promises to serve has one of the statuses that it lists.',
    sends:
      'Nothing of its own: it looks at the reads that other checks made with the credentials that the document asks for.',
    judged: [
      'Failed: a status that the operation’s responses do not list, neither outright, as a range (2XX), nor by default.',
      'Refusals of requests that the document does not promise to serve are not looked at.',
    ],
    causes: 'The service changed and the document did not, or an error of the service.',
    fixes: 'Add the response to the document, or answer as it says.',
  },
});
