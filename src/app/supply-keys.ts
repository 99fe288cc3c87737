import { KeyFetchError, type KeySupply } from '../keys/fetched-key.js';
import { type FetchOptions, fetchKeys } from '../keys/key-supply.js';
import { otherSecrets, SettingsError } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import type { PreparedRun } from './prepare.js';

/** How the keys of a run are got: the network of its target, and no secret for programs. */
export const fetchOptionsOf = (
  { settings, target }: Pick<PreparedRun, 'settings' | 'target'>,
  signal?: AbortSignal,
): FetchOptions => ({
  target,
  env: process.env,
  secrets: [...Object.values(target.keys), ...otherSecrets(settings)],
  ...(signal ? { signal } : {}),
});

/**
 * Gets the keys of a prepared run that are fetched; `undefined` where none is.
 * @throws {SettingsError} where one cannot be got: nothing was judged then
 */
export const supplyKeys = async (
  run: PreparedRun,
  signal?: AbortSignal,
  fetchAll: typeof fetchKeys = fetchKeys,
): Promise<KeySupply | undefined> => {
  if (run.origins.size === 0) return undefined;
  try {
    return await fetchAll(run.origins, fetchOptionsOf(run, signal));
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
