import { rmSync } from 'node:fs';
import type { FullConfig } from '@playwright/test';
import { toldOutcomes } from './told.js';

/**
 * Whichever reporters were chosen: a run with a blocked check is never green, nor one in which nothing was judged.
 * (An empty shard may be: the others judge.)
 */
export default function teardown(config: FullConfig): void {
  const told = toldOutcomes();
  const folder = process.env.ACCESS_CONFORMANCE_FOLDER;
  if (folder) rmSync(folder, { recursive: true, force: true });
  if (told.has('blocked')) throw new Error('Not judged in full: some checks rest on others that did not pass.');
  const judged = ['passed', 'failed', 'lenient', 'inconclusive', 'observed'] as const;
  if (config.shard === null && !judged.some((outcome) => told.has(outcome)))
    throw new Error('Nothing was judged: no selected check could pass or fail.');
}
