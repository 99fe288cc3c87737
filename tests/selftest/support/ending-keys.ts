import { randomBytes } from 'node:crypto';
import type { FetchedKey, KeySupply } from '../../../src/keys/fetched-key.js';
import type { Keys } from '../../../src/reference/behaviour.js';
import { faults, startReference, variants } from '../../../src/reference/index.js';
import { type JudgedRun, type JudgeOptions, judgeRunning } from './judge.js';

export interface EndingKeys {
  /**
   * Milliseconds that a key lives, which is said; or how often it opens something, which is not.
   */
  readonly lasts: { readonly ms: number } | { readonly uses: number };
  readonly fault?: string;
  readonly variant?: string;
  readonly latencyMs?: number;
  /**
   * Where an answer names the key that will be given next: each in a field, or the refusal in the
   * address that it redirects to.
   */
  readonly foretells?: 'in a field' | 'in a redirect';
}

export interface EndingRun extends JudgedRun {
  /** Every key that was given. */
  readonly given: readonly string[];
}

const newKey = (): string => randomBytes(20).toString('hex');

/** Judges the embedded service, whose keys end so soon that a run needs several. */
export const judgeWithEndingKeys = async (
  { lasts, fault, variant, latencyMs, foretells }: EndingKeys,
  options: JudgeOptions = {},
): Promise<EndingRun> => {
  const first = newKey();
  let next = newKey();
  let keys: Keys = new Map();
  const uses = new Map<string, number>();
  const service = await startReference({
    key: first,
    ...(fault === undefined ? {} : { fault }),
    ...(variant === undefined ? {} : { variant }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    pages: (own) => {
      keys = own;
      const userOf = own.get.bind(own);
      own.get = (key) => {
        const used = (uses.get(key) ?? 0) + 1;
        uses.set(key, used);
        if ('uses' in lasts && used > lasts.uses) own.delete(key);
        return userOf(key);
      };
      return ({ url, headers }, response) => {
        if (foretells === 'in a field') response.setHeader('x-next', next);
        if (foretells !== 'in a redirect' || headers.authorization !== undefined || !/workout/.test(url ?? ''))
          return false;
        response.writeHead(302, { location: `/log-in?next=${next}` });
        response.end();
        return true;
      };
    },
  });
  const given: string[] = [];
  const timers: NodeJS.Timeout[] = [];
  const give = (key: string): FetchedKey => {
    given.push(key);
    keys.set(key, 'mara');
    if ('uses' in lasts) return { key, secrets: [] };
    timers.push(setTimeout(() => keys.delete(key), lasts.ms));
    return { key, secrets: [], endsAt: Date.now() + lasts.ms };
  };
  const supply: KeySupply = {
    first: new Map([['API_KEY', give(first)]]),
    renew: async () => {
      const key = next;
      next = newKey();
      return give(key);
    },
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
