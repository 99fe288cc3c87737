import { present } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { tool } from '../package.js';
import { answerOf } from '../rules/oracle/answers.js';
import type { Deployment, Judgement, Rule, Slice } from '../rules/rule.js';
import { because } from '../rules/support/judgement.js';
import { parseHttpsBase } from '../settings/value-parsers.js';
import { factsVersion } from '../wire/body-shape.js';
import { type Exchange, exchangeId, type Probe } from '../wire/types.js';
import { judgeThrough, type Sender } from './ask.js';
import { onWholeGate } from './budget/sliced-checks.js';
import { buildResults, describeContract, operationsOf } from './build-results.js';
import { type Baseline, isComparable, observationsIn } from './facts.js';
import { findingOf, observationsOf } from './findings.js';
import { isKeyEnded, keyEnded } from './live-keys/key-watch.js';
import { isBroken, type Outcome } from './outcomes.js';
import type { Check } from './plan.js';
import type { Finding, Observation, RunRecord } from './results.js';
import { firstExchange } from './starting-service.js';
import { suiteFault, unreachable } from './unjudged.js';
import { openedAtFirst, recordedChecks } from './values/plan-with-values.js';
import { withValues } from './values/recording.js';
import { createWatchList, type WatchList } from './watched-exchanges.js';

/** Judges a recorded run again, offline. */

/** A check whose finding changed; `undefined` where one of the two runs does not have it. */
export interface Change {
  readonly check: string;
  readonly title: string;
  readonly before: Outcome | undefined;
  readonly after: Outcome | undefined;
  /** The new reason, or why there is none. */
  readonly reason: string;
}

export interface JudgedAgain {
  /** The same exchanges with the new findings. */
  readonly record: RunRecord;
  readonly changes: readonly Change[];
}

/** A run that cannot be judged again; the message says why. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** Reconstructs the baseline of a recorded run from its facts and its drift. */
const baselineOf = ({ drift, facts = [], options, contract }: RecordedResults): Baseline | undefined => {
  if (!drift) return undefined;
  const differing = new Map(drift.map(({ id, was }) => [id, was]));
  const same = facts.filter((fact) => isComparable(fact) && !differing.has(fact.id));
  return {
    facts: Object.fromEntries([
      ...same.map(({ id, value }) => [id, value] as const),
      ...[...differing].flatMap(([id, was]) => (was === undefined ? [] : [[id, was] as const])),
    ]),
    contract,
    fails: options.FAIL_ON_DRIFT === true,
  };
};

/** Thrown when a judge asks for a probe that was not recorded. */
class NotRecorded {
  readonly probe: Probe;
  constructor(probe: Probe) {
    this.probe = probe;
  }
}

type RecordedResults = RunRecord['results'];

/** The recorded deployment, as rules see it. */
const deploymentIn = ({ target, options, recording, startedAt }: RecordedResults): Deployment => {
  const base = parseHttpsBase(target.baseUrl).value ?? { origin: target.baseUrl, basePath: '' };
  return {
    ...base,
    httpBaseUrl: target.httpBaseUrl,
    keys: recording.keys,
    probes: options.PROBES === 'standard' ? 'standard' : 'extended',
    probeKeyInUrl: options.PROBE_KEY_IN_URL === true,
    insecureTls: options.INSECURE_TLS === true,
    caFile: options.CA_FILE === true,
    seed: recording.seed,
    at: Date.parse(startedAt),
    identities: recording.identities,
    isPart: recording.part,
  };
};

const lookingUp = async (record: RunRecord, watched: WatchList): Promise<Sender> => {
  const exchanges = new Map<string, Exchange>();
  for await (const exchange of record.exchanges()) {
    exchanges.set(exchange.id, exchange);
    watched.note(exchange);
  }
  return {
    get: (id) => exchanges.get(id),
    send: async (series) => {
      const [missing] = series.flatMap((probes) => probes.filter((probe) => !exchanges.has(exchangeId(probe))));
      if (missing) throw new NotRecorded(missing);
    },
  };
};

