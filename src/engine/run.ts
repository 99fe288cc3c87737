import { randomBytes } from 'node:crypto';
import { groupBy } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { tool } from '../package.js';
import { firstAnswered } from '../rules/https.js';
import { answerOf } from '../rules/oracle/answers.js';
import type { Deployment, Judgement, Stage } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import { factsVersion } from '../wire/body-facts.js';
import { createWire } from '../wire/client.js';
import { createKeyRing, type KeyRing } from '../wire/keyring.js';
import type { Exchange, Probe } from '../wire/types.js';
import { fromElsewhere, isOwnersData, PrivateValues } from './evidence.js';
import { createInspector } from './inspect.js';
import type { Journal, JournalHead } from './journal.js';
import { exchangeId, judgeThrough, type Sender } from './look.js';
import { createPhrases } from './phrases.js';
import { type Check, planOf, type Selection } from './plan.js';
import type { Finding, OperationResult, Results, RunRecord } from './results.js';
import { createSender } from './sending.js';
import { Store } from './store.js';
import { clausesOf, countsOf, gapsOf, verdictOf } from './verdict.js';

export type ProgressEvent =
  | { readonly type: 'planned'; readonly checks: number }
  | { readonly type: 'checked'; readonly finding: Finding; readonly done: number; readonly checks: number };

export interface Observation {
  readonly check: string;
  readonly gap: string;
  readonly fact: string;
  readonly exchanges: readonly string[];
}

/** Findings that another part of the suite makes with the same client and keys (the key page). */
export interface OtherChecks {
  (tools: {
    readonly keys: KeyRing;
    readonly send: (probe: Probe) => Promise<Exchange>;
  }): Promise<{ readonly findings: readonly Finding[]; readonly observations: readonly Observation[] }>;
  /** The same findings where the run does not come to them. */
  readonly unjudged?: readonly Finding[];
}

export interface RunInput {
  readonly contract: Contract;
  readonly target: Target;
  /** Goes into the results as it is: every setting that changes what is judged. */
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
  /** Which checks; everything when absent. */
  readonly only?: Selection;
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Secrets beside the keys that must not get into any artefact. */
  readonly secrets?: readonly string[];
  readonly others?: OtherChecks;
  /** Shared by processes that judge one run together; random when absent. */
  readonly seed?: string;
  /** Salt of stored digests, shared like the seed, and a secret: with it a digest can be searched for its scalar. */
  readonly salt?: string;
  /** Attaches known deviations to findings before the verdict. */
  readonly deviate?: (findings: readonly Finding[]) => readonly Finding[];
  /** Is told of each finding at once, for results of a run that cannot end by itself. */
  readonly journal?: Journal;
}

/** What rules may know of the keys that were given. */
export const traitsOf = ({ keys }: Pick<Target, 'keys'>, ring: KeyRing): Deployment['keys'] =>
  Object.fromEntries(
    Object.keys(keys).map((setting) => {
      const { mixesCase, signed } = ring.traits(setting);
      return [setting, { mixesCase, ...(signed ? { signed } : {}) }];
    }),
  );

/** What rules may know of a target. `at`: the moment as of which certificates are judged. */
export const deploymentOf = (
  target: Omit<Deployment, 'keys' | 'seed' | 'at' | 'caFile'> & { readonly ca?: string },
  keys: Deployment['keys'],
  seed: string,
  at?: number,
): Deployment => ({
  origin: target.origin,
  basePath: target.basePath,
  httpBaseUrl: target.httpBaseUrl,
  keys,
  probes: target.probes,
  probeKeyInUrl: target.probeKeyInUrl,
  insecureTls: target.insecureTls,
  caFile: target.ca !== undefined,
  seed,
  ...(at === undefined ? {} : { at }),
});

/** Operations that go through the stages together, with nothing else asked meanwhile: all of most contracts, and the first of any. */
const firstTogether = 24;

