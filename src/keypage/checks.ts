import { randomBytes } from 'node:crypto';
import type { Contract } from '../contract/model.js';
import { deploymentOf, type OtherChecks } from '../engine/run.js';
import type { Target } from '../target/target.js';
import { judgeKeyPage } from './index.js';
import type { KeyPageInput, KeyPageSettings, Opens } from './input.js';
import { opensWith, operationForKeys } from './opens.js';

export interface KeyPageChecksInput extends Pick<KeyPageInput, 'signal' | 'screenshotsDir' | 'browser' | 'patienceMs'> {
  readonly contract: Contract;
  readonly target: Target;
  readonly settings: KeyPageSettings;
}

/**
 * The checks of the key page as a part of a run: keys from the page are tried on the contract's protected operation by the run's
 * own client. The run makes them last, since making a key may revoke the one in API_KEY.
 */
export const keyPageIn =
  ({ contract, target, settings, ...rest }: KeyPageChecksInput): OtherChecks =>
  async ({ keys, send }) => {
    const operation = operationForKeys(contract);
    const given = Object.fromEntries(Object.keys(target.keys).map((name) => [name, keys.traits(name)]));
    const deployment = deploymentOf(target, given, randomBytes(16).toString('hex'));
    const placeholders = new Map<string, string>();
    const exchanges: { readonly id: string; readonly opens: Opens }[] = [];
    let round = 0;

    const { findings, observations } = await judgeKeyPage({
      ...rest,
      settings,
      learn: (secret, placeholder) => {
        placeholders.set(secret, placeholder);
        keys.learn(secret, placeholder);
      },
      redact: (text) => keys.redact(text),
      opens: async (key) => {
        const placeholder = placeholders.get(key)?.replace(/^<|>$/g, '');
        if (operation === undefined || placeholder === undefined) return 'unknown';
        round += 1;
        const { opens, exchange } = await opensWith({ contract, operation, deployment }, placeholder, round, send);
        exchanges.push({ id: exchange.id, opens });
        return opens;
      },
    });
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
