import { randomBytes } from 'node:crypto';
import type { FetchedKey, KeySupply } from '../../../src/keys/fetched-key.js';
import type { Keys } from '../../../src/reference/behaviour.js';
import { faults, startReference, variants } from '../../../src/reference/index.js';
import { type JudgedRun, type JudgeOptions, judgeRunning } from './judge.js';

export interface EndingKeys {
  /** Milliseconds that a key lives. */
  readonly lastsMs: number;
  /** Whether it is said when a key ends. */
  readonly says: boolean;
  readonly fault?: string;
  readonly variant?: string;
  readonly latencyMs?: number;
}

export interface EndingRun extends JudgedRun {
  /** Every key that was given. */
  readonly given: readonly string[];
}

const newKey = (): string => randomBytes(20).toString('hex');

/** Judges the embedded service, whose keys end so soon that a run needs several. */
export const judgeWithEndingKeys = async (
  { lastsMs, says, fault, variant, latencyMs }: EndingKeys,
  options: JudgeOptions = {},
): Promise<EndingRun> => {
  const first = newKey();
  let keys: Keys = new Map();
  const service = await startReference({
    key: first,
    ...(fault === undefined ? {} : { fault }),
    ...(variant === undefined ? {} : { variant }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    pages: (own) => {
      keys = own;
      return () => false;
    },
  });
  const given: string[] = [];
  const timers: NodeJS.Timeout[] = [];
  const give = (key: string): FetchedKey => {
    given.push(key);
    keys.set(key, 'mara');
    timers.push(setTimeout(() => keys.delete(key), lastsMs));
    return { key, secrets: [], ...(says ? { endsAt: Date.now() + lastsMs } : {}) };
  };
  const supply: KeySupply = {
    first: new Map([['API_KEY', give(first)]]),
    renew: async () => give(newKey()),
  };
  try {
    const run = await judgeRunning(service, {
      supply,
      exchanges: true,
      ...options,
      settings: {
        ...variants.find(({ name }) => name === variant)?.settings,
        ...faults.find(({ name }) => name === fault)?.settings,
        ...options.settings,
      },
    });
    return Object.assign(run, { given });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await service.close();
  }
};