/** Of the others, so many are under way at the same time: while some wait for the last answers of a stage, the rest keep the line busy. */
const lanes = 16;

/** Exchanges that are held in memory before those of judged operations are let go of: bounds memory on huge documents. */
const mostHeld = 1_000;

/** Judges a target by a contract. Resolves with a record for whatever the target does; rejects for faults of our own alone. */
export const runConformance = async (input: RunInput): Promise<RunRecord> => {
  const { contract, target, signal } = input;
  const startedAt = new Date();
  const seed = input.seed ?? randomBytes(16).toString('hex');
  const salt = input.salt ?? `${seed}${randomBytes(16).toString('hex')}`;
  const ring = createKeyRing({ keys: target.keys, seed, ...(input.secrets ? { secrets: input.secrets } : {}) });
  const keys = traitsOf(target, ring);
  // Where somebody chose the checks, other operations stay out of it.
  const isPart = Array.isArray(input.only);
  const deployment = { ...deploymentOf(target, keys, seed, startedAt.getTime()), ...(isPart ? { isPart } : {}) };
  const plan = planOf(contract, deployment, input.only);
  const inspect = await createInspector(contract, deployment, signal);
  const wire = createWire({
    ...target,
    keys: ring,
    salt,
    ...(signal ? { signal } : {}),
    ...(inspect ? { inspect } : {}),
  });
  const store = new Store();
  const isFromElsewhere = fromElsewhere(deployment);
  const values = new PrivateValues(
    ring,
    new Set(contract.operations.flatMap(({ id, access }) => (access === 'public' ? [] : [id]))),
  );
  const sender = createSender(wire, store, (exchange) => values.note(exchange));

  const findings = new Map<Check, Finding>();
  const observations: Observation[] = [];
  const inSharedWords = createPhrases();
  const settle = (operations?: Iterable<string>): void => {
    store.settle({
      ...(operations ? { operations } : {}),
      isData: (exchange) =>
        isFromElsewhere(exchange) || (target.evidence === 'shape' && isOwnersData(exchange, values)),
    });
  };
  const note = (finding: Finding, facts: readonly Observation[]): void =>
    input.journal?.add({
      finding: input.deviate?.([finding])[0] ?? finding,
      observations: facts,
      requestsSent: wire.requestsSent,
    });
  const conclude = (check: Check, judgement: Judgement, started: number): void => {
    const finding = inSharedWords(findingOf(check, judgement, performance.now() - started));
    findings.set(check, finding);
    const facts = (judgement.facts ?? []).map(({ gap, fact, exchanges }) => ({
      check: finding.id,
      gap,
      fact,
      exchanges: exchanges.map(({ id }) => id),
    }));
    observations.push(...facts);
    note(finding, facts);
    input.onProgress?.({ type: 'checked', finding, done: findings.size, checks: plan.checks.length });
  };
  const judge = async (check: Check, judging: Check['judge'] = (look) => check.judge(look)): Promise<void> => {
    const started = performance.now();
    if (findings.has(check)) return;
    if (check.excluded !== undefined || signal?.aborted) conclude(check, unjudged(check), started);
    else {
      const judgement = await judgeThrough(judging, sender).catch((error: unknown) => ownFault(error, ring));
      values.opened([...(judgement.outcome === 'failed' ? judgement.exchanges : []), ...(judgement.opened ?? [])]);
      conclude(check, signal?.aborted && judgement.outcome !== 'failed' ? stopped : judgement, started);
    }
  };

  const head: JournalHead['results'] = {
    schemaVersion: 1,
    tool,
    contract: judgedContract(contract),
    target: { name: target.name, baseUrl: `${target.origin}${target.basePath}`, httpBaseUrl: target.httpBaseUrl },
    options: input.options,
    recording: { seed, keys, facts: factsVersion, ...(isPart ? { part: true } : {}) },
    startedAt: startedAt.toISOString(),
    operations: operationsOf(contract),
  };
  input.journal?.begin({ results: head, clauses: contract.clauses, gaps: contract.gaps, strict: target.strict }, [
    ...plan.checks.map((check) => findingOf(check, unjudged(check), 0)),
    ...(input.others?.unjudged ?? []),
  ]);

  input.onProgress?.({ type: 'planned', checks: plan.checks.length });
  let complete = true;
  let otherFindings: readonly Finding[] = [];
  try {
    const reachable = await reach(contract, deployment, sender);
    for (const check of plan.checks.filter(({ stage }) => stage === 'service')) await judge(check);
    const rest = plan.checks.filter(({ stage }) => stage !== 'service');
    if (reachable) {
      const byOperation = [...groupBy(rest, ({ operation }) => operation).values()];
      const [first, others] = [byOperation.slice(0, firstTogether).flat(), byOperation.slice(firstTogether)];
      for (const late of [false, true]) {
        const done = new Set<string>();
        const judgeAll = async (checks: readonly Check[]): Promise<void> => {
          await inStages(
            checks.filter(({ stage }) => (stage === 'wrong-keys') === late),
            sender,
            judge,
          );
          for (const { operation } of checks) done.add(operation);
          if (store.held <= mostHeld) return;
          settle(done);
          done.clear();
        };
        await judgeAll(first);
        await inLanes(others, judgeAll);
      }
    } else for (const check of rest) await judge(check, () => unreachable);
    const others = (await input.others?.({
      keys: ring,
      send: async (probe) => {
        await sender.send([[probe]]);
        const exchange = store.get(exchangeId(probe));
        if (!exchange) throw new TypeError('a sent probe has an exchange');
        return exchange;
      },
    })) ?? { findings: [], observations: [] };
    otherFindings = others.findings;
    observations.push(...others.observations);
    for (const finding of otherFindings)
      note(
        finding,
        others.observations.filter(({ check }) => check === finding.id),
      );
    complete = !signal?.aborted;
    settle();
  } catch (error) {
    store.dispose();
    throw error;
  } finally {
    await wire.close();
  }

  const ordered = [...plan.checks.flatMap((check) => findings.get(check) ?? []), ...otherFindings];
  const checks = input.deviate?.(ordered) ?? ordered;
  const results: RunRecord['results'] = {
    ...head,
    durationMs: Date.now() - startedAt.getTime(),
    verdict: verdictOf(checks, { strict: target.strict, complete }),
    complete,
    counts: countsOf(checks),
    requestsSent: wire.requestsSent,
    clauses: clausesOf(contract, checks),
    checks,
    gaps: gapsOf(contract, observations),
  };
  return recordOf(results, store);
};

