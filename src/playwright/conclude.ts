import { join } from 'node:path';
import { type Conclusion, concludeRun, concludeTargets, type TargetResults } from '../app/conclude.js';
import type { Output } from '../app/output.js';
import { staleDeviations } from '../engine/deviations.js';
import { worstCode } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { visible } from '../report/text.js';
import type { RunHead } from './run-metadata.js';

/** The run of one deployment, put together from its tests. */
export interface DeploymentRun {
  readonly head: RunHead;
  readonly record: RunRecord;
}

/**
 * Concludes the run of each deployment. The reports of several go to a folder each, with a page
 * that compares them.
 * @returns the exit code of `access-conformance run`, the worst of several
 */
export const concludeAll = async (
  parts: readonly DeploymentRun[],
  conclusion: Pick<Conclusion, 'reportsDir' | 'cwd' | 'env'>,
  output: Output,
): Promise<number> => {
  const codes: number[] = [];
  const targets: TargetResults[] = [];
  for (const { head, record } of parts) {
    const { results } = record;
    if (head.project !== '') output.out(`\n${visible(head.target.name)}\n`);
    const stale = staleDeviations(head.deviations, head.checks, results.checks);
    const reportsDir = join(conclusion.reportsDir, head.project);
    // Of chosen tests a history would say that all else is gone.
    const history = head.history && results.checks.length === head.checks.length;
    codes.push(await concludeRun({ record, stale, ended: [] }, { ...conclusion, reportsDir, history }, output));
    targets.push({ results, reportsDir });
  }
  await concludeTargets(targets, conclusion, output);
  return worstCode(codes);
};
