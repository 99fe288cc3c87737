import type { Probe } from '../../wire/types.js';
import { optionsProbe } from '../bypass/options-request.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { publicOperations } from '../oracle/control-requests.js';
import { isAnswerTo } from '../support/answer-to.js';
import { missingOf } from '../support/targets.js';
import { type ClassifyPlain, classifyPlainHttp } from './classify-plain-http.js';

/**
 * Classifies an answer to OPTIONS over plain HTTP: a redirect to https may exist for GET only.
 *
 * A proxy may answer OPTIONS itself for every client, so a success counts only where it describes
 * the operation: it has content, is that of HTTPS, and neither missing paths nor public operations
 * get it.
 */
export const classifyPlainOptions: ClassifyPlain = (ask, subject, request, exchange) => {
  const plain = classifyPlainHttp(ask, subject, request, exchange);
  const answer = answerOf(exchange);
  if (plain.kind !== 'nothing' || !answer || !isSuccess(answer) || answer.shape.kind === 'empty') return plain;
  const isTheirs = (probe: Probe): boolean => isAnswerTo(ask, ask(probe), answer);
  const https = optionsProbe(subject);
  const others = [
    missingOf(subject, https),
    missingOf(subject, request.probe),
    ...publicOperations(subject).map((operation) => request.forOperation(operation)),
  ];
  return isTheirs(https) && !others.some(isTheirs)
    ? { kind: 'refused-by-api', seen: `${answer.status} to OPTIONS, the API's own answer as over HTTPS` }
    : plain;
};
