import type { Contract } from '../contract/model.js';
import { stopped } from '../engine/finding.js';
import { type Selectable, type Selection, selects } from '../engine/plan.js';
import type { OtherChecks } from '../engine/run.js';
import { checkOf, excludedKeyPage } from '../keypage/judge.js';
import { operationForKeys } from '../keypage/try-key.js';
import { rules } from '../rules/index.js';
import { readKeyPage } from '../settings/key-page.js';
import type { Settings } from '../settings/settings.js';
import type { Target } from '../settings/target.js';

/** Takes the place of an operation in the findings of the key page. */
export const keyPageOperation = 'key-page';

/** A check of the key page, with everything that a listing or a selector needs. */
export interface KeyPageCheck extends Selectable {
  readonly title: string;
  readonly clauses: readonly string[];
}

/** Every check of the key page, in the order of a report. */
export const allKeyPageChecks: readonly KeyPageCheck[] = rules.flatMap((rule) =>
  rule.scope === 'key-page'
    ? [{ id: checkOf(rule.id), operation: keyPageOperation, title: rule.title, clauses: rule.clauses, rule }]
    : [],
);

/**
 * The checks of the key page that a run has: none where neither the contract nor the caller asks
 * for them.
 */
export const keyPageChecksIn = ({ clauses }: Contract, isAsked: boolean): readonly KeyPageCheck[] =>
  isAsked || allKeyPageChecks.some((check) => clauses.some(({ id }) => check.clauses.includes(id)))
    ? allKeyPageChecks
    : [];

/** Whether keys from the page can be tried on an operation of the contract. */
export const canTryKeys = (contract: Contract): boolean => operationForKeys(contract) !== undefined;

export interface KeyPageRequest {
  readonly contract: Contract;
  readonly target: Target;
  readonly settings: Settings;
  /** Whether to open the page. If not, its checks are excluded with the reason `notAsked`. */
  readonly isAsked: boolean;
  readonly notAsked: string;
  readonly only?: Selection | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly screenshotsDir: string;
  /** Is told of settings whose keys the page's action has revoked. */
  readonly onEnded: (settings: readonly string[]) => void;
}

const isSelected = (check: Selectable, only: Selection | undefined): boolean => {
  if (only === undefined) return true;
  return typeof only === 'function' ? only(check) : only.some((selector) => selects(selector, check));
};

/** The checks of the key page as `runConformance` takes them; `undefined` if the run has none. */
export const keyPagePart = async (request: KeyPageRequest): Promise<OtherChecks | undefined> => {
  const { contract, target, isAsked, only, signal, screenshotsDir, onEnded } = request;
  const selected = new Set(
    keyPageChecksIn(contract, isAsked).flatMap((check) => (isSelected(check, only) ? [check.id] : [])),
  );
  if (selected.size === 0) return undefined;
  const excluded = (reason: string) => excludedKeyPage(reason).filter(({ id }) => selected.has(id));
  const page = isAsked ? readKeyPage(request.settings) : undefined;
  if (!page || !canTryKeys(contract)) {
    const findings = excluded(
      page ? 'The contract has no operation on which a key from the key page could be tried.' : request.notAsked,
    );
    return Object.assign(async () => ({ findings, observations: [] }), { unjudged: findings });
  }
  // The browser is loaded only when it is needed.
  const { keyPageIn } = await import('../keypage/checks.js');
  const judge = keyPageIn({ contract, target, settings: page, signal, screenshotsDir, onEnded });
  const ofPage: OtherChecks = async (tools) => {
    const { findings, observations } = await judge(tools);
    return { findings: findings.filter(({ id }) => selected.has(id)), observations };
  };
  const unjudged = excluded(stopped.reason).map((finding) => ({ ...finding, outcome: stopped.outcome }));
  return Object.assign(ofPage, { unjudged });
};
