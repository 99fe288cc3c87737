import type { Target } from '../settings/target.js';
import { createHttpsRequester } from '../wire/https-request.js';
import { type FetchedKey, KeyFetchError, type KeySupply } from './fetched-key.js';
import { type CommandOptions, runKeyCommand } from './key-command.js';
import type { KeyOrigin } from './key-origins.js';

export interface FetchOptions extends Omit<CommandOptions, 'deadlineMs'> {
  readonly target: Pick<Target, 'ca' | 'proxy' | 'resolve' | 'timeoutMs'>;
}

/** Fetches the key of a setting once, from a program or a token endpoint. */
export type FetchKey = (setting: string) => Promise<FetchedKey>;

/** @returns a function that throws {KeyFetchError}, which names the setting */
export const createKeyFetcher = (
  origins: ReadonlyMap<string, KeyOrigin>,
  { target, env, secrets, signal }: FetchOptions,
): FetchKey => {
  const { ca, proxy, resolve, timeoutMs } = target;
  const ask = createHttpsRequester({ timeoutMs, resolve, ca, proxy });
  return async (setting) => {
    const origin = origins.get(setting);
    if (!origin) throw new TypeError(`${setting} is not fetched`);
    try {
      if (origin.kind === 'command') return await runKeyCommand(origin.command, { env, secrets, signal });
      const { fetchToken } = await import('./token-endpoint.js');
      return await fetchToken(origin.grant, origin.place, { ask, signal });
    } catch (error) {
      if (!(error instanceof KeyFetchError)) throw error;
      throw new KeyFetchError(error.message, error.secrets, origin.from);
    }
  };
};

/**
 * Fetches all keys in parallel.
 * @throws {KeyFetchError} which names the setting
 */
export const fetchKeys = async (origins: ReadonlyMap<string, KeyOrigin>, options: FetchOptions): Promise<KeySupply> => {
  const get = createKeyFetcher(origins, options);
  const first = await Promise.all(
    [...origins.keys()].map(async (setting): Promise<readonly [string, FetchedKey]> => [setting, await get(setting)]),
  );
  return { first: new Map(first), renew: (setting) => get(setting) };
};
