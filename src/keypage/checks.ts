import { randomBytes } from 'node:crypto';
import type { Contract } from '../contract/model.js';
import { deploymentOf } from '../engine/deployment.js';
import type { OtherChecks } from '../engine/run.js';
import type { Opens } from '../rules/key-page/record.js';
import { onlyScheme } from '../rules/requests.js';
import type { Target } from '../settings/target.js';
import { judgeKeyPage } from './index.js';
import type { KeyPageInput, KeyPageSettings } from './input.js';
import { opensWith, operationForKeys } from './try-key.js';

export interface KeyPageChecksInput extends Pick<KeyPageInput, 'signal' | 'screenshotsDir' | 'browser' | 'patienceMs'> {
  readonly contract: Contract;
  readonly target: Target;
  readonly settings: KeyPageSettings;
  /** Told of settings whose keys the action has put an end to. */
  readonly onEnded?: ((settings: readonly string[]) => void) | undefined;
}

/**
 * The checks of the key page as a part of a run: keys from the page are tried on the contract's
 * protected operation by the run's own client. The run makes them last, since making a key may
 * revoke the one in API_KEY.
 */
export const keyPageIn =
  ({ contract, target, settings, onEnded, ...rest }: KeyPageChecksInput): OtherChecks =>
  async ({ keys, send }) => {
    const operation = operationForKeys(contract);
    const given = Object.fromEntries(Object.keys(target.keys).map((name) => [name, keys.traits(name)]));
    const deployment = deploymentOf(target, given, randomBytes(16).toString('hex'));
    const placeholders = new Map<string, string>();
    const exchanges: { readonly id: string; readonly opens: Opens }[] = [];
    let round = 0;

    const asks = async (setting: string): Promise<{ readonly opens: Opens; readonly id?: string }> => {
      if (operation === undefined) return { opens: 'unknown' };
      round += 1;
      const { opens, exchange } = await opensWith({ contract, operation, deployment }, setting, round, send);
      return { opens, id: exchange.id };
    };
    const own = operation && onlyScheme(operation)?.setting;
    const all = Object.values(target.keys);

    const { findings, observations, ended } = await judgeKeyPage({
      ...rest,
      settings,
      ...(own !== undefined && target.keys[own] !== undefined
        ? {
            given: { setting: own, is: (key: string) => all.includes(key), opens: async () => (await asks(own)).opens },
          }
        : {}),
      learn: (secret, placeholder) => {
        placeholders.set(secret, placeholder);
        keys.learn(secret, placeholder);
      },
      redact: (text) => keys.redact(text),
      opens: async (key) => {
        const placeholder = placeholders.get(key)?.replace(/^<|>$/g, '');
        if (placeholder === undefined) return 'unknown';
        const { opens, id } = await asks(placeholder);
        if (id !== undefined) exchanges.push({ id, opens });
        return opens;
      },
    });
    if (ended.length > 0) onEnded?.(ended);
    const granted = exchanges.filter(({ opens }) => opens === 'granted');
    const ids = [...granted, ...exchanges.filter(({ opens }) => opens !== 'granted')].map(({ id }) => id);
    return {
      findings: findings.map((finding) =>
        finding.clauses.length > 0 && finding.outcome !== 'excluded'
          ? { ...finding, exchanges: [...new Set(ids)] }
          : finding,
      ),
      observations: observations.map((observation) => ({ ...observation, gap: 'GAP-KEY-LIFE' })),
    };
  };
