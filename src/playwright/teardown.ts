import type { FullConfig } from '@playwright/test';
import { judgesSomething, leavesOpen } from '../engine/verdict.js';
import { loggedOutcomes } from './outcome-log.js';
import { removeRunFolder } from './run-folder.js';

/**
 * Fails a run with a blocked check, unless its blocker failed as a known deviation, and a run that
 * judged nothing (except an empty shard). It works with any reporter.
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
