import { fetchOptionsOf, withKeys } from '../../app/supply-keys.js';
import type { Contract } from '../../contract/model.js';
import { type FetchedKey, KeyFetchError } from '../../keys/fetched-key.js';
import { type KeyOrigin, keyOriginsOf } from '../../keys/key-origins.js';
import { createKeyFetcher } from '../../keys/key-supply.js';
import type { Settings } from '../../settings/settings.js';
import type { Target } from '../../settings/target.js';
import { counted } from '../../words.js';
import { about, type Diagnosis } from './diagnosis.js';

const wayOf = (origin: KeyOrigin): string => {
  if (origin.kind === 'command') return `The program of ${origin.from} printed it`;
  const { grant, place } = origin;
  const { origin: host, pathname } = 'tokenUrl' in place ? place.tokenUrl : place.discoveryUrl;
  const flow = grant.flow === 'password' ? 'password' : 'client credentials';
  return `${origin.from} got it by the ${flow} flow at ${host}${pathname}`;
};

const endOf = (endsAt: number | undefined): string => {
  if (endsAt === undefined) return 'Nobody says when it ends; a run notices when it does, and fetches it again.';
  const seconds = Math.max(0, Math.round((endsAt - Date.now()) / 1000));
  const left = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `It ends at ${new Date(endsAt).toISOString().slice(0, 19)}Z, in ${left}; a run fetches it again before.`;
};

export interface TriedKeys {
  readonly found: readonly Diagnosis[];
  readonly target: Target;
}

/** Fetches each key as a run does, and says how it was got and when it ends. */
export const tryFetchedKeys = async (settings: Settings, contract: Contract, target: Target): Promise<TriedKeys> => {
  const origins = keyOriginsOf(settings, contract, target);
  const fetch = createKeyFetcher(origins, fetchOptionsOf({ settings, target }));
  const got = new Map<string, FetchedKey>();
  const tried = async ([setting, origin]: readonly [string, KeyOrigin]): Promise<Diagnosis> => {
    try {
      const fetched = await fetch(setting);
      got.set(setting, fetched);
      const { key, endsAt } = fetched;
      return about(setting).well(`${wayOf(origin)}: ${counted(key.length, 'character')}. ${endOf(endsAt)}`);
    } catch (error) {
      if (!(error instanceof KeyFetchError)) throw error;
      return about(setting).trouble(
        `${error.from}: ${error.message}.`,
        'Without it nothing that needs a key can be judged.',
      );
    }
  };
  const found = await Promise.all([...origins].map(tried));
  return { found, target: withKeys(target, { first: got }) };
};
