import { join } from 'node:path';
import { deviate, isNamed, staleDeviations } from '../engine/deviations.js';
import type { Selection } from '../engine/plan.js';
import type { RunRecord } from '../engine/results.js';
import { runWithParts } from '../engine/run.js';
import type { RunInput, RunParts } from '../engine/run-input.js';
import type { KeySupply } from '../keys/fetched-key.js';
import { otherSecrets } from '../settings/settings.js';
import { keyPagePart } from './key-page.js';
import type { PreparedRun } from './prepare.js';
import { supplyKeys, withKeys } from './supply-keys.js';

export interface RunOptions
  extends Pick<RunInput, 'signal' | 'onProgress' | 'seed' | 'salt' | 'isPart'>,
    Pick<RunParts, 'evidence'> {
  readonly only?: Selection | undefined;
  /** The keys that are fetched; they are fetched now when absent. */
  readonly supply?: KeySupply | undefined;
  /** Whether to judge the key page, and what its checks say if not; they are left out without it. */
  readonly keyPage?: { readonly isAsked: boolean; readonly notAsked: string } | undefined;
}

export interface FinishedRun {
  readonly record: RunRecord;
  /** Settings whose keys the key page's action has revoked. */
  readonly ended: readonly string[];
  /** Entries of `DEVIATIONS` that accept nothing any more, a line each. */
  readonly stale: readonly string[];
}

/**
 * Judges a prepared run. The caller disposes of the record.
 * @throws {SettingsError} where a key cannot be fetched
 */
export const judgePrepared = async (
  prepared: PreparedRun,
  { only, keyPage, evidence, supply, ...rest }: RunOptions = {},
): Promise<FinishedRun> => {
  const { settings, contract, options, rules, deviations, plannedIds, baseline } = prepared;
  const fetched = supply ?? (await supplyKeys(prepared, rest.signal));
  const target = fetched ? withKeys(prepared.target, fetched) : prepared.target;
  const ended: string[] = [];
  const ofPage =
    keyPage &&
    keyPagePart({
      ...keyPage,
      contract,
      rules,
      target,
      settings,
      signal: rest.signal,
      screenshotsDir: join(settings.values.REPORTS_DIR, 'conformance'),
      onEnded: (names) => void ended.push(...names),
    });
  const input: RunInput = {
    ...rest,
    contract,
    target,
    options,
    rules,
    ...(only ? { only } : {}),
    ...(deviations.length > 0 ? { deviate: deviate(deviations, target), isWhole: isNamed(deviations) } : {}),
    secrets: otherSecrets(settings),
    supply: fetched,
    baseline,
  };
  const record = await runWithParts(input, { keyPage: ofPage, evidence });
  return { record, ended, stale: staleDeviations(deviations, plannedIds, record.results.checks) };
};
