import { memoizePerObject } from '../../collections.js';
import type { Contract, Operation, SecurityScheme } from '../../contract/model.js';
import { canSendKey } from '../requests.js';
import type { KeyHolder, OperationSubject } from '../rule.js';
import { holdsOne } from './stated-scopes.js';

/** An operation as an identity asks for it: with its own key, and with ids from its own lists. */
export interface View {
  readonly identity: KeyHolder;
  readonly subject: OperationSubject;
  /** A value of its path is another's: a refusal shows nothing. */
  readonly isForeign: boolean;
}

/** `security` with the settings of an identity; `undefined` where it lacks a key. */
const keyedBy = ({ keys }: KeyHolder, security: readonly SecurityScheme[]): readonly SecurityScheme[] | undefined => {
  if (keys === undefined) return security;
  const own = security.flatMap((scheme) => {
    const setting = keys[scheme.name];
    return setting === undefined ? [] : [{ ...scheme, setting }];
  });
  return own.length === security.length ? own : undefined;
};

/**
 * The security requirement by which an identity asks: one whose scopes it holds before others;
 * `undefined` where it has no key for any.
 */
const securityOf = (identity: KeyHolder, operation: Operation): readonly SecurityScheme[] | undefined => {
  const ways = [operation.security, ...(operation.alternatives ?? [])].flatMap((way) => {
    const keyed = keyedBy(identity, way);
    return keyed ? [keyed] : [];
  });
  return ways.find((way) => holdsOne(operation, identity, way)) ?? ways[0];
};

const parametersIn = ({ path }: Operation): number => path.match(/\{[^{}]*\}/g)?.length ?? 0;

/** The operation with the values that are an identity's own in the place of those of the contract. */
const withOwnValues = (operation: Operation, { values = [] }: KeyHolder): Operation => {
  const placeholders = Object.keys(operation.placeholders ?? {});
  const own = values.filter((value) => placeholders.includes(value.of));
  if (own.length === 0) return operation;
  const fill = (text: string): string =>
    own.reduce((filled, { of, placeholder }) => filled.replaceAll(of, placeholder), text);
  return {
    ...operation,
    target: fill(operation.target),
    headers: operation.headers.map(([name, value]) => [name, fill(value)]),
    placeholders: Object.fromEntries(
      Object.entries(operation.placeholders ?? {}).map(([placeholder, words]) => {
        const value = own.find(({ of }) => of === placeholder);
        return value ? [value.placeholder, words] : [placeholder, words];
      }),
    ),
    readFrom: Object.fromEntries(
      Object.entries(operation.readFrom ?? {}).map(([placeholder, source]) => {
        const value = own.find(({ of }) => of === placeholder);
        return value
          ? [value.placeholder, { operation: value.operation, pointer: value.pointer }]
          : [placeholder, source];
      }),
    ),
  };
};

/** Whether every value in the path of an operation is an identity's own. */
const hasOwnValues = (operation: Operation, { values = [] }: KeyHolder): boolean => {
  const placeholders = Object.keys(operation.placeholders ?? {});
  return (
    parametersIn(operation) <= placeholders.length &&
    placeholders.every((placeholder) => values.some(({ of }) => of === placeholder))
  );
};

/** One operation as an identity asks for it; `undefined` where it has no key for it. */
const operationFor = (operation: Operation, identity: KeyHolder): Operation | undefined => {
  if (operation.access !== 'protected' || operation.keyless !== undefined) return undefined;
  const security = securityOf(identity, operation);
  if (!security) return undefined;
  const { alternatives: _alternatives, ...own } = withOwnValues(operation, identity);
  return { ...own, security };
};

/**
 * The contract as an identity sees it: public operations, and those protected ones that it can ask
 * for with values of its own.
 */
const contractFor = memoizePerObject((identity: KeyHolder) =>
  memoizePerObject((contract: Contract): Contract => {
    if (identity.keys === undefined) return contract;
    return {
      ...contract,
      operations: contract.operations.flatMap((operation) => {
        if (operation.access === 'public') return [operation];
        if (parametersIn(operation) > 0 && !hasOwnValues(operation, identity)) return [];
        return operationFor(operation, identity) ?? [];
      }),
      get schemas() {
        return contract.schemas;
      },
    };
  }),
);

const viewFor = memoizePerObject((identity: KeyHolder) =>
  memoizePerObject((subject: OperationSubject): { readonly view: View | undefined } => {
    if (identity.keys === undefined)
      return { view: canSendKey(subject) ? { identity, subject, isForeign: false } : undefined };
    const contract = contractFor(identity)(subject.contract);
    const operation =
      contract.operations.find(({ id }) => id === subject.operation.id) ?? operationFor(subject.operation, identity);
    if (!operation) return { view: undefined };
    const own = { ...subject, contract, operation };
    const isForeign = parametersIn(subject.operation) > 0 && !hasOwnValues(subject.operation, identity);
    return { view: canSendKey(own) ? { identity, subject: own, isForeign } : undefined };
  }),
);

/** An operation as an identity asks for it; `undefined` where it cannot ask. */
export const viewOf = (subject: OperationSubject, identity: KeyHolder): View | undefined =>
  viewFor(identity)(subject).view;

/** Every identity that can ask for an operation. */
export const viewsOf = (subject: OperationSubject): readonly View[] =>
  (subject.deployment.identities ?? []).flatMap((identity) => viewOf(subject, identity) ?? []);
