import { randomBytes } from 'node:crypto';
import type { Contract } from '../contract/model.js';
import { deploymentOf } from '../engine/deployment.js';
import type { VisitKeyPage } from '../engine/key-page.js';
import type { Opens } from '../rules/key-page/record.js';
import { onlyScheme } from '../rules/support/subjects.js';
import type { Target } from '../settings/target.js';
import type { Exchange } from '../wire/types.js';
import { walkThroughKeyPage } from './index.js';
import type { KeyPageInput, KeyPageSettings } from './input.js';
import { opensWith, operationForKeys } from './try-key.js';

export interface VisitInput
  extends Pick<KeyPageInput, 'signal' | 'screenshotsDir' | 'browser' | 'patienceMs' | 'lateMs'> {
  readonly contract: Contract;
  readonly target: Target;
  readonly settings: KeyPageSettings;
  /** Told of settings whose keys the action has put an end to. */
  readonly onEnded?: ((settings: readonly string[]) => void) | undefined;
}

const isGranted = ({ opens }: { readonly opens: Opens }): boolean => opens === 'granted';

/** A visit as a part of a run, whose client tries keys from the page on a protected operation. */
export const keyPageVisit =
  ({ contract, target, settings, onEnded, ...rest }: VisitInput): VisitKeyPage =>
  async ({ keys, send }) => {
    const operation = operationForKeys(contract);
    const given = Object.fromEntries(Object.keys(target.keys).map((name) => [name, keys.traits(name)]));
    const deployment = deploymentOf(target, given, randomBytes(16).toString('hex'));
    const placeholders = new Map<string, string>();
    const tried: { readonly exchange: Exchange; readonly opens: Opens }[] = [];
    const opened = new Set<string>();
    let endedKey: Exchange | undefined;
    let round = 0;

    const asks = async (setting: string): Promise<{ readonly opens: Opens; readonly exchange?: Exchange }> => {
      if (operation === undefined) return { opens: 'unknown' };
      round += 1;
      const seen = await opensWith({ contract, operation, deployment }, setting, round, send);
      if (seen.opens === 'granted') opened.add(setting);
      else if (seen.opens === 'refused' && opened.has(setting)) endedKey ??= seen.exchange;
      return seen;
    };
    const own = operation && onlyScheme(operation)?.setting;
    const all = Object.values(target.keys);

    const walk = await walkThroughKeyPage({
      ...rest,
      settings,
      given:
        own !== undefined && target.keys[own] !== undefined
          ? { setting: own, is: (key) => all.includes(key), opens: async () => (await asks(own)).opens }
          : undefined,
      learn: (secret, placeholder) => {
        placeholders.set(secret, placeholder);
        keys.learn(secret, placeholder);
      },
      redact: (text) => keys.redact(text),
      opens: async (key) => {
        const placeholder = placeholders.get(key)?.replace(/^<|>$/g, '');
        if (placeholder === undefined) return 'unknown';
        const { opens, exchange } = await asks(placeholder);
        if (exchange) tried.push({ exchange, opens });
        return opens;
      },
    });
    if (walk.givenKey?.opens === 'refused') onEnded?.([walk.givenKey.setting]);
    // Those that opened it come first.
    const exchanges = tried.toSorted((a, b) => Number(isGranted(b)) - Number(isGranted(a)));
    return {
      walk: endedKey ? { ...walk, endedKey } : walk,
      exchanges: exchanges.map(({ exchange }) => exchange),
    };
  };
