import { join } from 'node:path';
import type { Contract } from '../contract/model.js';
import { deviate, isNamed, staleDeviations } from '../engine/deviations.js';
import { type KeyPageCheck, type KeyPagePart, keyPageChecks } from '../engine/key-page.js';
import type { Selection } from '../engine/plan.js';
import type { RunRecord } from '../engine/results.js';
import { runWithParts } from '../engine/run.js';
import type { RunInput } from '../engine/run-input.js';
import type { RunParts } from '../engine/session.js';
import type { VisitInput } from '../keypage/index.js';
import { operationForKeys } from '../keypage/key/try-key.js';
import { KeyFetchError, type KeySupply } from '../keys/fetched-key.js';
import { type FetchOptions, fetchKeys } from '../keys/key-origins.js';
import type { Rule } from '../rules/rule.js';
import { otherSecrets, SettingsError } from '../settings/settings.js';
import { readKeyPage, type Target } from '../settings/target.js';
import type { PreparedRun } from './prepare.js';

/** The options for fetching keys: the network of the target, and no secrets for programs. */
export const fetchOptionsOf = (
  { settings, target }: Pick<PreparedRun, 'settings' | 'target'>,
  signal?: AbortSignal,
): FetchOptions => ({
  target,
  env: process.env,
  secrets: [...Object.values(target.keys), ...otherSecrets(settings)],
  signal,
});

/**
 * Fetches the keys of a prepared run; `undefined` if none is fetched.
 * @throws {SettingsError} if one cannot be fetched; nothing was judged then
 */
export const supplyKeys = async (run: PreparedRun, signal?: AbortSignal): Promise<KeySupply | undefined> => {
  if (run.origins.size === 0) return undefined;
  try {
    return await fetchKeys(run.origins, fetchOptionsOf(run, signal));
  } catch (error) {
    if (!(error instanceof KeyFetchError)) throw error;
    throw new SettingsError([{ setting: error.from, message: `${error.message}.` }]);
  }
};

/** The target with the keys that were fetched. */
export const withKeys = (target: Target, { first }: Pick<KeySupply, 'first'>): Target => ({
  ...target,
  keys: { ...target.keys, ...Object.fromEntries([...first].map(([setting, { key }]) => [setting, key])) },
});

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

interface RunOptions
  extends Pick<RunInput, 'signal' | 'onProgress' | 'seed' | 'salt' | 'isPart'>,
    Pick<RunParts, 'evidence'> {
  readonly only?: Selection | undefined;
  /** The fetched keys. When absent, they are fetched now. */
  readonly supply?: KeySupply | undefined;
  /**
   * Whether to judge the key page, and what its checks say if not; they are left out without it.
   */
  readonly keyPage?: { readonly isAsked: boolean; readonly notAsked: string } | undefined;
}

export interface FinishedRun {
  readonly record: RunRecord;
  /** Settings whose keys the key page's action has revoked. */
  readonly ended: readonly string[];
  /** Entries of `DEVIATIONS` that no longer accept anything, one line each. */
  readonly stale: readonly string[];
}

interface JudgedRun extends FinishedRun {
  /** Keys that the key page showed, and its passwords. */
  readonly learned: readonly string[];
}

/** How a run judges the key page; `undefined` if it has no checks of it. */
const keyPagePart = (
  { contract, rules, settings }: PreparedRun,
  target: Target,
  { keyPage, signal }: Pick<RunOptions, 'keyPage' | 'signal'>,
  told: Pick<VisitInput, 'onEnded' | 'onLearned'>,
): KeyPagePart | undefined => {
  if (!keyPage || keyPageChecksIn(contract, rules, keyPage.isAsked).length === 0) return undefined;
  const page = keyPage.isAsked ? readKeyPage(settings) : undefined;
  if (!page) return { excluded: keyPage.notAsked };
  if (!operationForKeys(contract))
    return { excluded: 'The contract has no operation on which a key from the key page could be tried.' };
  const screenshotsDir = join(settings.values.REPORTS_DIR, 'conformance');
  return {
    visit: async (tools) => {
      // The browser is loaded only when it is needed.
      const { keyPageVisit } = await import('../keypage/index.js');
      return keyPageVisit({ contract, target, settings: page, signal, screenshotsDir, ...told })(tools);
    },
  };
};

/**
 * Judges a prepared run. The caller disposes of the record.
 * @throws {SettingsError} where a key cannot be fetched
 */
export const judgePrepared = async (
  prepared: PreparedRun,
  { only, keyPage, evidence, supply, ...rest }: RunOptions,
): Promise<JudgedRun> => {
  const { settings, contract, options, rules, deviations, plannedIds, baseline } = prepared;
  const fetched = supply ?? (await supplyKeys(prepared, rest.signal));
  const target = fetched ? withKeys(prepared.target, fetched) : prepared.target;
  const ended: string[] = [];
  const learned: string[] = [];
  const ofPage = keyPagePart(
    prepared,
    target,
    { keyPage, ...rest },
    { onEnded: (names) => void ended.push(...names), onLearned: (secret) => void learned.push(secret) },
  );
  const input: RunInput = {
    ...rest,
    contract,
    target,
    options,
    rules,
    only,
    ...(deviations.length > 0 ? { deviate: deviate(deviations, target), isWhole: isNamed(deviations) } : {}),
    secrets: otherSecrets(settings),
    supply: fetched,
    baseline,
  };
  const record = await runWithParts(input, { keyPage: ofPage, evidence });
  return { record, ended, learned, stale: staleDeviations(deviations, plannedIds, record.results.checks) };
};
