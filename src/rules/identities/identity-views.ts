import { memoizePerPair } from '../../collections.js';
import type { Contract, Fillable, Operation, SecurityScheme } from '../../contract/model.js';
import type { Deployment, KeyHolder, OperationSubject } from '../rule.js';
import { canSendKey, isAskedWithKey, operationIn } from '../support/subjects.js';
import { accountSource, isAccountPlaceholder } from './account-claims.js';

/** An operation as an identity asks for it: with its own key, and with ids from its own lists. */
export interface IdentityView {
  readonly identity: KeyHolder;
  readonly subject: OperationSubject;
  /** A value in the path belongs to somebody else. A refusal may be due to that. */
  readonly isForeign: boolean;
}

/**
 * Whether an identity holds all scopes of one stated requirement, and has keys for all its schemes.
 * `undefined` if the document states none, or the identity's scopes are not known.
 * @param by only requirements of exactly these schemes
 */
export const holdsOne = (
  { requirements }: Pick<Operation, 'requirements'>,
  { keys, scopes }: KeyHolder,
  by?: readonly SecurityScheme[],
): boolean | undefined => {
  if (requirements === undefined || scopes === undefined) return undefined;
  return requirements.some(
    (stated) =>
      (by === undefined ||
        (by.length === stated.length && by.every(({ name }) => stated.some((one) => one.name === name)))) &&
      stated.every((one) => keys === undefined || keys[one.name] !== undefined) &&
      stated.every((one) => one.scopes.every((scope) => scopes.includes(scope))),
  );
};

/** The requirements in words: `read:workouts, or read:all and admin`. */
export const statedInWords = ({ requirements = [] }: Pick<Operation, 'requirements'>): string =>
  [...new Set(requirements.map((stated) => stated.flatMap(({ scopes }) => scopes).join(' and ') || 'any key'))].join(
    ', or ',
  );

/** The operation as the holder of API_KEY asks for it. */
const documentedOperation = (operation: Operation): Operation => operation.asDocumented ?? operation;

/** The schemes that an identity has keys for, with the settings of its keys. */
const keyedBy = ({ keys }: KeyHolder, security: readonly SecurityScheme[]): readonly SecurityScheme[] =>
  keys === undefined
    ? security
    : security.flatMap((scheme) => {
        const setting = keys[scheme.name];
        return setting === undefined ? [] : [{ ...scheme, setting }];
      });

/**
 * The security requirement that an identity uses: one whose scopes it holds, else any whose keys it
 * has. `undefined` if it has all keys of none.
 */
const securityOf = (identity: KeyHolder, operation: Operation): readonly SecurityScheme[] | undefined => {
  const { security, alternatives = [] } = documentedOperation(operation);
  const ways = (identity.keys === undefined ? [security] : [security, ...alternatives]).flatMap((way) => {
    const keyed = keyedBy(identity, way);
    return keyed.length === way.length ? [keyed] : [];
  });
  return ways.find((way) => holdsOne(operation, identity, way)) ?? ways[0];
};

/** For an identity that has all keys of no requirement: the largest set of keys of one. */
const mostKeysOf = (identity: KeyHolder, operation: Operation): readonly SecurityScheme[] | undefined => {
  const { security, alternatives = [] } = documentedOperation(operation);
  const [part] = [security, ...alternatives].map((way) => keyedBy(identity, way)).sort((a, b) => b.length - a.length);
  return part && part.length > 0 ? part : undefined;
};

const parametersIn = ({ path }: Operation): number => path.match(/\{[^{}]*\}/g)?.length ?? 0;

/** The operation with the identity's own parameter values in place of the contract's. */
const withOwnValues = (operation: Operation, { name, values = [] }: KeyHolder): Operation => {
  const own = values.filter(({ of }) => operation.placeholders?.[of] !== undefined);
  if (own.length === 0) return operation;
  const fill = (text: string): string =>
    own.reduce((filled, { of, placeholder }) => filled.replaceAll(of, placeholder), text);
  const kept = <T>(all: Readonly<Record<string, T>> = {}): readonly (readonly [string, T])[] =>
    Object.entries(all).filter(([placeholder]) => own.every(({ of }) => of !== placeholder));
  return {
    ...operation,
    target: fill(operation.target),
    headers: operation.headers.map(([field, value]) => [field, fill(value)]),
    placeholders: Object.fromEntries([
      ...kept(operation.placeholders),
      ...own.map(
        ({ of, placeholder }) =>
          [
            placeholder,
            isAccountPlaceholder(placeholder)
              ? accountSource(name, true)
              : `${operation.placeholders?.[of]}, as ${name}`,
          ] as const,
      ),
    ]),
    readFrom: Object.fromEntries([
      ...kept(operation.readFrom),
      ...own.flatMap(({ placeholder, operation: source, pointer }) =>
        source === undefined || pointer === undefined ? [] : [[placeholder, { operation: source, pointer }] as const],
      ),
    ]),
  };
};

/** Whether every parameter value in an operation's path is the identity's own. */
const hasOwnValues = (operation: Operation, { values = [] }: KeyHolder): boolean => {
  const placeholders = Object.keys(operation.placeholders ?? {});
  return (
    parametersIn(operation) <= placeholders.length &&
    placeholders.every((placeholder) => values.some(({ of }) => of === placeholder))
  );
};

/** One operation as an identity asks for it, with the given security requirement. */
const operationBy = (operation: Operation, identity: KeyHolder, security: readonly SecurityScheme[]): Operation => {
  const { alternatives: _alternatives, ...own } = withOwnValues(documentedOperation(operation), identity);
  return { ...own, security, asDocumented: documentedOperation(operation) };
};

