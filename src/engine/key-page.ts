import { lazy } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { judgeWalk } from '../rules/key-page/judge-walk.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import type { Judgement, KeyPageRule, Rule } from '../rules/rule.js';
import type { KeyRing } from '../wire/keyring.js';
import type { Exchange, Probe } from '../wire/types.js';
import { isSelected, type Selection } from './plan.js';
import { CheckOfRule, type PlannedCheck } from './planned-check.js';

/** The checks of the key page, and the one visit by which they are judged. */

/** Stands in for an operation id in checks of the key page. */
const keyPageOperation = 'key-page';

interface KeyPageVisit {
  readonly walk: KeyPageRecord;
  /** Requests that tried texts of the page as keys, successful ones first. */
  readonly exchanges: readonly Exchange[];
}

/** What a visit uses of the run. */
interface VisitTools {
  readonly keys: KeyRing;
  readonly send: (probe: Probe) => Promise<Exchange>;
}

/** Visits the key page. Never rejects because of the page. */
export type VisitKeyPage = (tools: VisitTools) => Promise<KeyPageVisit>;

/** How a run judges the key page: by a visit, or not at all for the given reason. */
export type KeyPagePart = { readonly visit: VisitKeyPage } | { readonly excluded: string };

/** Visits the page at most once, when its first check is judged. */
export const visitOnce = (part: KeyPagePart | undefined, tools: VisitTools): (() => Promise<KeyPageVisit>) =>
  lazy(async () => {
    if (part === undefined || 'excluded' in part) throw new TypeError('an excluded key page is not visited');
    return part.visit(tools);
  });

export class KeyPageCheck extends CheckOfRule<KeyPageRule> implements PlannedCheck {
  readonly operation = keyPageOperation;
  readonly stage = 'key-page';

  judge({ walk, exchanges }: KeyPageVisit): Judgement {
    const judgement = judgeWalk(this.rule, walk);
    const rests = this.rule.clauses.length > 0 && judgement.outcome !== 'excluded';
    return rests ? { ...judgement, exchanges } : judgement;
  }
}

/**
 * The checks of the key page, in the order of the rules.
 * @param applies true, or the reason why they are excluded
 */
export const keyPageChecks = (
  contract: Contract,
  rules: readonly Rule[],
  applies: true | string = true,
): readonly KeyPageCheck[] =>
  rules.flatMap((rule) => (rule.scope === 'key-page' ? [new KeyPageCheck(rule, applies, contract)] : []));

/** The selected key page checks of a run; none without `part`. */
export const keyPageChecksOf = (
  contract: Contract,
  rules: readonly Rule[],
  part: KeyPagePart | undefined,
  only?: Selection,
): readonly KeyPageCheck[] => {
  if (part === undefined) return [];
  const checks = keyPageChecks(contract, rules, 'excluded' in part ? part.excluded : true);
  return only === undefined ? checks : checks.filter((check) => isSelected(only, check));
};
