import type { Operation, SourcePosition } from '../contract/model.js';
import type { Exchange, Probe, Response } from '../wire/types.js';
import { because, type Cause, onCheck, onControl } from './causes.js';
import { contentFor, describesBodies, isJson, isMediaRange, responseFor } from './described.js';
import { blocked, excluded, failed, inconclusive, observed, passed } from './judgements.js';
import { answerOf, header, isUnavailable } from './oracle/answers.js';
import { anonymousControls, keyedControl, keyedControls } from './oracle/controls.js';
import { isSame } from './oracle/same.js';
import { ownWay } from './own-way.js';
import { isArmed, read } from './probes.js';
import type { Judgement, Look, OperationRule, OperationSubject } from './rule.js';

/**
 * DOC-1 and DOC-2, for documents that state responses: the answer to the request that the document promises to serve, with
 * the credentials it asks for. What a client gets that is refused is not theirs to judge.
 */

/** The documented request: with the key where one is asked for, else with nothing. `undefined` where it cannot be sent. */
export const documentedRead = (subject: OperationSubject, round = 1): Probe | undefined => {
  if (subject.operation.access === 'public')
    return read(subject, { name: 'with nothing sent', credential: 'none', round });
  return subject.operation.access === 'protected' && isArmed(subject) ? keyedControl(subject, round) : undefined;
};

const probes = (subject: OperationSubject): readonly Probe[] => [
  ...anonymousControls(subject),
  ...(subject.operation.access === 'protected' && isArmed(subject) ? keyedControls(subject) : []),
];

interface Served {
  readonly first: Exchange;
  /** Asked for only where the first answer does not do. */
  readonly second: () => Exchange;
  readonly comparedWith: readonly Exchange[];
}

/** The answer to the documented request, or the judgement where there is none to look at. */
const served = (look: Look, subject: OperationSubject): Served | Judgement => {
  const { operation } = subject;
  if (operation.access === 'protected') {
    const way = ownWay(look, subject);
    if (way.state === 'open') {
      const [first, second] = way.controls.keyed;
      return { first, second: () => second, comparedWith: [way.controls.missing] };
    }
    const words = 'The documented request did not open the operation, so there is no answer to look at.';
    return blocked(because('key-opens-nothing'), words, [], {
      blockedBy: [onControl(operation.id)],
      comparedWith: 'all' in way.controls ? way.controls.all : way.controls,
    });
  }
  const probe = documentedRead(subject);
  if (!probe) return excluded('The document does not say whether it needs credentials.');
  const first = look(probe);
  const [, ...nothing] = look.all(anonymousControls(subject).slice(0, 3));
  const answer = answerOf(first);
  const refuses = !answer || answer.status === 429 || isUnavailable(answer) || answer.status >= 520;
  const nowhere = nothing.some((other) => {
    const response = answerOf(other);
    return answer !== undefined && response !== undefined && isSame(answer, response);
  });
  if (refuses || nowhere || (answer.status >= 300 && answer.status < 500 && !responseFor(operation, answer.status)))
    return blocked(
      because('undocumented-answer', answer?.status ?? first.attempts.at(-1)?.error?.code, nowhere ? 'missing' : ''),
      `The documented request was answered with ${answer?.status ?? first.attempts.at(-1)?.error?.code ?? 'nothing'}${nowhere ? ', as a path that does not exist is' : ''}: not what the document describes the answer of.`,
      [first],
      { blockedBy: [onCheck('opens-without-credentials', operation.id)], comparedWith: nothing },
    );
  return {
    first,
    second: () => look({ ...probe, round: 2 }),
    comparedWith: nothing,
  };
};

/** How one answer fits the document. */
type Fit =
  | { readonly state: 'fits'; readonly reason: string; readonly note?: string }
  | { readonly state: 'silent'; readonly reason: string }
  /** The document leaves it open, so that it is worth telling and nothing to judge. */
  | { readonly state: 'open'; readonly reason: string }
  | { readonly state: 'unclear'; readonly cause: Cause; readonly reason: string }
  | {
      readonly state: 'differs';
      readonly cause: Cause;
      readonly reason: string;
      readonly expected: string;
      readonly seen: string;
    };

type FitOf = (subject: OperationSubject, answer: Response) => Fit;

const judged =
  (fitOf: FitOf) =>
  (look: Look, subject: OperationSubject): Judgement => {
    const found = served(look, subject);
    if ('outcome' in found) return found;
    const { first, second, comparedWith } = found;
    const answer = answerOf(first);
    if (!answer) throw new TypeError('a served exchange has an answer');
    const fit = fitOf(subject, answer);
    if (fit.state === 'silent') return excluded(fit.reason);
    if (fit.state === 'open') return observed(fit.reason, [first], { comparedWith });
    if (fit.state === 'unclear') return inconclusive(fit.cause, fit.reason, [first], { comparedWith });
    if (fit.state === 'fits') {
      const { reason, note } = fit;
      return passed(reason, [first], { ...(note === undefined ? {} : { note }), comparedWith });
    }
    const repeated = second();
    const answerAgain = answerOf(repeated);
    const again = answerAgain && fitOf(subject, answerAgain);
    if (again?.state !== 'differs')
      return inconclusive(
        because('changes-between-tries', ...(fit.cause.values ?? [])),
        `${fit.reason} A second read did not show it again.`,
        [first, repeated],
        { comparedWith },
      );
    return failed(fit.cause, fit.reason, [first, repeated], { expected: fit.expected, seen: fit.seen, comparedWith });
  };