/** The contract as an identity sees it: what it can ask for with its own values. */
const contractFor = memoizePerPair(
  (identity: KeyHolder, contract: Contract): Contract => ({
    ...contract,
    operations: contract.operations.flatMap((operation) => {
      if (identity.keys === undefined) return [documentedOperation(operation)];
      if (operation.access === 'public') return [operation];
      const security = isAskedWithKey(operation) ? securityOf(identity, operation) : undefined;
      if (!security || !hasOwnValues(documentedOperation(operation), identity)) return [];
      return [operationBy(operation, identity, security)];
    }),
    get schemas() {
      return contract.schemas;
    },
  }),
);

/** Whether the subject is the identity's view already. Then nothing is sent twice. */
const isOwnView = (identity: KeyHolder, { operation: { asker, asDocumented } }: OperationSubject): boolean =>
  asDocumented === undefined ? identity.keys === undefined : asker === identity.name;

/** The identity whose keys the subject sends; `undefined` if IDENTITIES does not name it. */
export const holderOf = (subject: OperationSubject): KeyHolder | undefined =>
  subject.deployment.identities?.find((identity) => isOwnView(identity, subject));

const viewBy =
  (securityFor: (identity: KeyHolder, operation: Operation) => readonly SecurityScheme[] | undefined) =>
  (identity: KeyHolder, subject: OperationSubject): IdentityView | undefined => {
    if (isOwnView(identity, subject)) return canSendKey(subject) ? { identity, subject, isForeign: false } : undefined;
    const contract = contractFor(identity, subject.contract);
    const { id, access } = subject.operation;
    const known = operationIn(contract, id);
    const security = isAskedWithKey(subject.operation) ? securityFor(identity, subject.operation) : undefined;
    if (!known && !security) return undefined;
    const operation = known ?? operationBy(subject.operation, identity, security ?? []);
    const own = { ...subject, contract, operation };
    const isOthers = identity.keys !== undefined || subject.operation.asker !== undefined;
    const isForeign =
      access === 'protected' && isOthers && !hasOwnValues(documentedOperation(subject.operation), identity);
    return canSendKey(own) ? { identity, subject: own, isForeign } : undefined;
  };

const memoized = (make: (identity: KeyHolder, subject: OperationSubject) => IdentityView | undefined) => {
  const made = memoizePerPair((identity: KeyHolder, subject: OperationSubject) => ({ view: make(identity, subject) }));
  return (subject: OperationSubject, identity: KeyHolder): IdentityView | undefined => made(identity, subject).view;
};

/** An operation as an identity asks for it. `undefined` if it has all keys of no requirement. */
export const identityViewOf = memoized(viewBy(securityOf));

/** An operation as an identity asks for it, for which a part of a requirement's keys is enough. */
export const partialViewOf = memoized(
  viewBy((identity, operation) => securityOf(identity, operation) ?? mostKeysOf(identity, operation)),
);

/**
 * An operation as its owner asks for it, with an id that only the owner has. For the holder of
 * API_KEY too, this id is one that no peer lists.
 */
export const ownItemOf = memoized((identity, subject) => {
  const view = identityViewOf(subject, identity);
  if (!view || view.isForeign) return undefined;
  const operation = withOwnValues(view.subject.operation, identity);
  return operation === view.subject.operation ? view : { ...view, subject: { ...view.subject, operation } };
});

/** An owner's operation asked for by another identity. `undefined` if that lacks a key. */
export const askedBy = ({ subject }: IdentityView, identity: KeyHolder): OperationSubject | undefined => {
  const security = securityOf(identity, subject.operation);
  const asked = security && { ...subject, operation: { ...subject.operation, security } };
  return asked && canSendKey(asked) ? asked : undefined;
};

/** The views of all identities that can ask for an operation. */
export const identityViewsOf = (subject: OperationSubject): readonly IdentityView[] =>
  (subject.deployment.identities ?? []).flatMap((identity) => identityViewOf(subject, identity) ?? []);

/** An operation as the holder of API_KEY, or else the first identity that may, asks for it. */
const asOpenedBy = (operation: Operation, { identities = [], keys }: Deployment): Operation => {
  const main = identities.find((identity) => identity.keys === undefined);
  if (!isAskedWithKey(operation) || !main) return operation;
  const mayAsk = (identity: KeyHolder): readonly SecurityScheme[] | undefined => {
    const security = holdsOne(operation, identity) === false ? undefined : securityOf(identity, operation);
    return security?.every(({ setting }) => keys[setting] !== undefined) ? security : undefined;
  };
  if (mayAsk(main)) return operation;
  for (const identity of identities) {
    const security = mayAsk(identity);
    if (security) return { ...operationBy(operation, identity, security), asker: identity.name };
  }
  return operation;
};

/** The contract in which each operation is asked for by an identity that holds its scopes. */
export const asOpened = (contract: Contract, deployment: Deployment): Contract => {
  if (deployment.identities === undefined) return contract;
  // One that is asked for by an identity already keeps its values, and where they were read.
  const open = (operation: Operation): Operation =>
    operation.asker === undefined ? asOpenedBy(documentedOperation(operation), deployment) : operation;
  const opening = ({ missing, fill }: Fillable): Fillable => ({
    missing,
    fill: (values) => {
      const filled = fill(values);
      return filled && open(filled);
    },
  });
  return {
    ...contract,
    operations: contract.operations.map((operation) => {
      const { exampled } = operation;
      return exampled ? { ...open(operation), exampled: opening(exampled) } : open(operation);
    }),
    unprobed: contract.unprobed.map((operation) => {
      const { fillable } = operation;
      return fillable ? { ...operation, fillable: opening(fillable) } : operation;
    }),
    get schemas() {
      return contract.schemas;
    },
  };
};
