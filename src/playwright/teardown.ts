import type { FullConfig } from '@playwright/test';
import { judgesSomething, leavesOpen } from '../engine/verdict.js';
import { removeRunFolder } from './run-folder.js';
import { loggedOutcomes } from './shared-findings.js';

/** An error that Playwright prints without a piece of this file. */
const said = (message: string): Error => {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
};

const nothingJudged = ({ shard }: Pick<FullConfig, 'shard'>, hasOutcomes: boolean): string => {
  if (shard === null) return 'Nothing was judged: no selected check could pass or fail.';
  const part = `Nothing was judged in shard ${shard.current} of ${shard.total}`;
  return hasOutcomes
    ? `${part}: no check of it could pass or fail. Run fewer shards.`
    : `${part}: it has no tests, or none came to its end. Whole operations go to shards; if there are too few of them for ${shard.total}, run fewer shards.`;
};

/** With any reporter, fails a run that judged nothing, or in which a check was blocked. */
export default function teardown(config: FullConfig): void {
  const lists = loggedOutcomes();
  removeRunFolder();
  for (const findings of lists)
    if (leavesOpen(findings.filter(({ outcome }) => outcome !== 'inconclusive')))
      throw said('Not judged in full: some checks rest on others that did not pass.');
  if (!(lists.length > 0 && lists.every(judgesSomething))) throw said(nothingJudged(config, lists.length > 0));
}
