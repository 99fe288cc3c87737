import type { Contract } from '../contract/model.js';
import { rules as shippedRules } from '../rules/index.js';
import { answerOf } from '../rules/oracle/answers.js';
import { exchangeId, type Wire } from '../wire/types.js';
import { sliceChecks } from './budget/allot-as-seen.js';
import { buildResults, type ResultsBase } from './build-results.js';
import { type KeyPageCheck, keyPageChecksOf, visitOnce } from './key-page.js';
import { type Plan, planOf } from './plan.js';
import { redactedRecord } from './redacted-record.js';
import type { RunRecord } from './results.js';
import { withKept } from './resume/kept-evidence.js';
import type { RunInput } from './run-input.js';
import { RunJudge } from './run-judge.js';
import { type RunParts, Session } from './session.js';
import { judgeInStages } from './stages.js';
import { greet } from './starting-service.js';
import type { Store } from './store/store.js';
import { unreachable } from './unjudged.js';
import { planWithValues } from './values/plan-with-values.js';
import { contractWithoutAnswers } from './values/recording.js';

/** A run, from its first request to its results. */

/**
 * Number of exchanges in memory above which those of judged operations are written to disk. Bounds
 * memory on huge documents.
 */
const mostHeld = 1_000;

/**
 * Judges a target by a contract. Resolves with a record whatever the target does; rejects only for
 * errors of the suite itself.
 */
export const runWithParts = async (input: RunInput, parts: RunParts = {}): Promise<RunRecord> => {
  const { evidence } = parts;
  const session = await Session.open(input, parts);
  const judge = new RunJudge(session, input, parts);
  const { wire, store, ring } = session;
  const knownAtFirst = ring.size;
  const endWatch = watchWaits(wire, input.onProgress);
  let judged: JudgedPlan;
  try {
    judged = await judgeAll({ session, judge, input, parts });
    evidence?.close(judged.complete && judge.findings.sliced?.isLimited !== true);
  } catch (error) {
    evidence?.close(false);
    store.dispose();
    throw error;
  } finally {
    endWatch();
    await wire.close();
  }

  const { head, contract, complete } = judged;
  const ordered = [...judged.plan.checks, ...judged.ofPage].flatMap((check) => judge.findings.of(check) ?? []);
  const gates = judge.findings.sliced?.results();
  const { observations } = judge.findings;
  // Frees the plan first, since building the results needs as much memory again.
  judged = { ...judged, plan: noPlan, ofPage: [] };
  judge.release();
  const results = buildResults(head, contract, {
    checks: input.deviate?.(ordered) ?? ordered,
    observations,
    strict: input.target.strict,
    complete,
    durationMs: Date.now() - session.startedAt.getTime(),
    requestsSent: wire.requestsSent,
    ...(gates ? { gates } : {}),
    ...(evidence?.resumed ? { resumed: evidence.resumed } : {}),
    baseline: input.baseline,
    exchange: (id) => store.get(id),
    rules: input.rules,
  });
  const record = recordOf(results, store);
  return ring.size === knownAtFirst ? record : redactedRecord(record, (text) => ring.redact(text));
};

const noPlan: Plan = { checks: [], subjects: [] };

interface RunUnderWay {
  readonly session: Session;
  readonly judge: RunJudge;
  readonly input: RunInput;
  readonly parts: RunParts;
}

/** The outcome of a run before its results are built. */
interface JudgedPlan {
  readonly head: ResultsBase;
  /** The contract with the values that were found for its parameters. */
  readonly contract: Contract;
  readonly plan: Plan;
  readonly ofPage: readonly KeyPageCheck[];
  /** False when the run was interrupted. */
  readonly complete: boolean;
}

