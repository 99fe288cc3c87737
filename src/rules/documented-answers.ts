import type { MediaTypeSchema, Operation } from '../contract/model.js';
import type { BodyInspection, Exchange, Response } from '../wire/types.js';
import { firstOf } from '../words.js';
import { readWithEnd } from './bypass/bypass.js';
import { answersFit, type FitOf } from './documented-response/documented-response-rule.js';
import {
  contentFor,
  describesBodies,
  isJson,
  isMediaRange,
  responseFor,
} from './documented-response/response-description.js';
import { answerOf, header, saysNothing } from './oracle/answers.js';
import { controlRequests } from './oracle/control-requests.js';
import { usableFor } from './oracle/usable-controls.js';
import { type Ask, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { failedAgain } from './support/follow-up.js';
import { about } from './support/headlines.js';
import {
  atLine,
  because,
  blockedBy,
  excluded,
  failed,
  inconclusive,
  lineOf,
  observed,
  onCheck,
  passed,
} from './support/judgement.js';
import { again, requestWithoutKey } from './support/requests.js';

/** DOC-1 to DOC-3: answers are as the document describes them. */

const promisesSuccess = ({ responses }: Operation): boolean =>
  responses.some(({ status }) => /^(?:2|default$)/.test(status));

const statusFit: FitOf = ({ operation }, exchange, { status }) => {
  const described = responseFor(operation, status);
  if (described)
    return passed(
      `Answered with ${status}, which the document lists${described.status === String(status) ? '' : ` as ${described.status}`}${atLine(lineOf(described.position))}.`,
      [exchange],
    );
  const listed = operation.responses.map((response) => response.status).join(', ');
  const line = lineOf(operation.responses[0]?.position ?? operation.position);
  // If the document omits the success of a read, no service could conform.
  if (status >= 200 && status < 300 && !promisesSuccess(operation))
    return observed(
      `Answered with ${status}; the document lists no success for this operation, only ${listed}${atLine(line)}.`,
      [exchange],
    );
  return failed(
    because('undocumented-status', status, line),
    `Answered with ${status}, and the document lists ${listed}${atLine(line)}.`,
    [exchange],
    { expected: listed, seen: String(status) },
  );
};

/** DOC-1: the status is documented. `default` alone allows every status. */
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
    sends: 'No request of its own: it uses the reads that other checks made with the documented credentials.',
    judged: [
      'Failed: a status that the operation’s responses do not list, neither outright, as a range (2XX), nor by default.',
      'Refusals of requests that the document does not promise to serve are not looked at.',
    ],
    causes: 'The service changed and the document did not, or an error of the service.',
    fixes: 'Add the response to the document, or answer as it says.',
  },
});

const withoutContent = new Set([204, 205, 304]);

const bodyFit: FitOf = ({ operation }, exchange, answer) => {
  const { status, shape } = answer;
  const response = responseFor(operation, status);
  if (!response) return excluded(`The document says nothing of a body with status ${status}.`);
  const at = lineOf(response.position);
  if (response.content.length === 0 || withoutContent.has(status))
    return excluded(`The document describes no body for ${status}${atLine(at)}.`);
  const listed = response.content.map(({ mediaType }) => mediaType).join(', ');
  const { mediaType } = shape;
  const unclear = (reason: string, what = mediaType): Judgement =>
    inconclusive(because('body-not-compared', what, at), reason, [exchange]);
  const differs = (what: string, reason: string, seen: string): Judgement =>
    failed(because('undocumented-body', what, at), reason, [exchange], { expected: listed, seen });
  if (shape.kind === 'empty' && mediaType === '')
    return differs('empty', `The body is empty, and the document describes ${listed}${atLine(at)}.`, 'no body');
  if (mediaType === '')
    return unclear(
      `The body came without Content-Type, and the document describes ${listed}${atLine(at)}.`,
      'no-media-type',
    );
  const described = contentFor(response, header(answer, 'content-type') ?? mediaType);
  if (!described) {
    const unreadable = response.content.find(({ mediaType: name }) => !isMediaRange(name));
    if (unreadable)
      return unclear(
        `Answered as ${mediaType}; the document describes ${listed}${atLine(at)}, and ${JSON.stringify(unreadable.mediaType)} is no media type.`,
      );
    // The requests prefer JSON, so content negotiation may explain it.
    if (mediaType === 'application/json')
      return unclear(
        `Answered as application/json, which the requests ask for; the document describes ${listed}${atLine(at)}.`,
      );
    return differs(
      mediaType,
      `Answered as ${mediaType}, and the document describes ${listed}${atLine(at)}.`,
      mediaType,
    );
  }
  if ('several' in described)
    return unclear(
      `Answered as ${mediaType}, and by its parameters it is none or more than one of those that the document describes: ${listed}${atLine(at)}.`,
    );
  return schemaFit(operation, exchange, answer, described);
};

/** Whether a body of a documented media type fits its schema. */
const schemaFit = (
  { id }: Operation,
  exchange: Exchange,
  { shape: { mediaType }, documented }: Response,
  described: MediaTypeSchema,
): Judgement => {
  const line = lineOf(described.position);
  const inspection = documented?.[id];
  if (!isJson(mediaType) || !inspection)
    return passed(`Answered as ${mediaType}, which the document describes${atLine(line)}.`, [exchange]);
  const { verdict, pointer = '', message = '', isNull, schema, more = [] } = inspection;
  const where = pointer === '' ? 'The body' : `In the body, ${pointer}`;
  if (verdict === 'unclear')
    return inconclusive(
      because('body-not-compared', pointer, line),
      `${where} ${message}, so it was not checked against ${line}.`,
      [exchange],
    );
  if (verdict === 'fits')
    return passed(
      `Answered as ${mediaType}${described.schema === undefined ? '' : ', and the body fits its schema'}${atLine(line)}.`,
      [exchange],
      message === '' ? {} : { note: `${where} ${message}.` },
    );
  return failed(
    isNull
      ? because('undocumented-body', pointer, line, schema ?? '', 'null')
      : because('undocumented-body', pointer, line, ...(schema === undefined ? [] : [schema])),
    `${where} ${message}${atLine(line)}.${moreOf(more)}`,
    [exchange],
    { expected: `a body as ${line} describes it`, seen: `${pointer === '' ? 'the body' : pointer} ${message}` },
  );
};