export const lineOf = ({ file, line }: SourcePosition): string => `${file}:${line}`;

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
  // A document that forgets the success of a read cannot be kept by any service that serves it.
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

const withoutContent = new Set([204, 205, 304]);

const bodyFit: FitOf = ({ operation }, answer) => {
  const { status, facts } = answer;
  const response = responseFor(operation, status);
  if (!response) return { state: 'silent', reason: `The document says nothing of a body with status ${status}.` };
  const at = lineOf(response.position);
  if (response.content.length === 0 || withoutContent.has(status))
    return { state: 'silent', reason: `The document describes no body for ${status} (${at}).` };
  const listed = response.content.map(({ mediaType }) => mediaType).join(', ');
  const { mediaType } = facts;
  if (facts.kind === 'empty' && mediaType === '')
    return {
      state: 'differs',
      cause: because('undocumented-body', 'empty', at),
      reason: `The body is empty, and the document describes ${listed} (${at}).`,
      expected: listed,
      seen: 'no body',
    };
  if (mediaType === '')
    return {
      state: 'unclear',
      cause: because('body-not-compared', 'no-media-type', at),
      reason: `The body came without Content-Type, and the document describes ${listed} (${at}).`,
    };
  const described = contentFor(response, header(answer, 'content-type') ?? mediaType);
  if (!described) {
    const unreadable = response.content.find(({ mediaType: name }) => !isMediaRange(name));
    if (unreadable)
      return {
        state: 'unclear',
        cause: because('body-not-compared', mediaType, at),
        reason: `Answered as ${mediaType}; the document describes ${listed} (${at}), and ${JSON.stringify(unreadable.mediaType)} is no media type.`,
      };
    // We ask for JSON first, and who negotiates gives what we ask for.
    if (mediaType === 'application/json')
      return {
        state: 'unclear',
        cause: because('body-not-compared', mediaType, at),
        reason: `Answered as application/json, which the requests ask for; the document describes ${listed} (${at}).`,
      };
    return {
      state: 'differs',
      cause: because('undocumented-body', mediaType, at),
      reason: `Answered as ${mediaType}, and the document describes ${listed} (${at}).`,
      expected: listed,
      seen: mediaType,
    };
  }
  if ('several' in described)
    return {
      state: 'unclear',
      cause: because('body-not-compared', mediaType, at),
      reason: `Answered as ${mediaType}, and by its parameters it is none or more than one of those that the document describes: ${listed} (${at}).`,
    };
  const line = lineOf(described.position);
  const inspection = answer.documented?.[operation.id];
  if (!isJson(mediaType) || !inspection)
    return { state: 'fits', reason: `Answered as ${mediaType}, which the document describes (${line}).` };
  const { verdict, pointer = '', message = '' } = inspection;
  const where = pointer === '' ? 'The body' : `In the body, ${pointer}`;
  if (verdict === 'unclear')
    return {
      state: 'unclear',
      cause: because('body-not-compared', pointer, line),
      reason: `${where} ${message}, so it was not held against ${line}.`,
    };
  if (verdict === 'fits')
    return {
      state: 'fits',
      reason: `Answered as ${mediaType}${described.schema === undefined ? '' : ', and the body fits its schema'} (${line}).`,
      ...(message === '' ? {} : { note: `${where} ${message}.` }),
    };
  return {
    state: 'differs',
    cause: because('undocumented-body', pointer, line),
    reason: `${where} ${message} (${line}).`,
    expected: `a body as ${line} describes it`,
    seen: `${pointer === '' ? 'the body' : pointer} ${message}`,
  };
};

/** A document whose only word is `default` lists every status, so it lists none. */
export const documentedStatus: OperationRule = {
  scope: 'operation',
  id: 'documented-status',
  clauses: ['DOC-1'],
  title: 'answers with a documented status',
  stage: 'keyed',
  appliesTo: ({ operation }) =>
    operation.access !== 'unstated' && operation.responses.some(({ status }) => status !== 'default'),
  probes,
  judge: judged(statusFit),
};

export const documentedBody: OperationRule = {
  scope: 'operation',
  id: 'documented-body',
  clauses: ['DOC-2'],
  title: 'answers with a documented body',
  stage: 'keyed',
  appliesTo: ({ operation }) => operation.access !== 'unstated' && describesBodies(operation),
  probes,
  judge: judged(bodyFit),
};
