import type { BodyInspection } from '../wire/types.js';
import { answersFit, type Fit, type FitOf } from './documented-response/documented-response-rule.js';
import {
  contentFor,
  describesBodies,
  isJson,
  isMediaRange,
  responseFor,
} from './documented-response/response-description.js';
import { header } from './oracle/answers.js';
import { defineRule } from './rule.js';
import { because } from './support/causes.js';
import { lineOf } from './support/judgement.js';

const withoutContent = new Set([204, 205, 304]);

export const bodyFit: FitOf = ({ operation }, answer) => {
  const { status, shape } = answer;
  const response = responseFor(operation, status);
  if (!response) return { state: 'silent', reason: `The document says nothing of a body with status ${status}.` };
  const at = lineOf(response.position);
  if (response.content.length === 0 || withoutContent.has(status))
    return { state: 'silent', reason: `The document describes no body for ${status} (${at}).` };
  const listed = response.content.map(({ mediaType }) => mediaType).join(', ');
  const { mediaType } = shape;
  const unclear = (reason: string, what = mediaType, where = at): Fit => ({
    state: 'unclear',
    cause: because('body-not-compared', what, where),
    reason,
  });
  const differs = (what: string, reason: string, seen: string): Fit => ({
    state: 'differs',
    cause: because('undocumented-body', what, at),
    reason,
    expected: listed,
    seen,
  });
  if (shape.kind === 'empty' && mediaType === '')
    return differs('empty', `The body is empty, and the document describes ${listed} (${at}).`, 'no body');
  if (mediaType === '')
    return unclear(
      `The body came without Content-Type, and the document describes ${listed} (${at}).`,
      'no-media-type',
    );
  const described = contentFor(response, header(answer, 'content-type') ?? mediaType);
  if (!described) {
    const unreadable = response.content.find(({ mediaType: name }) => !isMediaRange(name));
    if (unreadable)
      return unclear(
        `Answered as ${mediaType}; the document describes ${listed} (${at}), and ${JSON.stringify(unreadable.mediaType)} is no media type.`,
      );
    // The requests prefer JSON, so content negotiation may explain it.
    if (mediaType === 'application/json')
      return unclear(
        `Answered as application/json, which the requests ask for; the document describes ${listed} (${at}).`,
      );
    return differs(mediaType, `Answered as ${mediaType}, and the document describes ${listed} (${at}).`, mediaType);
  }
  if ('several' in described)
    return unclear(
      `Answered as ${mediaType}, and by its parameters it is none or more than one of those that the document describes: ${listed} (${at}).`,
    );
  const line = lineOf(described.position);
  const inspection = answer.documented?.[operation.id];
  if (!isJson(mediaType) || !inspection)
    return { state: 'fits', reason: `Answered as ${mediaType}, which the document describes (${line}).` };
  const { verdict, pointer = '', message = '', isNull, schema, more = [] } = inspection;
  const where = pointer === '' ? 'The body' : `In the body, ${pointer}`;
  if (verdict === 'unclear')
    return unclear(`${where} ${message}, so it was not checked against ${line}.`, pointer, line);
  if (verdict === 'fits')
    return {
      state: 'fits',
      reason: `Answered as ${mediaType}${described.schema === undefined ? '' : ', and the body fits its schema'} (${line}).`,
      ...(message === '' ? {} : { note: `${where} ${message}.` }),
    };
  return {
    state: 'differs',
    cause: isNull
      ? because('undocumented-body', pointer, line, schema ?? '', 'null')
      : because('undocumented-body', pointer, line, ...(schema === undefined ? [] : [schema])),
    reason: `${where} ${message} (${line}).${moreOf(more)}`,
    expected: `a body as ${line} describes it`,
    seen: `${pointer === '' ? 'the body' : pointer} ${message}`,
  };
};

/** Other values of the body that differ, so that a document can be mended at once. */
const moreOf = (more: NonNullable<BodyInspection['more']>): string =>
  more.length === 0
    ? ''
    : ` Nor do others fit: ${more.map(({ pointer, message }) => `${pointer === '' ? 'the body' : pointer} ${message}`).join('; ')}.`;

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
    sends:
      'Nothing of its own: it looks at the reads that other checks made with the credentials that the document asks for.',
    judged:
      'Failed: another media type than the ones listed for the status, or a body that the schema refuses; the reason names the place in it.',
    causes: [
      'A member is null or missing in practice, and required or not nullable in the document.',
      'The service changed and the document did not.',
    ],
    fixes: 'Bring the two together: generate one from the other, or test them against each other on every change.',
  },
});
