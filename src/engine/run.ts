import type { Contract } from '../contract/model.js';
import { tool } from '../package.js';
import { rules as shippedRules } from '../rules/index.js';
import type { Judgement, OperationSubject } from '../rules/rule.js';
import { factsVersion } from '../wire/body-shape.js';
import { createWire } from '../wire/client.js';
import { createKeyRing } from '../wire/keyring.js';
import { createReadValues } from '../wire/read-values.js';
import { exchangeId, judgeThrough } from './ask.js';
import { createInspector } from './body-inspector.js';
import { sliceChecks } from './budget/slice-checks.js';
import { buildResults, type ResultsHead, subjectOf } from './build-results.js';
import { deploymentOf, traitsOf } from './deployment.js';
import { findingOf, outOfRequests, ownFault, stopped, unjudged, unreachable } from './finding.js';
import { Findings } from './findings.js';
import { foresee } from './foresee.js';
import { FirstSent, greet } from './greet.js';
import { keyPageChecksOf, visitOnce } from './key-page.js';
import { endedKeySeen, isKeyEnded, KeyEnded, KeyWatch, keyEnded, sparingEndedKeys } from './key-watch.js';
import { LiveKeys } from './live-keys.js';
import { type Check, type Plan, type PlannedCheck, planOf } from './plan.js';
import { planWithValues } from './plan-with-values.js';
import { fromElsewhere, isOwnersData, PrivateValues } from './private-values.js';
import { RestedOn } from './rested-on.js';
import type { RunRecord } from './results.js';
import { withKept } from './resume/kept-evidence.js';
import type { RunInput, RunParts } from './run-input.js';
import { newSalt, newSeed } from './seeds.js';
import { createSender, type Transmit } from './sender.js';
import { isPlain, judgeInStages } from './stages.js';
import { Store } from './store.js';
import { AnswerReader } from './values/answers.js';
import type { RecordedValues } from './values/recording.js';

/**
 * Exchanges kept in memory; above it, those of judged operations are written to disk. Bounds memory
 * on huge documents.
 */
const mostHeld = 1_000;

/**
 * Judges a target by a contract. Resolves with a record whatever the target does; rejects only for
 * errors of the suite itself.
 */
export const runConformance = (input: RunInput): Promise<RunRecord> => runWithParts(input, {});