/** The part of a battery that was sent. */
const sliceIn = ({ tricks, again }: NonNullable<Finding['tried']>): Slice => ({
  has: (trick) => tricks.includes(trick),
  ...(again ? { occasion: onWholeGate } : {}),
});

/** What recorded answers are judged with. */
interface Recorded {
  readonly sender: Sender;
  readonly watched: WatchList;
  /** The first exchange of the run; `undefined` if it was not recorded. */
  readonly first: Exchange | undefined;
}

const unasked: ReadonlySet<string | undefined> = new Set(['run-stopped', 'service-silent', 'budget']);

const judged = async (check: Check, { sender, watched, first }: Recorded, before: Finding): Promise<Judgement> => {
  if (check.excluded !== undefined) return { outcome: 'excluded', reason: check.excluded, exchanges: [] };
  // Nothing was sent for this check, so its finding stays.
  if (unasked.has(before.cause?.id) || before.tried?.tricks.length === 0)
    return {
      outcome: before.outcome,
      reason: before.reason,
      ...(before.cause ? { cause: before.cause } : {}),
      exchanges: [],
    };
  const [setting = '', at = ''] = before.cause?.id === 'key-ended' ? (before.cause.values ?? []) : [];
  if (setting !== '') return keyEnded({ setting, at });
  if (first && !answerOf(first) && check.stage !== 'service') return unreachable(first);
  try {
    const slice = before.tried && sliceIn(before.tried);
    return await judgeThrough((ask) => check.judge(ask, slice, watched.by(check)), sender);
  } catch (error) {
    if (!(error instanceof NotRecorded)) return suiteFault(error, { redact: (text) => text });
    const { method, target, name } = error.probe;
    return {
      outcome: 'inconclusive',
      cause: because('not-recorded'),
      reason: `The recording has no answer to a request that today’s rules look at: ${method} ${target}, ${name}. Run the suite again.`,
      exchanges: [],
    };
  }
};

/** Reasons name lines of the contract's file. If its path has changed, the recorded one is kept. */
const withRecordedFileName =
  (today: string, then: string) =>
  (judgement: Judgement): Judgement => {
    if (today === then) return judgement;
    const renamed = (text: string): string => text.replaceAll(`${today}:`, `${then}:`);
    const { reason, note, cause, expected, seen } = judgement;
    return present({
      ...judgement,
      reason: renamed(reason),
      note: note && renamed(note),
      cause: cause?.values ? { ...cause, values: cause.values.map(renamed) } : cause,
      expected: expected && renamed(expected),
      seen: seen && renamed(seen),
    });
  };

/** The part of a finding that rules decide, for comparison. */
const comparedText = ({ durationMs: _durationMs, deviation: _deviation, ...finding }: Finding): string =>
  JSON.stringify(finding);

/** Keeps an accepted deviation as long as the check is still broken. */
const stillAccepted = (finding: Finding, before: Finding, strict: boolean): Finding =>
  before.deviation && isBroken(finding.outcome, strict) ? { ...finding, deviation: before.deviation } : finding;

/** @throws {RecordingError} for a run that today's rules cannot judge */
const checkRecording = ({ recording }: RecordedResults): void => {
  if (recording.seed === '') throw new RecordingError('the shards of its run drew keys and paths of their own.');
  const { facts = 1 } = recording;
  if (facts !== factsVersion)
    throw new RecordingError(
      `it keeps facts of bodies of version ${facts}, and this version of the suite reads ${factsVersion}: run the suite again.`,
    );
};

interface JudgedChecks {
  readonly findings: Map<string, Finding>;
  readonly observations: Observation[];
}

