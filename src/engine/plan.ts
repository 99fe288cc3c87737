import type { Contract } from '../contract/model.js';
import { rules } from '../rules/index.js';
import type { Deployment, Judgement, Look, OperationSubject, Rule, Stage, Subject } from '../rules/rule.js';
import type { Probe } from '../wire/types.js';

/** A rule applied to one operation or to the whole service. */
export interface Check {
  readonly id: string;
  readonly rule: Rule;
  /** Operation id or `service`. */
  readonly operation: string;
  readonly stage: Stage;
  /** Set where the check is left out on purpose. */
  readonly excluded?: string;
  readonly probes: () => readonly Probe[];
  readonly judge: (look: Look) => Judgement;
}

export interface Plan {
  /** In the order of the contract's clauses, operation by operation. */
  readonly checks: readonly Check[];
  readonly subjects: readonly OperationSubject[];
}

/** Which checks to plan: selectors of which one has to fit, or a test. */
export type Selection = readonly string[] | ((check: Selectable) => boolean);

/** Applies every rule to the contract; `undefined` selects everything. */
export const planOf = (contract: Contract, deployment: Deployment, only?: Selection): Plan => {
  const subject: Subject = { contract, deployment };
  const clauses = new Set(contract.clauses.map(({ id }) => id));
  const relevant = rules.filter((rule) => rule.clauses.length === 0 || rule.clauses.some((id) => clauses.has(id)));
  const subjects = contract.operations.map((operation) => ({ ...subject, operation }));
  const service = relevant.flatMap((rule): Check[] => {
    if (rule.scope !== 'service') return [];
    const applies = rule.appliesTo(subject);
    return applies === false
      ? []
      : [
          check(
            rule,
            'service',
            applies,
            () => rule.probes(subject),
            (look) => rule.judge(look, subject),
          ),
        ];
  });
  const perOperation = subjects.flatMap((each) =>
    relevant.flatMap((rule): Check[] => {
      if (rule.scope !== 'operation') return [];
      const applies = rule.appliesTo(each);
      return applies === false
        ? []
        : [
            check(
              rule,
              each.operation.id,
              applies,
              () => rule.probes(each),
              (look) => rule.judge(look, each),
            ),
          ];
    }),
  );
  const all = [...service, ...perOperation];
  return {
    subjects,
    checks: only === undefined ? all : all.filter((one) => isSelected(only, one)),
  };
};

const check = (
  rule: Rule,
  operation: string,
  applies: true | string,
  probes: Check['probes'],
  judge: Check['judge'],
): Check => ({
  id: `${rule.id}@${operation}`,
  rule,
  operation,
  stage: rule.stage,
  ...(applies === true ? {} : { excluded: applies }),
  probes,
  judge,
});

const isSelected = (only: Selection, one: Selectable): boolean =>
  typeof only === 'function' ? only(one) : only.some((selector) => selects(selector, one));

/** What a selector looks at. */
export interface Selectable {
  readonly id: string;
  readonly operation: string;
  readonly rule: Pick<Rule, 'id' | 'clauses' | 'gaps'>;
}

/** `AUTH-3`, `refuses-missing-key`, `refuses-missing-key@listWorkouts`, `@listWorkouts`; `*` stands for any characters. */
export const selects = (selector: string, { id, rule, operation }: Selectable): boolean => {
  const pattern = new RegExp(
    `^${selector
      .split('*')
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*')}$`,
    'is',
  );
  const names = [id, rule.id, `@${operation}`, ...rule.clauses, ...(rule.gaps ?? [])];
  return names.some((name) => pattern.test(name));
};
