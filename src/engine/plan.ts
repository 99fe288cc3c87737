import type { Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { isUnsafe } from '../contract/why-not-probed.js';
import { wildcard } from '../names.js';
import { asOpened } from '../rules/identities/identity-views.js';
import { rules as shippedRules } from '../rules/index.js';
import type { Deployment, OperationRule, OperationSubject, Rule, Subject } from '../rules/rule.js';
import { because } from '../rules/support/judgement.js';
import { isAskedWithKey, subjectFor } from '../rules/support/subjects.js';
import { type Check, OperationCheck, type ProbingRule, ServiceCheck, UnprobedCheck } from './planned-check.js';
import { inventedFor, madeUpFor } from './values/recording.js';

export type { Check, PlannedCheck } from './planned-check.js';

/** The plan of a run: every rule applied to the contract, and the choice among the checks. */

export interface Plan {
  /** In the order of the rules, operation by operation. */
  readonly checks: readonly Check[];
  readonly subjects: readonly OperationSubject[];
}

export interface PlanOptions {
  /** Selected checks; all when absent. */
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
      if (rule.scope !== 'operation' || (isUnsafe(each.operation.method) && rule.asksUnsafe !== true)) return [];
      const { keyless } = each.operation;
      if (keyless !== undefined && rule.asksKeyless !== true) return [];
      if (keyless?.cause === 'changes-something' && rule.asksUnsafe !== true) return [];
      const asked = rule.overPlainHttp ? overPlainHttp(rule, each) : each;
      const applies = asked ? rule.appliesTo(asked) : overTlsAlone;
      return applies === false ? [] : [new OperationCheck(rule, applies, asked ?? each)];
    }),
  );
  const all = [...service, ...perOperation, ...unjudged(contract, { relevant, probing })];
  return {
    subjects,
    checks: only === undefined ? all : all.filter((one) => isSelected(only, one)),
  };
};

const overTlsAlone =
  'Its path holds a value that was read from the service. It is sent over HTTPS alone, and no made-up value can stand for it over plain HTTP.';

/**
 * The operation as it may be asked over plain HTTP: made-up values stand for those that were read
 * from the service. `undefined` if the rule compares with what the key opens, and for a public
 * operation: it is compared with what everybody gets, which a made-up value does not give.
 */
const overPlainHttp = ({ asksKeyless }: OperationRule, subject: OperationSubject): OperationSubject | undefined => {
  const { operation, deployment } = subject;
  const { access, path, placeholders, withoutReadValues } = operation;
  if (placeholders === undefined) return subject;
  if (asksKeyless !== true) return undefined;
  if (!withoutReadValues || access !== 'protected') return undefined;
  const texts = inventedFor(withoutReadValues.missing, deployment.seed, path);
  const filled = withoutReadValues.fill(new Map(Object.entries(texts)));
  if (!filled) return undefined;
  return subjectFor(subject, { ...filled, keyless: madeUpFor(filled, Object.keys(texts)) });
};

/** All rules that send requests, and those of them about a gap or a clause of the contract. */
interface PlannedRules {
  readonly probing: readonly ProbingRule[];
  readonly relevant: readonly ProbingRule[];
}

/**
 * Checks that report what cannot be judged, so that it does not look as if it held. If nothing can
 * be probed, every read is reported (every operation, if there is no read). If no protected
 * operation can be read with a key, every protected operation is reported. Otherwise the unprobed
 * operations are only listed. OPTIONS is ignored, since servers usually answer it without a key.
 */
const unjudged = (contract: Contract, asked: PlannedRules): readonly Check[] => {
  const { operations, unprobed } = contract;
  if (operations.length === 0) {
    const reads = unprobed.filter(({ method }) => !isUnsafe(method));
    return (reads.length > 0 ? reads : unprobed).flatMap((operation) =>
      leftOut(operation, asked, { others: 'nor was any other operation', contract }),
    );
  }
  const locked = operations.filter(({ access }) => access === 'protected');
  if (locked.some(isAskedWithKey)) return [];
  const keyless = locked.filter((operation) => operation.keyless !== undefined);
  return unprobed
    .filter((operation) => isLocked(operation) && (locked.length === 0 || !isUnsafe(operation.method)))
    .flatMap((operation) =>
      leftOut(operation, asked, { others: 'nor was any other operation that needs a key', contract }),
    )
    .concat(keyless.flatMap((operation) => checksWithoutKey(operation, asked, contract)));
};

/** The checks of an operation that gets no key, and so cannot show how keys are treated. */
const checksWithoutKey = (operation: Operation, { relevant }: PlannedRules, contract: Contract): readonly Check[] =>
  relevant
    .filter((rule) => rule.unprobed?.access === 'protected' && !(rule.scope === 'operation' && rule.asksKeyless))
    .flatMap((rule) => {
      const { id, keyless } = operation;
      if (!keyless) return [];
      const reason = `No key was sent to it, nor to any other operation: ${keyless.why}. ${keyless.advice}`;
      return [new UnprobedCheck(rule, id, { by: rule, cause: because(keyless.cause), reason }, contract)];
    });

const isLocked = ({ access, method }: UnprobedOperation): boolean => access === 'protected' && method !== 'OPTIONS';
const isOpen = ({ access, method }: UnprobedOperation): boolean => access === 'public' && method !== 'OPTIONS';

/**
 * The checks that an unprobed operation would have had. If no clause applies, or its access is not
 * stated, it gets only the checks that every operation has.
 */
const leftOut = (
  operation: UnprobedOperation,
  { relevant, probing }: PlannedRules,
  { others, contract }: { readonly others: string; readonly contract: Contract },
): readonly Check[] => {
  const access = isLocked(operation) ? 'protected' : isOpen(operation) ? 'public' : undefined;
  const asked = relevant.filter(({ unprobed }) => unprobed !== undefined && unprobed.access === access);
  const first = asked.find(({ unprobed }) => unprobed?.givesReason) ?? asked[0];
  const checks = first ? asked : probing.filter(({ unprobed }) => unprobed?.access === 'any');
  const says = { cause: because('not-probed'), reason: `It was not probed, ${others}. ${operation.reason}` };
  return checks.map((rule) => new UnprobedCheck(rule, operation.id, { by: first ?? rule, ...says }, contract));
};

/** Which checks to plan: selectors of which at least one has to match, or a predicate. */
export type Selection = readonly string[] | ((check: Selectable) => boolean);

export const isSelected = (only: Selection, one: Selectable): boolean =>
  typeof only === 'function' ? only(one) : only.some((selector) => selects(selector, one));

/** The members of a check that selectors match. */
export interface Selectable {
  readonly id: string;
  readonly operation: string;
  readonly rule: Pick<Rule, 'id' | 'clauses' | 'gaps'>;
}

/**
 * Whether a selector matches: `AUTH-3`, `refuses-missing-key`, either of them with the operation
 * (`AUTH-3@listWorkouts`), or the operation alone (`@listWorkouts`). `*` matches any characters.
 */
export const selects = (selector: string, { id, rule, operation }: Selectable): boolean => {
  const pattern = wildcard(selector, 'is');
  const ofRule = [rule.id, ...rule.clauses, ...(rule.gaps ?? [])];
  const names = [id, ...['', ...ofRule].map((name) => `${name}@${operation}`), ...ofRule];
  return names.some((name) => pattern.test(name));
};
