import { writeFileSync } from 'node:fs';
import { operationsOf, subjectOf } from '../engine/build-results.js';
import { operationNames, titleOfFinding } from '../engine/causes/titles.js';
import { tool } from '../package.js';
import { jsonText } from '../visible.js';
import { test } from './bare-test.js';
import { type Evidence, evidenceName } from './evidence.js';
import { evidenceOf, fileOf, judgeOperation } from './judge-operation.js';
import { reportFinding } from './report-finding.js';
import { identityOf } from './run-metadata.js';
import { openSessions, type Session } from './session.js';

/** Judges the operation of a check in this worker, once a run, and attaches the check's evidence. */
export const judgeHere = async (project: string, operation: string, checkId: string): Promise<void> => {
  const session = (await openSessions()).sessions.find((each) => each.project === project);
  if (!session) throw new TypeError('a test is of one of the sessions');
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
  const title = titleOfFinding(evidence.finding, operationNames(operationsOf(session.contract)));
  await reportFinding({ ...evidence, title }, { strict: session.target.strict, options: session.options });
};

/** Whether this test is the first of its operation, and attaches all exchanges for `judge`. */
const firstOf = (session: Session, operation: string): boolean => {
  try {
    writeFileSync(`${fileOf(session, operation)}.attached`, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
};
