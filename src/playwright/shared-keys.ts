import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { PreparedRun } from '../app/prepare.js';
import { supplyKeys } from '../app/supply-keys.js';
import { orUndefined } from '../collections.js';
import type { FetchedKey, KeySupply } from '../keys/fetched-key.js';
import type { KeyOrigin } from '../keys/key-origins.js';
import { createKeyFetcher, type FetchOptions } from '../keys/key-supply.js';
import { runFile, writeWhole } from './run-folder.js';
import type { Session } from './session.js';

/** Milliseconds between two looks at the lock, and after which its process has ended. */
const lookMs = 50;
const staleMs = 30_000;

const locked = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const lock = `${path}.lock`;
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > staleMs) rmSync(lock, { force: true });
    else await pause(lookMs);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
};

/** The part of a session that its keys are got with. */
export type KeySession = PreparedRun & Pick<Session, 'project'>;

type Kept = Record<string, FetchedKey>;

const read = (path: string): Kept => orUndefined(() => JSON.parse(readFileSync(path, 'utf8')) as Kept) ?? {};

/**
 * The keys of a session, fetched once for all processes of a Playwright run, which hand them over
 * in a file of the run's folder.
 * @throws {SettingsError} where one cannot be got
 */
export const sharedKeys = (session: KeySession, signal?: AbortSignal): Promise<KeySupply | undefined> =>
  supplyKeys(session, signal, async (origins: ReadonlyMap<string, KeyOrigin>, options: FetchOptions) => {
    const path = runFile(session.project, 'keys.json');
    const fetch = createKeyFetcher(origins, options);
    const take = (setting: string, held?: string): Promise<FetchedKey> =>
      locked(path, async () => {
        const kept = read(path);
        const known = kept[setting];
        if (known && known.key !== held && (known.endsAt ?? Number.POSITIVE_INFINITY) > Date.now()) return known;
        const fetched = await fetch(setting);
        writeWhole(path, JSON.stringify({ ...kept, [setting]: fetched }));
        return fetched;
      });
    const first = new Map<string, FetchedKey>();
    for (const setting of origins.keys()) first.set(setting, await take(setting));
    return { first, renew: take };
  });