/** Plans, sends and judges everything; the key page last, since a new key may revoke API_KEY. */
const judgeAll = async (run: RunUnderWay): Promise<JudgedPlan> => {
  const { session, judge, input, parts } = run;
  const { contract: document, target, signal } = input;
  const { deployment, sender, reader, readValues: values, inspector, underWay } = session;
  const choice = { only: input.only, rules: input.rules };
  const ofPage = keyPageChecksOf(document, input.rules ?? shippedRules, parts.keyPage, input.only);
  const first = await greet(document, deployment, {
    choice,
    target,
    sender,
    underWay,
    forget: (id) => session.store.forget(id),
    signal,
    onProgress: input.onProgress,
  });
  const isReachable = answerOf(first) !== undefined;
  const found = isReachable
    ? await planWithValues(document, { deployment, target, reader, values, inspector, choice, signal })
    : undefined;
  const contract = found?.contract ?? contractWithoutAnswers(document, deployment);
  const plan = found?.plan ?? planOf(contract, deployment, choice);
  const head = session.headOf(contract, found?.recorded, found?.identities);
  judge.planned = plan.checks.length + ofPage.length;
  input.onProgress?.({ type: 'planned', checks: judge.planned });

  const ofService = plan.checks.filter(({ stage }) => stage === 'service');
  const rest = plan.checks.filter(({ stage }) => stage !== 'service');
  for (const check of ofService) await judge.judge(check);
  if (isReachable) await judgeOperations(run, { checks: rest, subjects: plan.subjects });
  else for (const check of rest) await judge.by(check, async () => unreachable(first));
  await judgeKeyPage(run, ofPage);
  for (const check of ofService) await judge.judgeWatched(check);
  judge.noteEndedKeys(plan.checks);
  await session.wire.askWhetherSilent();
  judge.noteSilence();
  const complete = !session.isStopped();
  session.settle();
  return { head, contract, plan, ofPage, complete };
};

/** Judges the operations within the budget. */
const judgeOperations = async (
  { session, judge, input, parts: { evidence } }: RunUnderWay,
  { checks, subjects }: Plan,
): Promise<void> => {
  const { sender, live, rested, store, isStopped } = session;
  const { findings } = judge;
  judge.subjects = new Map(subjects.map((subject) => [subject.operation.id, subject]));
  findings.sliced = await sliceChecks({
    checks,
    subjects,
    budget: withKept(input.target, evidence),
    isWhole: input.isWhole,
    sender,
  });
  await judgeInStages(checks, {
    sender,
    judge: (check) => judge.judge(check),
    passesSoFar: (check) => judge.passesSoFar(check),
    isFull: () => store.held > mostHeld,
    release: (operations) => session.settle(operations),
    isAsked: (check) => findings.sliced?.unsent(check) === undefined,
    isWhole: (check) =>
      !live && !evidence?.has(check) && !findings.sliced && !isStopped() && check.excluded === undefined,
    between: (check) => (evidence?.has(check) ? undefined : findings.sliced?.between(check)),
    widen: async () => {
      await live?.confirm();
      const again = [...new Set([...(findings.sliced?.widen() ?? []), ...rested.take()])];
      findings.forget(again);
      return again;
    },
  });
};

const judgeKeyPage = async ({ session, judge, parts }: RunUnderWay, ofPage: readonly KeyPageCheck[]): Promise<void> => {
  const { allSender, ring, store } = session;
  const visited = visitOnce(parts.keyPage, {
    keys: ring,
    send: async (probe) => {
      await allSender.send([[probe]]);
      const exchange = store.get(exchangeId(probe));
      if (!exchange) throw new TypeError('a sent probe has an exchange');
      return exchange;
    },
  });
  for (const check of ofPage) await judge.by(check, async () => check.judge(await visited()));
};

/** Refers only to the results and the store, so that the rest of the run can be collected. */
const recordOf = (results: RunRecord['results'], store: Store): RunRecord => ({
  results,
  exchanges: (wanted) => store.exchanges(wanted),
  dispose: async () => store.dispose(),
});

/** Milliseconds between two checks for waiting, and how long a wait lasts before it is reported. */
const everyMs = 1_000;
const shortMs = 5_000;

/**
 * Reports while requests are held up for longer than a moment.
 * @returns a function that ends it
 */
const watchWaits = (wire: Pick<Wire, 'wait'>, onProgress: RunInput['onProgress']): (() => void) => {
  if (!onProgress) return () => {};
  let isHeldUp = false;
  const timer = setInterval(() => {
    const { wait } = wire;
    const isLong = wait !== undefined && wait.forMs >= shortMs;
    if (isLong) onProgress({ type: 'waiting', wait });
    else if (isHeldUp) onProgress({ type: 'resumed' });
    isHeldUp = isLong;
  }, everyMs).unref();
  return () => clearInterval(timer);
};
