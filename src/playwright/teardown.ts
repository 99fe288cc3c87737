import type { FullConfig } from '@playwright/test';
import { judgesSomething, leavesOpen } from '../engine/verdict.js';
import { loggedOutcomes } from './outcome-log.js';
import { removeRunFolder } from './run-folder.js';

/**
 * Whichever reporters were chosen: a run with a blocked check is never green, unless what blocks it failed and is known, nor one in
 * which nothing was judged. (An empty shard may be: the others judge.)
 */
export default function teardown(config: FullConfig): void {
  const lists = loggedOutcomes();
  removeRunFolder();
  for (const findings of lists)
    if (leavesOpen(findings.filter(({ outcome }) => outcome !== 'inconclusive')))
      throw new Error('Not judged in full: some checks rest on others that did not pass.');
  if (config.shard === null && !(lists.length > 0 && lists.every(judgesSomething)))
    throw new Error('Nothing was judged: no selected check could pass or fail.');
}
