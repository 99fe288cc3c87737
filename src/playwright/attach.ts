import { jsonText } from '../visible.js';
import { test } from './bare-test.js';
import { reportFinding } from './report-finding.js';
import { engineRuns, sharedFindings } from './shared-findings.js';

/**
 * The body of one test: reports the finding of its check. The reporter's process judges all
 * selected checks in one run. Without the reporter, and for the key page, the worker judges.
 */
export const judgeCheck = async (project: string, operation: string, checkId: string): Promise<void> => {
  if (engineRuns()) {
    // The first test waits for the whole run, whose end is the reporter's business.
    test.setTimeout(0);
    const { reporting, find } = await sharedFindings(project);
    const shared = find(checkId);
    if (shared) {
      if (shared.exchanges.length > 0)
        await test.info().attach('exchanges', { contentType: 'application/json', body: jsonText(shared.exchanges, 2) });
      return reportFinding({ project, ...shared }, reporting);
    }
  }
  // Loaded where it is needed: each failed test costs a worker.
  const { judgeHere } = await import('./judge-here.js');
  await judgeHere(project, operation, checkId);
};