/** Holds the results and the store, and so nothing else that the run needed. */
const recordOf = (results: RunRecord['results'], store: Store): RunRecord => ({
  results,
  exchanges: () => store.exchanges(),
  dispose: async () => store.dispose(),
});

/** Of checks that the run did not come to. */
export const stopped: Judgement = {
  outcome: 'inconclusive',
  reason: 'The run was stopped before this was judged.',
  exchanges: [],
};

/** What is said of a check that is not looked at. */
const unjudged = ({ excluded }: Check): Judgement =>
  excluded === undefined ? stopped : { outcome: 'excluded', reason: excluded, exchanges: [] };

/** A fault of the suite itself spoils one check, never the run, and is never taken for the server's. */
export const ownFault = (error: unknown, { redact }: Pick<KeyRing, 'redact'>): Judgement => ({
  outcome: 'inconclusive',
  reason: `The suite itself failed here (please report it): ${redact(error instanceof Error ? `${error.name}: ${error.message}` : String(error))}.`,
  exchanges: [],
});

export const unreachable: Judgement = {
  outcome: 'blocked',
  reason: 'Rests on serves-https@service, which did not pass: no request got through.',
  blockedBy: ['serves-https@service'],
  exchanges: [],
};

/** Whether requests get through at all: one that the service's own check looks at was answered. */
export const reach = async (contract: Contract, deployment: Deployment, sender: Sender): Promise<boolean> => {
  let reached = false;
  await judgeThrough((look) => {
    const exchange = firstAnswered(look, { contract, deployment });
    reached = answerOf(exchange) !== undefined;
    return { outcome: 'observed', reason: '', exchanges: [exchange] };
  }, sender);
  return reached;
};