/** Judges the checks of a plan that were part of the run. */
const judgeRecorded = async (
  plan: readonly Check[],
  results: RecordedResults,
  recorded: Recorded,
  documentName: string,
): Promise<JudgedChecks> => {
  const strict = results.options.STRICT === true;
  const asRecorded = withRecordedFileName(documentName, results.contract.file);
  const before = new Map(results.checks.map((finding) => [finding.id, finding]));
  const findings = new Map<string, Finding>();
  const observations: Observation[] = [];
  for (const check of plan) {
    const last = before.get(check.id);
    if (!last) continue;
    const judgement = asRecorded(await judged(check, recorded, last));
    // Keeps the recorded observation where the current rule asks for more requests.
    if (judgement.cause?.id === 'not-recorded' && check.rule.clauses.length === 0) continue;
    findings.set(check.id, stillAccepted(findingOf(check, judgement, last.durationMs, last.tried), last, strict));
    observations.push(...observationsOf(check.id, judgement));
  }
  return { findings, observations };
};

/** Adds the findings that cannot be judged again: of the key page, and what the rules left out. */
const carryOver = (
  results: RecordedResults,
  plan: readonly Check[],
  { findings, observations }: JudgedChecks,
): JudgedChecks => {
  const planned = new Set(plan.map(({ id }) => id));
  const carried = results.checks.filter(
    ({ id, operation }) => !findings.has(id) && (operation === 'key-page' || planned.has(id)),
  );
  const kept = new Set([...carried, ...results.checks.filter(isKeyEnded)].map(({ id }) => id));
  return {
    findings: new Map([...findings, ...carried.map((finding) => [finding.id, finding] as const)]),
    observations: [...observations, ...observationsIn(results).filter(({ check }) => kept.has(check))],
  };
};

const changesIn = ({ checks }: RecordedResults, findings: ReadonlyMap<string, Finding>): readonly Change[] =>
  checks.flatMap((before): Change[] => {
    const after = findings.get(before.id);
    if (after && comparedText(after) === comparedText(before)) return [];
    const { id, title, outcome } = before;
    const reason = after?.reason ?? 'Today’s rules have no such check.';
    return [{ check: id, title: after?.title ?? title, before: outcome, after: after?.outcome, reason }];
  });

/**
 * Judges a recorded run with the current rules, offline. Judges are pure functions of exchanges, so
 * the same version of the suite always returns the same findings. Checks that were not part of the
 * run are not added. Findings of the key page, which need a browser, are carried over.
 * @param document the contract of the run, byte for byte
 * @param options.rules the shipped rules when absent
 * @throws {RecordingError} for a run whose shards had different seeds, or whose body facts have
 * another version
 */
export const judgeAgain = async (
  record: RunRecord,
  document: Contract,
  { rules }: { readonly rules?: readonly Rule[] } = {},
): Promise<JudgedAgain> => {
  const { results } = record;
  checkRecording(results);
  const deployment = deploymentIn(results);
  const opened = openedAtFirst(document, deployment);
  const contract = withValues(opened, results.recording.values);
  const watched = createWatchList(rules);
  const sender = await lookingUp(record, watched);
  const recorded = new Set(results.checks.map(({ id }) => id));
  const plan = recordedChecks(opened, results.recording.values, deployment, {
    only: ({ id }) => recorded.has(id),
    rules,
  });
  const first = await firstExchange(contract, deployment, sender).catch((error: unknown) => {
    if (error instanceof NotRecorded) return undefined;
    throw error;
  });
  const again = await judgeRecorded(plan, results, { sender, watched, first }, contract.file);
  const { findings, observations } = carryOver(results, plan, again);
  const { title, version } = contract;
  const head = {
    ...results,
    tool,
    contract: { ...describeContract(contract), ...results.contract, title, version },
    operations: operationsOf(contract),
  };
  return {
    changes: changesIn(results, findings),
    record: {
      ...record,
      exchanges: (wanted) => record.exchanges(wanted),
      dispose: () => record.dispose(),
      results: buildResults(head, contract, {
        checks: results.checks.flatMap(({ id }) => findings.get(id) ?? []),
        observations,
        strict: results.options.STRICT === true,
        complete: results.complete,
        durationMs: results.durationMs,
        requestsSent: results.requestsSent,
        baseline: baselineOf(results),
        ...present({ gates: results.gates, resumed: results.resumed }),
        exchange: (id) => sender.get(id),
        rules,
      }),
    },
  };
};
