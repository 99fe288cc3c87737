import type { Contract } from '../contract/model.js';
import { type Selectable, selects } from '../engine/plan.js';
import type { OtherChecks } from '../engine/run.js';
import type { KeyPageSettings } from '../keypage/index.js';
import type { Target } from '../settings/target.js';
import { UsageError } from './command.js';

/** A check of the key page, as a selector sees it. */
export const selectable = (rule: string, clauses: readonly string[]): Selectable => ({
  id: `${rule}@key-page`,
  rule: { id: rule, clauses, gaps: ['GAP-KEY-LIFE'] },
  operation: 'key-page',
});

interface KeyPageRequest {
  readonly contract: Contract;
  readonly target: Target;
  /** `undefined` when the key page was not asked for: its checks are then excluded, with this reason. */
  readonly settings: KeyPageSettings | undefined;
  readonly whyNot: string;
  readonly only: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly screenshotsDir: string;
  /** Told of settings whose keys the action has put an end to. */
  readonly onEnded: (settings: readonly string[]) => void;
}

/**
 * The checks of the key page, for `runConformance`; `undefined` when the contract or the selection says nothing of them.
 * @throws {UsageError} when keys from the page cannot be tried on any operation of the contract
 */
export const keyPageChecksOf = async (request: KeyPageRequest): Promise<OtherChecks | undefined> => {
  const { settings, whyNot, only, ...rest } = request;
  const { excludedKeyPage, keyPageChecks } = await import('../keypage/judge.js');
  const wanted = (rule: string, clauses: readonly string[]): boolean =>
    only === undefined || only.some((selector) => selects(selector, selectable(rule, clauses)));
  const inContract = rest.contract.clauses.some(({ id }) =>
    keyPageChecks.some(({ clauses }) => clauses.some((own) => own === id)),
  );
  if (!keyPageChecks.some(({ rule, clauses }) => wanted(rule, clauses)) || (!settings && !inContract)) return undefined;
  const excluded = (reason: string) => excludedKeyPage(reason).filter(({ rule, clauses }) => wanted(rule, clauses));
  if (!settings) {
    const findings = excluded(whyNot);
    return Object.assign(async () => ({ findings, observations: [] }), { unjudged: findings });
  }
  const { operationForKeys } = await import('../keypage/opens.js');
  if (!operationForKeys(rest.contract))
    throw new UsageError(
      'the contract has no operation on which a key from the key page could be tried.',
      'run without --key-page',
    );
  const { keyPageIn } = await import('../keypage/checks.js');
  const judge = keyPageIn({ ...rest, settings });
  const { stopped } = await import('../engine/finding.js');
  const ofPage: OtherChecks = async (tools) => {
    const { findings, observations } = await judge(tools);
    return { findings: findings.filter(({ rule, clauses }) => wanted(rule, clauses)), observations };
  };
  const unjudged = excluded(stopped.reason).map((finding) => ({ ...finding, outcome: stopped.outcome }));
  return Object.assign(ofPage, { unjudged });
};
