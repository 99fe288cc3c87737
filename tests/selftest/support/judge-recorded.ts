import { judgeThrough, type Sender } from '../../../src/engine/ask.js';
import { buildResults, subjectOf } from '../../../src/engine/build-results.js';
import { deploymentOf } from '../../../src/engine/deployment.js';
import { findingOf, observationsOf } from '../../../src/engine/findings.js';
import { type Check, planOf } from '../../../src/engine/plan.js';
import type { Finding, Observation } from '../../../src/engine/results.js';
import { firstExchange } from '../../../src/engine/starting-service.js';
import { unjudged, unreachable } from '../../../src/engine/unjudged.js';
import { tool } from '../../../src/package.js';
import { answerOf } from '../../../src/rules/oracle/answers.js';
import type { Slice } from '../../../src/rules/rule.js';
import { describeOptions } from '../../../src/settings/target.js';
import { type Exchange, exchangeId } from '../../../src/wire/types.js';
import { type JudgedRun, judgedRun, prepare } from './judge.js';
import { type Recording, recordCommand, recordedSeed, recordedTime } from './recordings.js';

/**
 * Judges what a server answered when it was recorded: the same rules and judges as in a run, and no
 * socket.
 */

/** What judges: the rules and judges of `src`, or those of another build. */
const ours = { judgeThrough, planOf, findingOf, unjudged, unreachable, firstExchange, buildResults };
export type Judges = typeof ours;

/** Looks exchanges up. What was not recorded is an error, never a finding. */
const recordedSender = ({ server, exchanges, lacking }: Recording): Sender => {
  const others = new Map<string, Exchange>();
  return {
    get: (id) => exchanges.get(id) ?? others.get(id),
    send: async (series) => {
      for (const probe of series.flat()) {
        const id = exchangeId(probe);
        if (exchanges.has(id)) continue;
        const { method, target, name, operation } = probe;
        if (!lacking)
          throw new Error(
            `The recording of ${server} has no answer to a request that the rules ask for today: ${method} ${target} (${operation}, ${name}). Record it anew: ${recordCommand(server)}`,
          );
        others.set(id, lacking(probe));
      }
    },
  };
};

/**
 * @param given settings of the fault or variant
 * @param sliceOf the part of its battery that a check sends; everything when absent
 * @throws Error where a rule asks for a request that was not recorded
 */
export const judgeRecorded = async (
  recording: Recording,
  given: Readonly<Record<string, string>> = {},
  judges: Judges = ours,
  sliceOf: (check: Check) => Slice | undefined = () => undefined,
): Promise<JudgedRun> => {
  const { baseUrl, httpBaseUrl, keys } = recording.deployment;
  const { settings, target, contract } = await prepare({ baseUrl, httpBaseUrl, key: 'sent-nowhere' }, given);
  const deployment = { ...deploymentOf(target, keys, recordedSeed, { at: recordedTime }), caFile: true };
  const sender = recordedSender(recording);
  const first = await judges.firstExchange(contract, deployment, sender);
  const checks: Finding[] = [];
  const observations: Observation[] = [];
  for (const check of judges.planOf(contract, deployment).checks) {
    const judgement =
      check.excluded !== undefined
        ? judges.unjudged(check)
        : answerOf(first) || check.stage === 'service'
          ? await judges.judgeThrough((ask) => check.judge(ask, sliceOf(check)), sender)
          : judges.unreachable(first);
    const finding = judges.findingOf(check, judgement, 0);
    checks.push(finding);
    observations.push(...observationsOf(finding.id, judgement));
  }
  return judgedRun(
    judges.buildResults(
      {
        ...subjectOf(contract, target, describeOptions(settings)),
        schemaVersion: 1,
        tool,
        recording: { seed: recordedSeed, keys },
        startedAt: new Date(recordedTime).toISOString(),
      },
      contract,
      {
        checks,
        observations,
        strict: target.strict,
        complete: true,
        durationMs: 0,
        requestsSent: 0,
        exchange: sender.get,
      },
    ),
  );
};
