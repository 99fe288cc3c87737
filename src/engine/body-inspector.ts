import type { BodyChecker } from '../contract/body-checker.js';
import type { BodyFit } from '../contract/body-validator.js';
import type { Contract, Operation } from '../contract/model.js';
import { documentedRead } from '../rules/documented-response/documented-response-rule.js';
import { contentFor, describesBodies, isJson, responseFor } from '../rules/documented-response/response-description.js';
import type { Deployment, OperationSubject } from '../rules/rule.js';
import { requestWithoutKey } from '../rules/support/requests.js';
import type { Inspect, InspectedAnswer } from '../wire/answer-reader.js';
import { isPlainName } from '../wire/body-shape.js';
import { parsed } from '../wire/partial-json.js';
import { type BodyInspection, type Probe, probeIdentity } from '../wire/types.js';
import { maskedPointer } from './values/rows.js';

/** Checks bodies against the document's schemas when they arrive, since judges never see a body. */

interface BodyDifference {
  readonly pointer: string;
  readonly message: string;
  readonly member?: string | undefined;
}

/** Names the member only if it has a plain name. Any other name may be data. */
const masked = ({ pointer, message, member }: BodyDifference): Pick<BodyDifference, 'pointer' | 'message'> => ({
  pointer: maskedPointer(pointer),
  message: member !== undefined && isPlainName(member) ? `${message} ("${member}")` : message,
});

const inspectionOf = (fit: BodyFit): BodyInspection => {
  if (fit.verdict === 'differs') {
    const { isNull, schema, more = [] } = fit;
    return {
      verdict: 'differs',
      ...masked(fit),
      ...(isNull ? { isNull } : {}),
      ...(schema === undefined ? {} : { schema }),
      ...(more.length > 0 ? { more: more.map(masked) } : {}),
    };
  }
  return fit.pointer === undefined ? fit : { ...fit, pointer: maskedPointer(fit.pointer) };
};

/**
 * Whether a body is several JSON texts, one per line. A media type that ends with `+json` may be
 * defined so, as `application/stream+json` is.
 */
const isSequence = (mediaType: string, text: string): boolean =>
  mediaType.endsWith('+json') &&
  text
    .trim()
    .split(/[\n\r]+/)
    .every((line) => parsed(line) !== undefined);

const inspectBody = async (
  { operation }: OperationSubject,
  { status, mediaType, contentType, whole, text }: InspectedAnswer,
  checker: BodyChecker,
): Promise<BodyInspection | undefined> => {
  const response = responseFor(operation, status);
  const described = response && contentFor(response, contentType);
  if (!described || 'several' in described || !isJson(mediaType)) return undefined;
  if (!whole)
    return { verdict: 'unclear', message: 'was not read to its end, since it is too long, does not end or is damaged' };
  const json = text();
  if (json.trim() === '') return { verdict: 'differs', pointer: '', message: 'is empty, which is no JSON' };
  const fit = await checker.check(described, json);
  if (fit !== 'no-json') return inspectionOf(fit);
  if (isSequence(mediaType, json))
    return described.schema === undefined
      ? { verdict: 'fits' }
      : { verdict: 'unclear', message: 'consists of several JSON texts' };
  return /^\s*(?:\)\]\}'|[\w$.]+\()/.test(json)
    ? { verdict: 'unclear', message: 'has something in front of its JSON' }
    : { verdict: 'differs', pointer: '', message: 'is no JSON' };
};

/** The requests whose answers the document describes. */
const inspectedReads = (subject: OperationSubject, round: number): readonly Probe[] => {
  const read = documentedRead(subject, round);
  const refuses = subject.operation.responses.some(({ refusal }) => refusal === true);
  return [...(read ? [read] : []), ...(refuses ? [requestWithoutKey(subject, { round })] : [])];
};

export interface Inspector {
  readonly inspect: Inspect;
  readonly add: (operation: Operation) => void;
}

/**
 * Creates the inspector of the bodies that a contract documents; `undefined` where it documents
 * none. After `signal` is aborted, inspections are unclear.
 */
export const createInspector = async (
  contract: Contract,
  deployment: Deployment,
  signal?: AbortSignal,
): Promise<Inspector | undefined> => {
  const described = contract.operations.filter(describesBodies);
  if (described.length === 0 && contract.unprobed.every(({ fillable }) => fillable === undefined)) return undefined;
  // Imported on demand: most contracts describe no bodies.
  const { bodyCheckerOf } = await import('../contract/body-checker.js');
  const checker = bodyCheckerOf(contract);
  checker.warm();
  signal?.addEventListener('abort', () => checker.stop(), { once: true });
  const byTarget = new Map<string, OperationSubject[]>();
  const add = (operation: Operation): void => {
    const subject = { contract, deployment, operation };
    for (const probe of inspectedReads(subject, 1)) {
      const name = `${probe.method} ${probe.target}`;
      const others = byTarget.get(name) ?? [];
      if (others.every((each) => each.operation.id !== operation.id)) byTarget.set(name, [...others, subject]);
    }
  };
  for (const operation of described) add(operation);
  const inspect: Inspect = (probe, answer) => {
    if (probe.round > 2 || probe.occasion !== undefined) return undefined;
    const subjects = (byTarget.get(`${probe.method} ${probe.target}`) ?? []).filter((subject) => {
      const identity = probeIdentity(probe);
      return inspectedReads(subject, probe.round).some((own) => probeIdentity(own) === identity);
    });
    return subjects.length > 0 ? inspected(subjects, answer, checker) : undefined;
  };
  return { inspect, add: (operation) => (describesBodies(operation) ? add(operation) : undefined) };
};

const inspected = async (
  subjects: readonly OperationSubject[],
  answer: InspectedAnswer,
  checker: BodyChecker,
): Promise<Readonly<Record<string, BodyInspection>> | undefined> => {
  const found = await Promise.all(
    subjects.map(async (subject) => [subject.operation.id, await inspectBody(subject, answer, checker)] as const),
  );
  const inspected = found.flatMap(([id, inspection]) => (inspection ? [[id, inspection] as const] : []));
  return inspected.length > 0 ? Object.fromEntries(inspected) : undefined;
};
