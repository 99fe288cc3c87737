import { isOpen, type Outcome } from '../../src/engine/outcomes.js';

/** What a check said of a generated service. */
export interface OutcomeOfCheck {
  readonly id: string;
  readonly clauses: readonly string[];
  readonly outcome: Outcome;
  readonly reason: string;
}

/**
 * What is wrong with the outcomes of checks: a clause that is kept failed, or the broken one passed.
 * @param broken the clause that the service breaks, if it breaks one
 */
export const wrongIn = (judged: readonly OutcomeOfCheck[], broken: string | undefined): string | undefined => {
  const isOfBroken = ({ clauses }: OutcomeOfCheck): boolean => broken !== undefined && clauses.includes(broken);
  const accused = judged.find((one) => one.outcome === 'failed' && !isOfBroken(one));
  if (accused) return `${accused.id} failed: ${accused.reason}`;
  const isSeen = judged.some((one) => isOfBroken(one) && (one.outcome === 'failed' || isOpen(one.outcome)));
  return broken === undefined || isSeen ? undefined : `${broken} passed`;
};
