import { memoize, memoizePerObject } from '../../collections.js';
import type { Contract, Operation, SecurityScheme } from '../../contract/model.js';
import { isUnsafe } from '../../contract/why-not-probed.js';
import type { Applies, Deployment, OperationSubject, Subject } from '../rule.js';

/** The operations of a contract at a deployment, and the keys that they can be asked with. */

/** `Authorization`, `the query parameter api_key`, `the cookie session`. */
export const locationOf = ({ in: place, field }: SecurityScheme): string =>
  place === 'header' ? field : `the ${place === 'query' ? 'query parameter' : 'cookie'} ${field}`;

/** Whether all keys of the operation's security requirement were given. */
export const keyAvailable = ({ operation, deployment }: OperationSubject): boolean =>
  operation.security.every(({ setting }) => deployment.keys[setting] !== undefined);

/** Whether a key may be sent where its scheme has it: in the URL only with PROBE_KEY_IN_URL. */
export const mayBeInPlace = ({ in: place }: SecurityScheme, { probeKeyInUrl }: Deployment): boolean =>
  place !== 'query' || probeKeyInUrl;

/** Whether the key would be sent in the URL although PROBE_KEY_IN_URL does not allow it. */
export const keyConfined = ({ operation, deployment }: OperationSubject): boolean =>
  !operation.security.every((scheme) => mayBeInPlace(scheme, deployment));

export const otherSecurityRequirements = memoize((subject: OperationSubject): readonly OperationSubject[] => {
  const { operation } = subject;
  const { alternatives = [] } = operation;
  return alternatives.map((security, index) => ({
    ...subject,
    operation: { ...operation, security, alternatives: [operation.security, ...alternatives.toSpliced(index, 1)] },
  }));
});

/** The schemes of a security requirement: `"bearer" and "tenant"`. */
export const securityRequirementOf = ({ operation }: OperationSubject): string =>
  operation.security.map(({ name }) => `"${name}"`).join(' and ');

/** Whether keys for these schemes meet a security requirement of the operation. */
export const isDocumentedRequirement = ({ operation }: OperationSubject, keyed: readonly SecurityScheme[]): boolean =>
  [operation.security, ...(operation.alternatives ?? [])].some((way) =>
    way.every(({ name }) => keyed.some((scheme) => scheme.name === name)),
  );

const subjectsIn = memoizePerObject((deployment: Deployment) =>
  memoizePerObject((contract: Contract) =>
    memoizePerObject((operation: Operation): OperationSubject => ({ contract, deployment, operation })),
  ),
);

/** An operation as a subject. Returns the same object each time, which caches use as a key. */
export const subjectFor = ({ contract, deployment }: Subject, operation: Operation): OperationSubject =>
  subjectsIn(deployment)(contract)(operation);

const operationsById = memoizePerObject(
  ({ operations }: Contract): ReadonlyMap<string, Operation> =>
    new Map(operations.map((operation) => [operation.id, operation])),
);

export const operationIn = (contract: Contract, id: string): Operation | undefined => operationsById(contract).get(id);

export const protectedReads = memoizePerObject(({ operations }: Contract): readonly Operation[] =>
  operations.filter(({ access, method }) => access === 'protected' && method === 'GET'),
);

const mostRefusals = 2;

export const protectedSubjects = (subject: Subject): readonly OperationSubject[] =>
  protectedReads(subject.contract)
    .slice(0, mostRefusals)
    .map((operation) => subjectFor(subject, operation));

const mostAsked = 50;

const requirementsIn = memoize((contract: Contract): readonly (readonly SecurityScheme[])[] => [
  ...contract.operations
    .filter(({ access }) => access === 'protected')
    .slice(0, mostAsked)
    .map(({ security }) => security),
  ...contract.schemes.map((scheme) => [scheme]),
]);

/** The first security requirement whose keys were given and may be sent. May be empty. */
export const keysOf = (subject: OperationSubject): readonly SecurityScheme[] =>
  requirementsIn(subject.contract).find(
    (security) => security.length > 0 && canSendKey({ ...subject, operation: { ...subject.operation, security } }),
  ) ?? [];

/** The operation's scheme if it needs a single key; else `undefined`. */
export const onlyScheme = (operation: Operation): SecurityScheme | undefined =>
  operation.security.length === 1 ? operation.security[0] : undefined;

/** Whether requests with a key are sent to the operation, if one is given. Writes never get one. */
export const isAskedWithKey = ({ access, keyless, method }: Operation): boolean =>
  access === 'protected' && keyless === undefined && !isUnsafe(method);

export const canSendKey = (subject: OperationSubject): boolean =>
  subject.operation.keyless === undefined &&
  !isUnsafe(subject.operation.method) &&
  keyAvailable(subject) &&
  !keyConfined(subject);

/** Operations that rules apply to. */

export const protectedOperations = ({ operation }: OperationSubject): boolean => operation.access === 'protected';

/** Protected operations, with PROBES=extended only. `what` names what is left out otherwise. */
export const protectedWhenExtended =
  (what: string) =>
  (subject: OperationSubject): Applies =>
    protectedOperations(subject) && (subject.deployment.probes === 'extended' || `PROBES=standard leaves out ${what}.`);
