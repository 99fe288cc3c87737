import type { Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { isUnsafe } from '../rules/bypass/unsafe-operation.js';
import { asOpened } from '../rules/identities/views.js';
import { rules as shippedRules } from '../rules/index.js';
import type { Deployment, OperationRule, OperationSubject, Rule, Subject } from '../rules/rule.js';
import { subjectFor } from '../rules/support/subjects.js';
import { type Check, OperationCheck, type ProbingRule, ServiceCheck, UnprobedCheck } from './planned-check.js';
import { isSelected, type Selection } from './selection.js';

export type { Check, PlannedCheck } from './planned-check.js';

export interface Plan {
  /** In the order of the contract's clauses, operation by operation. */
  readonly checks: readonly Check[];
  readonly subjects: readonly OperationSubject[];
}

/** What is planned. */
export interface PlanOptions {
  /** Everything when absent. */
  readonly only?: Selection | undefined;
  /** The shipped rules when absent. */
  readonly rules?: readonly Rule[] | undefined;
}

/** Applies every rule to the contract. */
export const planOf = (
  document: Contract,
  deployment: Deployment,
  { only, rules = shippedRules }: PlanOptions = {},
): Plan => {
  const contract = asOpened(document, deployment);
  const probing = rules.filter((rule) => rule.scope !== 'key-page');
  const subject: Subject = { contract, deployment };
  const clauses = new Set(contract.clauses.map(({ id }) => id));
  const relevant = probing.filter((rule) => rule.clauses.length === 0 || rule.clauses.some((id) => clauses.has(id)));
  const subjects = contract.operations.map((operation) => subjectFor(subject, operation));
  const service = relevant.flatMap((rule): Check[] => {
    if (rule.scope !== 'service') return [];
    const applies = rule.appliesTo(subject);
    return applies === false ? [] : [new ServiceCheck(rule, applies, subject)];
  });
  const perOperation = subjects.flatMap((each) =>
    relevant.flatMap((rule): Check[] => {
      if (rule.scope !== 'operation' || (isUnsafe(each.operation) && rule.asksUnsafe !== true)) return [];
      if (each.operation.keyless !== undefined && rule.asksKeyless !== true) return [];
      const applies = staysInTls(rule, each.operation) ? rule.appliesTo(each) : overTlsAlone;
      return applies === false ? [] : [new OperationCheck(rule, applies, each)];
    }),
  );
  const all = [...service, ...perOperation, ...unjudged(contract, { relevant, probing })];
  return {
    subjects,
    checks: only === undefined ? all : all.filter((one) => isSelected(only, one)),
  };
};

const overTlsAlone = 'Its path holds a value that was read from the service, which is sent over HTTPS alone.';

const staysInTls = ({ overPlainHttp }: OperationRule, { placeholders }: Operation): boolean =>
  overPlainHttp !== true || placeholders === undefined;

/**
 * All rules whose requests are sent, and those of them that prove a clause of the contract or
 * observe a gap.
 */
interface Asked {
  readonly probing: readonly ProbingRule[];
  readonly relevant: readonly ProbingRule[];
}

/**
 * What cannot be judged is not to read as if it held. A document of which nothing can be probed is
 * judged by none of its operations; one that asks for a key and has no such operation that can be
 * read says nothing that can be looked at of the key. Where one at least is read, the others are
 * only listed. Nobody answers OPTIONS by a key.
 */
const unjudged = (contract: Contract, asked: Asked): readonly Check[] => {
  const { operations, unprobed } = contract;
  if (operations.length === 0)
    return unprobed.flatMap((operation) =>
      leftOut(operation, asked, { others: 'nor was any other operation', contract }),
    );
  const locked = operations.filter(({ access }) => access === 'protected');
  if (locked.some((operation) => !isUnsafe(operation) && operation.keyless === undefined)) return [];
  const keyless = locked.filter((operation) => operation.keyless !== undefined);
  return unprobed
    .filter((operation) => isLocked(operation) && (locked.length === 0 || !isUnsafe(operation)))
    .flatMap((operation) =>
      leftOut(operation, asked, { others: 'nor was any other operation that needs a key', contract }),
    )
    .concat(keyless.flatMap((operation) => withoutKey(operation, asked, contract)));
};

/** What the contract's clauses say of the key is not seen where none is sent. */
const withoutKey = (operation: Operation, { relevant }: Asked, contract: Contract): readonly Check[] =>
  relevant
    .filter((rule) => rule.unprobed?.access === 'protected' && !(rule.scope === 'operation' && rule.asksKeyless))
    .map((rule) => {
      const { id, method, path, access, keyless = '' } = operation;
      const unprobed = { id, method, path, access, why: 'no-value', reason: `No key was sent: ${keyless}.` } as const;
      return new UnprobedCheck(rule, unprobed, {
        cause: rule,
        others: 'nor was any other operation that needs a key',
        contract,
      });
    });

const isLocked = ({ access, method }: UnprobedOperation): boolean => access === 'protected' && method !== 'OPTIONS';
const isOpen = ({ access, method }: UnprobedOperation): boolean => access === 'public' && method !== 'OPTIONS';

/**
 * The checks that an operation would have had. One whose access is not stated, or of which the
 * contract's clauses say nothing, would have had to be there at least.
 */
const leftOut = (
  operation: UnprobedOperation,
  { relevant, probing }: Asked,
  said: { readonly others: string; readonly contract: Contract },
): readonly Check[] => {
  const access = isLocked(operation) ? 'protected' : isOpen(operation) ? 'public' : undefined;
  const asked = relevant.filter(({ unprobed }) => unprobed !== undefined && unprobed.access === access);
  const cause = asked.find(({ unprobed }) => unprobed?.givesReason) ?? asked[0];
  if (cause) return asked.map((rule) => new UnprobedCheck(rule, operation, { ...said, cause }));
  return probing
    .filter(({ unprobed }) => unprobed?.access === 'any')
    .map((rule) => new UnprobedCheck(rule, operation, { ...said, cause: rule }));
};
