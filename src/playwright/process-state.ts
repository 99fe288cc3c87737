/** State that the processes of a Playwright run share without reading settings. */

/**
 * Whether Playwright only lists tests (`--list`): reporters are called as in a run, and must write
 * nothing.
 */
export const isListing = process.argv.includes('--list');

/** Shards that the run is divided into; 1 without `--shard`. */
export const shardsIn = (args: readonly string[]): number => {
  const shard = args.flatMap((arg, index) =>
    arg === '--shard' ? (args[index + 1] ?? []) : (arg.split('--shard=')[1] ?? []),
  );
  return Number(/^\d+\/(\d+)$/.exec(shard.at(-1) ?? '')?.[1] ?? 1);
};

/** Whether this process is a worker, or was started by one. */
export const isWorker = process.env.TEST_WORKER_INDEX !== undefined;

/** A value that the first process of a run sets and its workers inherit. */
export const shared = (variable: string, make: () => string): string => {
  const value = process.env[variable] || make();
  process.env[variable] = value;
  return value;
};