/**
 * Runs the rounds one after the other; within a round everything goes together, queued in the order of its stages. What needs no key goes out before any key does.
 */
const inStages = async (
  checks: readonly Check[],
  sender: Sender,
  judge: (check: Check) => Promise<void>,
): Promise<void> => {
  const opening = checks
    .filter(({ stage, excluded }) => excluded === undefined && (stage === 'anonymous' || stage === 'keyed'))
    .flatMap((check) => check.probes().filter((probe) => !carriesKey(probe)));
  await sender.send(opening.map((probe) => [probe]));
  for (const together of rounds) {
    const inOrder = together.flatMap((stage) => checks.filter((check) => check.stage === stage));
    await Promise.all(inOrder.map((check) => judge(check)));
  }
};

/**
 * Stages that are judged together. What rests on the keyed reads waits for them, and wrong keys for everything else: a server
 * may ban who sends them. What a key leaves behind, another request may clear away, so nothing else is asked meanwhile.
 */
const rounds: readonly (readonly Stage[])[] = [
  ['service', 'anonymous', 'keyed'],
  ['leftovers'],
  ['shapes', 'ways-round'],
  ['wrong-keys'],
];

const carriesKey = ({ target, headers }: Probe): boolean =>
  target.includes('<API_KEY') || headers.some(([, value]) => value.includes('<API_KEY'));

const inLanes = async <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
  const next = all.values();
  const lane = async (): Promise<void> => {
    for (const one of next) await work(one);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};

export const findingOf = (check: Check, judgement: Judgement, durationMs: number): Finding => ({
  id: check.id,
  rule: check.rule.id,
  clauses: check.clauses,
  operation: check.operation,
  title: check.rule.title,
  outcome: judgement.outcome,
  reason: judgement.reason,
  ...(judgement.note === undefined ? {} : { note: judgement.note }),
  ...(judgement.expected === undefined ? {} : { expected: judgement.expected }),
  ...(judgement.seen === undefined ? {} : { seen: judgement.seen }),
  ...(judgement.blockedBy === undefined ? {} : { blockedBy: judgement.blockedBy }),
  exchanges: [...new Set(judgement.exchanges.map(({ id }) => id))],
  ...readingsOf(judgement),
  comparedWith: [...new Set((judgement.comparedWith ?? []).map(({ id }) => id))],
  durationMs: Math.round(durationMs),
});

/** Of what passed, the exchanges say enough. */
const readingsOf = ({ outcome, readings = [] }: Judgement): Pick<Finding, 'readings'> =>
  outcome === 'passed' || readings.length === 0
    ? {}
    : { readings: readings.map(({ exchange, line, verdict }) => ({ exchange: exchange.id, line, verdict })) };

/** What a run was judged by. */
export const judgedContract = ({ title, version, file, sha256, overlays }: Contract): Results['contract'] => ({
  title,
  version,
  file,
  sha256,
  ...(overlays.length > 0 ? { overlays } : {}),
});

/** Coverage of the contract's document. */
export const operationsOf = (contract: Contract): OperationResult[] => [
  ...contract.operations.map(({ id, method, path, access, position }) => ({
    id,
    method,
    path,
    access,
    probed: true,
    position: `${position.file}:${position.line}`,
  })),
  ...contract.unprobed.map(({ id, method, path, access, reason }) => ({
    id,
    method,
    path,
    access,
    probed: false,
    reason,
  })),
];
