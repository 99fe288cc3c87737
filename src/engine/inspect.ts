import type { BodyFit, BodyValidator } from '../contract/body-validator.js';
import type { Contract } from '../contract/model.js';
import { contentFor, describesBodies, isJson, responseFor } from '../rules/described.js';
import { documentedRead } from '../rules/documented.js';
import type { Deployment, OperationSubject } from '../rules/rule.js';
import type { Inspect, InspectedAnswer } from '../wire/answer.js';
import { plainName } from '../wire/facts.js';
import { type BodyInspection, probeIdentity } from '../wire/types.js';

/** Judges never see a body, so it is held against its document's schema when it comes. */

/** Array indices stay, and names that are written like members; whatever else may be data, such as an address used as a name. */
const maskedPointer = (pointer: string): string =>
  pointer
    .split('/')
    .map((part) => (part === '' || /^\d{1,6}$/.test(part) || plainName(part) ? part : '*'))
    .join('/');

const withoutData = (message: string): string =>
  message.replace(/ \("(.*)"\)$/s, (whole, name: string) => (plainName(name) ? whole : ''));

const differs = (pointer: string, message: string): BodyInspection => ({
  verdict: 'differs',
  pointer: maskedPointer(pointer),
  message: withoutData(message),
});

const inspectionOf = (fit: BodyFit): BodyInspection => {
  if (fit.verdict === 'differs') return differs(fit.pointer, fit.message);
  return fit.pointer === undefined ? fit : { ...fit, pointer: maskedPointer(fit.pointer) };
};

const inspectBody = (
  { operation }: OperationSubject,
  { status, mediaType, contentType, whole, text }: InspectedAnswer,
  validate: BodyValidator,
): BodyInspection | undefined => {
  const response = responseFor(operation, status);
  const described = response && contentFor(response, contentType);
  if (!described || 'several' in described || !isJson(mediaType)) return undefined;
  if (!whole) return { verdict: 'unclear', message: 'was too long to be read to its end, or damaged' };
  const json = text();
  if (json.trim() === '') return differs('', 'is empty, which is no JSON');
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    return /^\s*(?:\)\]\}'|[\w$.]+\()/.test(json)
      ? { verdict: 'unclear', message: 'has something in front of its JSON' }
      : differs('', 'is no JSON');
  }
  return inspectionOf(validate(described, body));
};

/** The inspector of a contract's documented bodies; `undefined` where it describes none that can be inspected. */
export const createInspector = async (contract: Contract, deployment: Deployment): Promise<Inspect | undefined> => {
  const described = contract.operations.filter(describesBodies);
  if (described.length === 0) return undefined;
  // Most contracts describe no bodies, and the validator takes a while to load.
  const { createBodyValidator } = await import('../contract/body-validator.js');
  const validate = createBodyValidator(contract);
  const byTarget = new Map<string, OperationSubject[]>();
  for (const operation of described) {
    const subject = { contract, deployment, operation };
    const probe = documentedRead(subject);
    if (!probe) continue;
    const name = `${probe.method} ${probe.target}`;
    byTarget.set(name, [...(byTarget.get(name) ?? []), subject]);
  }
  return (probe, answer) => {
    if (probe.round > 2) return undefined;
    const found = (byTarget.get(`${probe.method} ${probe.target}`) ?? []).flatMap((subject) => {
      const own = documentedRead(subject, probe.round);
      if (!own || probeIdentity(own) !== probeIdentity(probe)) return [];
      const inspection = inspectBody(subject, answer, validate);
      return inspection ? [[subject.operation.id, inspection] as const] : [];
    });
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  };
};