/** The same together with other parts of the suite. */
export const runWithParts = async (input: RunInput, parts: RunParts): Promise<RunRecord> => {
  const { contract: document, target, signal } = input;
  const startedAt = new Date();
  const { evidence } = parts;
  const seed = evidence?.seed ?? input.seed ?? newSeed();
  const salt = evidence?.salt ?? input.salt ?? newSalt(seed);
  const ring = createKeyRing({ keys: target.keys, seed, ...(input.secrets ? { secrets: input.secrets } : {}) });
  const keys = traitsOf(target, ring);
  // Operations that are not selected are not looked at.
  const isPart = input.isPart ?? Array.isArray(input.only);
  const deployment = {
    ...deploymentOf(target, keys, seed, { at: startedAt.getTime(), salt }),
    ...(isPart ? { isPart } : {}),
  };
  const inspector = await createInspector(document, deployment, signal);
  const readValues = createReadValues();
  const underWay = new FirstSent();
  const wire = createWire({
    ...target,
    onSent: underWay.note,
    keys: ring,
    others: new Set((target.identities ?? []).flatMap((identity) => Object.values(identity.keys ?? {}))),
    salt,
    ...(signal ? { signal } : {}),
    values: readValues,
    inspect: (probe, answer) => {
      reader.inspect(probe, answer);
      return inspector?.inspect(probe, answer);
    },
  });
  const isStopped = (): boolean => signal?.aborted === true || wire.isExhausted;
  const stopping = (): Judgement => (signal?.aborted ? stopped : outOfRequests);
  const store = new Store();
  const isFromElsewhere = fromElsewhere(deployment);
  const values = new PrivateValues(
    ring,
    new Set(
      [...document.operations, ...document.unprobed].flatMap(({ id, access }) => (access === 'public' ? [] : [id])),
    ),
  );
  const watch = new KeyWatch(store);
  const rested = new RestedOn();
  const live =
    input.supply &&
    new LiveKeys({
      supply: input.supply,
      ring,
      wire,
      watch,
      onStale: (ids) => {
        for (const id of ids) store.forget(id);
        rested.forget(ids);
      },
    });
  const transmit: Transmit = live
    ? (probe, place, keep) => live.send(probe, place, keep)
    : (probe, place, keep) => wire.send(probe, place).then(keep);
  const allSender = createSender(transmit, store, (exchange) => {
    values.note(exchange);
    watch.note(exchange);
  });
  const sender = sparingEndedKeys(allSender, watch);
  const reader = new AnswerReader(deployment, sender);

  const headOf = (
    judged: Contract,
    recorded: RecordedValues | undefined,
    identities = deployment.identities ?? [],
  ): ResultsHead => ({
    schemaVersion: 1,
    tool,
    ...subjectOf(judged, target, input.options),
    recording: {
      seed,
      keys,
      facts: factsVersion,
      ...(isPart ? { part: true } : {}),
      ...(recorded ? { values: recorded } : {}),
      ...(identities.length > 0 ? { identities } : {}),
    },
    startedAt: startedAt.toISOString(),
  });
  const findings = new Findings({
    strict: target.strict,
    onFinding: (finding, observations) => {
      parts.journal?.add({
        finding: input.deviate?.([finding])[0] ?? finding,
        observations,
        requestsSent: wire.requestsSent,
      });
      input.onProgress?.({ type: 'checked', finding, done: findings.size, checks: plan.checks.length + ofPage.length });
    },
  });
  const settle = (operations?: Iterable<string>): void => {
    store.settle({
      ...(operations ? { operations } : {}),
      ...(live && operations ? { isOpen: (id: string) => live.isUnconfirmed(id) } : {}),
      isData: (exchange) =>
        isFromElsewhere(exchange) || (target.evidence === 'shape' && isOwnersData(exchange, values)),
      isPrivate: (field) => values.standIn(field),
    });
  };
  const judgeBy = async (check: PlannedCheck, judging: () => Promise<Judgement>): Promise<void> => {
    const started = performance.now();
    if (findings.of(check)) return;
    const unsent = findings.sliced?.unsent(check);
    if (check.excluded !== undefined) findings.conclude(check, unjudged(check), started);
    else if (isStopped()) findings.conclude(check, stopping(), started);
    else if (unsent) findings.conclude(check, unsent, started);
    else {
      const judgement = await judging().catch((error: unknown) =>
        error instanceof KeyEnded ? keyEnded(error.key) : ownFault(error, ring),
      );
      values.opened([...(judgement.outcome === 'failed' ? judgement.exchanges : []), ...(judgement.opened ?? [])]);
      findings.conclude(check, isStopped() && judgement.outcome !== 'failed' ? stopping() : judgement, started);
    }
  };

  const judge = (check: Check): Promise<void> =>
    judgeBy(check, () => {
      const slice = findings.sliced?.sliceOf(check);
      const from = live ? rested.noting(check, sender, (id) => live.isUnconfirmed(id)) : sender;
      // What was kept says nothing of when its key ended.
      return evidence && !live
        ? evidence.judge(check, subjects.get(check.operation), slice, { sender: from, store, keys: ring })
        : judgeThrough((ask) => check.judge(ask, slice), from, !isPlain(check));
    });

  const passesSoFar = async (check: Check): Promise<boolean> => {
    // What a key that may end has sent may have to be forgotten.
    if (live || evidence?.has(check) || isStopped() || check.excluded !== undefined || findings.of(check)) return false;
    if (findings.sliced?.unsent(check)) return false;
    const foreseen = await foresee(check, findings.sliced?.sliceOf(check), sender).catch(() => undefined);
    return foreseen?.outcome === 'passed';
  };

  const choice = { only: input.only, rules: input.rules };
  const ofPage = keyPageChecksOf(document, input.rules ?? shippedRules, parts.keyPage, input.only);
  let plan: Plan = { checks: [], subjects: [] };
  let subjects: ReadonlyMap<string, OperationSubject> = new Map();
  let contract = document;
  let head = headOf(document, undefined);
  let complete = true;
  try {
    const reachable = await greet(document, deployment, { choice, target, sender, underWay });
    if (reachable) {
      const found = await planWithValues(document, {
        deployment,
        target,
        reader,
        values: readValues,
        inspector,
        choice,
        signal,
      });
      ({ contract, plan } = found);
      head = headOf(contract, found.recorded, found.identities);
    } else plan = planOf(document, deployment, choice);
    parts.journal?.begin({ results: head, clauses: contract.clauses, gaps: contract.gaps, strict: target.strict }, [
      ...[...plan.checks, ...ofPage].map((check) => findingOf(check, unjudged(check), 0)),
    ]);
    input.onProgress?.({ type: 'planned', checks: plan.checks.length + ofPage.length });
    for (const check of plan.checks.filter(({ stage }) => stage === 'service')) await judge(check);
    const rest = plan.checks.filter(({ stage }) => stage !== 'service');
    if (reachable) {
      subjects = new Map(plan.subjects.map((subject) => [subject.operation.id, subject]));
      findings.sliced = await sliceChecks({
        checks: rest,
        subjects: plan.subjects,
        budget: withKept(target, evidence),
        isWhole: input.isWhole,
        sender,
      });
      await judgeInStages(rest, {
        sender,
        judge,
        passesSoFar,
        isFull: () => store.held > mostHeld,
        release: settle,
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
    } else for (const check of rest) await judgeBy(check, async () => unreachable);
    const visited = visitOnce(parts.keyPage, {
      keys: ring,
      send: async (probe) => {
        await allSender.send([[probe]]);
        const exchange = store.get(exchangeId(probe));
        if (!exchange) throw new TypeError('a sent probe has an exchange');
        return exchange;
      },
    });
    // Last: making a key may revoke the one in API_KEY.
    for (const check of ofPage) await judgeBy(check, async () => check.judge(await visited()));
    // A key that ends is noticed a little later than it ends.
    for (const check of plan.checks) {
      const finding = findings.of(check);
      const ended = finding && (watch.behind(finding) ?? (rested.hasLost(check) ? live?.endless() : undefined));
      if (!ended) continue;
      findings.forget([check]);
      findings.conclude(check, keyEnded(ended), performance.now() - finding.durationMs);
    }
    for (const [operation, exchange] of watch.refusals()) {
      const check = plan.checks.find((one) => one.operation === operation && isKeyEnded(findings.of(one)));
      if (check) findings.observe(check, endedKeySeen(exchange));
    }
    complete = !isStopped();
    settle();
    evidence?.close(complete && findings.sliced?.isLimited !== true);
  } catch (error) {
    evidence?.close(false);
    store.dispose();
    throw error;
  } finally {
    await wire.close();
  }

  const ordered = [...plan.checks, ...ofPage].flatMap((check) => findings.of(check) ?? []);
  const gates = findings.sliced?.results();
  const { observations } = findings;
  // Results take as much memory again.
  plan = { checks: [], subjects: [] };
  subjects = new Map();
  findings.release();
  const results = buildResults(head, contract, {
    checks: input.deviate?.(ordered) ?? ordered,
    observations,
    strict: target.strict,
    complete,
    durationMs: Date.now() - startedAt.getTime(),
    requestsSent: wire.requestsSent,
    ...(gates ? { gates } : {}),
    ...(evidence?.resumed ? { resumed: evidence.resumed } : {}),
    baseline: input.baseline,
    exchange: (id) => store.get(id),
  });
  return recordOf(results, store);
};

/**
 * Refers to the results and the store only, so that everything else of the run can be collected.
 */
const recordOf = (results: RunRecord['results'], store: Store): RunRecord => ({
  results,
  exchanges: (wanted) => store.exchanges(wanted),
  dispose: async () => store.dispose(),
});
