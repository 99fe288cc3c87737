import { judgeThrough, type Sender } from '../../../src/engine/ask.js';
import { deploymentOf } from '../../../src/engine/deployment.js';
import { findingOf, unreachable } from '../../../src/engine/finding.js';
import type { Outcome, Verdict } from '../../../src/engine/outcomes.js';
import { planOf } from '../../../src/engine/plan.js';
import type { Finding } from '../../../src/engine/results.js';
import { reach } from '../../../src/engine/run.js';
import { clausesOf, verdictOf } from '../../../src/engine/verdict.js';
import { exchangeId } from '../../../src/wire/exchange-id.js';
import { prepare } from './judge.js';
import { type Recording, recordCommand, recordedSeed, recordedTime } from './recordings.js';

/** Judges what a server answered when it was recorded: the same rules and judges as in a run, and no socket. */

export interface JudgedRecording {
  readonly findings: readonly Finding[];
  readonly verdict: Verdict;
  /** Ids of the clauses that came out failed, sorted. */
  readonly failedClauses: readonly string[];
  /** Outcomes of a rule's checks, by operation. */
  outcomesOf(rule: string): ReadonlyMap<string, Outcome>;
}

/** Looks exchanges up. What was not recorded is an error, never a finding. */
const recordedSender = ({ server, exchanges }: Recording): Sender => ({
  get: (id) => exchanges.get(id),
  send: async (series) => {
    const missing = series.flat().find((probe) => !exchanges.has(exchangeId(probe)));
    if (!missing) return;
    const { method, target, name, operation } = missing;
    throw new Error(
      `The recording of ${server} has no answer to a request that the rules ask for today: ${method} ${target} (${operation}, ${name}). Record it anew: ${recordCommand(server)}`,
    );
  },
});

/**
 * @param settings those of the fault or variant
 * @throws Error where a rule asks for a request that was not recorded
 */
export const judgeRecorded = async (
  recording: Recording,
  settings: Readonly<Record<string, string>> = {},
): Promise<JudgedRecording> => {
  const { baseUrl, httpBaseUrl, keys } = recording.deployment;
  const { target, contract } = await prepare({ baseUrl, httpBaseUrl, key: 'not-sent-anywhere' }, settings);
  const deployment = { ...deploymentOf(target, keys, recordedSeed, recordedTime), caFile: true };
  const sender = recordedSender(recording);
  const reachable = await reach(contract, deployment, sender);
  const findings: Finding[] = [];
  for (const check of planOf(contract, deployment).checks) {
    const judgement =
      check.excluded !== undefined
        ? ({ outcome: 'excluded', reason: check.excluded, exchanges: [] } as const)
        : reachable || check.stage === 'service'
          ? await judgeThrough((ask) => check.judge(ask), sender)
          : unreachable;
    findings.push(findingOf(check, judgement, 0));
  }
  return {
    findings,
    verdict: verdictOf(findings, { strict: target.strict, complete: true }),
    failedClauses: clausesOf(contract, findings)
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ id }) => id)
      .sort(),
    outcomesOf: (rule) =>
      new Map(findings.flatMap((one) => (one.rule === rule ? [[one.operation, one.outcome] as const] : []))),
  };
};