/** Other values of the body that differ, so that a document can be mended at once. */
const moreOf = (more: NonNullable<BodyInspection['more']>): string => {
  const words = more.map(({ pointer, message }) => `${pointer === '' ? 'the body' : pointer} ${message}`);
  return words.length === 0 ? '' : ` Nor do others fit: ${firstOf(words, mostOthers)}.`;
};

/** Maximum number of them that is reported. */
const mostOthers = 5;

/** DOC-2: the body has the documented media type and fits the schema. */
export const documentedBody = defineRule({
  scope: 'operation',
  id: 'documented-body',
  clauses: ['DOC-2'],
  title: 'answers with a documented body',
  stage: 'keyed',
  appliesTo: ({ operation }) => operation.access !== 'unstated' && describesBodies(operation),
  procedure: answersFit(bodyFit),
  explanation: {
    asks: 'The body has the documented media type, and fits its schema.',
    sends: 'No request of its own: it uses the reads that other checks made with the documented credentials.',
    judged:
      'Failed: another media type than the ones listed for the status, or a body that the schema refuses; the reason names the place in it.',
    causes: [
      'A member is null or missing in practice, and required or not nullable in the document.',
      'The service changed and the document did not.',
    ],
    fixes: 'Bring the two together: generate one from the other, or test them against each other on every change.',
  },
});

const refusalsOf = ({ responses }: Operation) => responses.filter(({ refusal }) => refusal === true);

const refusalFit: FitOf = (subject, exchange, answer) => {
  const refusals = refusalsOf(subject.operation);
  const listed = refusals.map(({ status }) => status).join(', ');
  const at = lineOf(refusals[0]?.position ?? subject.operation.position);
  const range = `${String(answer.status).charAt(0)}XX`;
  const isListed = refusals.some(({ status }) => status === String(answer.status) || status === range);
  if (!isListed && responseFor(subject.operation, answer.status)?.refusal !== true)
    return failed(
      because('undocumented-status', answer.status, at),
      `Without a key it answers ${answer.status}, and the document says ${listed}${atLine(at)}.`,
      [exchange],
      { expected: listed, seen: String(answer.status) },
    );
  const fit = bodyFit(subject, exchange, answer);
  if (fit.outcome === 'failed') return fit;
  const missing = responseFor(subject.operation, answer.status)?.fields?.find(
    (name) => header(answer, name.toLowerCase()) === undefined,
  );
  if (missing === undefined && fit.outcome === 'inconclusive') return fit;
  if (missing === undefined) return passed(`Refused with ${answer.status}, as the document says.`, [exchange]);
  return failed(
    because('undocumented-answer', missing, at),
    `Without a key it answers ${answer.status} without ${missing}, which the document requires${atLine(at)}.`,
    [exchange],
    { expected: missing, seen: `no ${missing}` },
  );
};

const judgeRefusal = (ask: Ask, subject: OperationSubject): Judgement => {
  const first = ask(requestWithoutKey(subject));
  const answer = answerOf(first);
  const opened = usableFor(ask, subject);
  if (opened && readWithEnd(ask, first, opened).verdict === 'granted')
    return blockedBy(
      onCheck('refuses-missing-key', subject.operation.id),
      because('opens-without-key'),
      'It opens without a key, so there is no refusal to look at.',
      [first],
    );
  if (!answer)
    return inconclusive(
      because('no-answer', first.attempts.at(-1)?.error?.code),
      'The request without a key got no answer to look at.',
      [first],
    );
  const fit = refusalFit(subject, first, answer);
  if (fit.outcome !== 'failed') return fit;
  if (saysNothing(answer))
    return inconclusive(
      answer.status === 429 ? because('rate-limit') : because('server-error', answer.status),
      `The request without a key was answered with ${answer.status}, which is no refusal.`,
      [first],
    );
  return failedAgain(
    fit,
    ask(again(requestWithoutKey(subject))),
    (exchange, other) => refusalFit(subject, exchange, other),
    'A second request did not show it again.',
  );
};

/**
 * DOC-3: a documented refusal. Only responses with `x-access-refusal: true` promise how a request
 * without a key is answered; a 401 that is merely listed does not.
 */
export const documentedRefusal = defineRule({
  scope: 'operation',
  id: 'documented-refusal',
  clauses: ['DOC-3'],
  title: 'refuses a request without a key as documented',
  headline: () => about('document', 'refuses/refuse a request without a key otherwise than documented'),
  stage: 'keyed',
  appliesTo: ({ operation }) => operation.access === 'protected' && refusalsOf(operation).length > 0,
  probes: (subject) => [...controlRequests(subject), requestWithoutKey(subject)],
  judge: judgeRefusal,
  explanation: {
    asks: 'A request without a key gets the response that the document marks with x-access-refusal: true.',
    sends: 'No request of its own: it uses the request without a key that other checks made.',
    judged:
      'Failed: another status, another media type, a body that its schema refuses, or a required header field that is missing. Responses without the mark are no promise, and are not looked at.',
    causes: 'The service changed and the document did not.',
    fixes: 'Bring the two together: answer as the document says, or propose the document anew.',
  },
});
