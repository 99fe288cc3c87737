import { writeFileSync } from 'node:fs';
import { subjectOf } from '../engine/build-results.js';
import { tool } from '../package.js';
import { jsonText } from '../visible.js';
import { test } from './bare-test.js';
import { type Evidence, evidenceName, evidenceOf, fileOf, judgeOperation } from './judge-operation.js';
import { reportFinding } from './report-finding.js';
import { identityOf } from './run-identity.js';
import type { Session } from './session.js';

/**
 * The body of one test: judges the operation, once a run, attaches the evidence of one check and
 * reports its finding.
 */
export const judgeCheck = async (session: Session, operation: string, checkId: string): Promise<void> => {
  const judged = await judgeOperation(session, operation);
  const { shard } = test.info().config;
  const evidence: Evidence = {
    project: session.project,
    ...evidenceOf(judged, checkId, session.recording),
    run: identityOf(subjectOf(session.contract, session.target, session.options), tool.version),
    ...(shard ? { shard } : {}),
  };
  const body = jsonText(firstOf(session, operation) ? { ...evidence, exchanges: judged.exchanges } : evidence);
  await test.info().attach(evidenceName, { contentType: 'application/json', body });
  await reportFinding(evidence, { strict: session.target.strict, options: session.options });
};

/**
 * Whether this test is the first of its operation: that one attaches all exchanges, so that the
 * results can be judged again.
 */
const firstOf = (session: Session, operation: string): boolean => {
  try {
    writeFileSync(`${fileOf(session, operation)}.attached`, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
};
