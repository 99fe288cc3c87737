import type { Contract } from '../contract/model.js';
import { type KeyPageCheck, type KeyPagePart, keyPageChecks } from '../engine/key-page.js';
import { operationForKeys } from '../keypage/try-key.js';
import type { Rule } from '../rules/rule.js';
import type { Settings } from '../settings/settings.js';
import { readKeyPage, type Target } from '../settings/target.js';

/** The checks of the key page, where the contract or the caller asks for them. */
export const keyPageChecksIn = (
  contract: Contract,
  rules: readonly Rule[],
  isAsked: boolean,
): readonly KeyPageCheck[] => {
  const checks = keyPageChecks(contract, rules);
  const proves = (check: KeyPageCheck): boolean => contract.clauses.some(({ id }) => check.clauses.includes(id));
  return isAsked || checks.some(proves) ? checks : [];
};

export interface KeyPageRequest {
  readonly contract: Contract;
  readonly rules: readonly Rule[];
  readonly target: Target;
  readonly settings: Settings;
  /** Whether to open the page. If not, its checks are excluded with the reason `notAsked`. */
  readonly isAsked: boolean;
  readonly notAsked: string;
  readonly signal?: AbortSignal | undefined;
  readonly screenshotsDir: string;
  /** Is told of settings whose keys the page's action has revoked. */
  readonly onEnded: (settings: readonly string[]) => void;
}

/** How a run judges the key page; `undefined` if it has no checks of it. */
export const keyPagePart = (request: KeyPageRequest): KeyPagePart | undefined => {
  const { contract, rules, target, isAsked, notAsked, signal, screenshotsDir, onEnded } = request;
  if (keyPageChecksIn(contract, rules, isAsked).length === 0) return undefined;
  const settings = isAsked ? readKeyPage(request.settings) : undefined;
  if (!settings) return { excluded: notAsked };
  if (!operationForKeys(contract))
    return { excluded: 'The contract has no operation on which a key from the key page could be tried.' };
  return {
    visit: async (tools) => {
      // The browser is loaded only when it is needed.
      const { keyPageVisit } = await import('../keypage/index.js');
      return keyPageVisit({ contract, target, settings, signal, screenshotsDir, onEnded })(tools);
    },
  };
};
