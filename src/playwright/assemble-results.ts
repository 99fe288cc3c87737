import { buildResults } from '../engine/build-results.js';
import { observationsIn } from '../engine/facts.js';
import { outcomes } from '../engine/outcomes.js';
import type { Finding, Recording, RunRecord } from '../engine/results.js';
import { identitiesTogether } from '../engine/values/own-values.js';
import { valuesTogether } from '../engine/values/recording.js';
import { tool } from '../package.js';
import { decisiveExchanges } from '../report/write.js';
import type { Exchange } from '../wire/types.js';
import type { Evidence } from './evidence.js';
import type { RunHead } from './run-metadata.js';

export interface Times {
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Shards with different seeds, or of different versions, cannot be judged again together. */
const recordingOf = (evidence: readonly Evidence[], chosen: readonly Evidence[]): Recording => {
  const keys = evidence[0]?.recording.keys ?? {};
  const [seed = '', ...others] = new Set(evidence.map(({ recording }) => recording.seed));
  const [facts, ...otherFacts] = new Set(evidence.map(({ recording }) => recording.facts));
  const values = chosen.flatMap(({ recording }) => recording.values ?? []);
  const identities = chosen.flatMap(({ recording }) => (recording.identities ? [recording.identities] : []));
  return {
    seed: others.length > 0 || otherFacts.length > 0 ? '' : seed,
    keys,
    ...(facts === undefined || otherFacts.length > 0 ? {} : { facts }),
    ...(values.length > 0 ? { values: valuesTogether(values) } : {}),
    ...(identities.length > 0 ? { identities: identitiesTogether(identities) } : {}),
  };
};

const badness = ({ finding }: Evidence): number => outcomes.findIndex(({ outcome }) => outcome === finding.outcome);

/** The worst evidence of each check. `--repeat-each` or a doubled shard gives several. */
const oneOfEach = (evidence: readonly Evidence[]): readonly Evidence[] => {
  const chosen = new Map<string, Evidence>();
  for (const part of evidence) {
    const before = chosen.get(part.finding.id);
    if (!before || badness(part) < badness(before)) chosen.set(part.finding.id, part);
  }
  return [...chosen.values()];
};

/** With chosen tests alone, a baseline would say that all else is gone. */
const baselineFor = ({ baseline, checks }: RunHead, judged: readonly Finding[]): RunHead['baseline'] =>
  judged.length < checks.length ? undefined : baseline;

/** Whether every selected check was judged. */
export const areJudged = (selected: ReadonlySet<string>, findings: readonly Finding[]): boolean =>
  findings.length >= selected.size;

/**
 * Puts the results of a run together from what its tests attached, in any order and of any shards.
 * @param interrupted the run was cut short, so it cannot be complete
 */
export const assemble = (head: RunHead, all: readonly Evidence[], times: Times, interrupted: boolean): RunRecord => {
  const evidence = oneOfEach(all);
  const exchanges = new Map<string, Exchange>();
  const requests = new Map<string, number>();
  for (const part of evidence) {
    for (const exchange of part.exchanges) if (!exchanges.has(exchange.id)) exchanges.set(exchange.id, exchange);
    requests.set(part.finding.operation, part.requestsSent);
  }
  const order = new Map(head.checks.map((id, index) => [id, index]));
  const placeOf = (check: string): number => order.get(check) ?? order.size;
  const checks = evidence.map(({ finding }) => finding).sort((a, b) => placeOf(a.id) - placeOf(b.id));
  const observations = evidence
    .flatMap((part) => part.observations)
    .sort((a, b) => placeOf(a.check) - placeOf(b.check));
  const described = new Map(evidence.flatMap((part) => (part.described ? [[part.described.id, part.described]] : [])));
  const operations = head.operations.map((operation) => described.get(operation.id) ?? operation);
  const results = buildResults(
    {
      schemaVersion: 1,
      tool,
      contract: head.contract,
      target: head.target,
      options: head.options,
      operations,
      recording: recordingOf(all, evidence),
      startedAt: times.startedAt.toISOString(),
    },
    head,
    {
      checks,
      observations,
      baseline: baselineFor(head, checks),
      strict: head.strict,
      complete: !interrupted,
      durationMs: Math.round(times.durationMs),
      requestsSent: [...requests.values()].reduce((sum, each) => sum + each, 0),
      exchange: (id) => exchanges.get(id),
    },
  );
  return {
    results,
    async *exchanges() {
      yield* exchanges.values();
    },
    dispose: async () => {},
  };
};

/**
 * The record of the one run for all tests, with what workers judged themselves (the key page).
 * @param selected ids of the selected checks: one that nobody judged leaves the run incomplete
 */
export const withEvidence = async (
  record: RunRecord,
  head: RunHead,
  all: readonly Evidence[],
  times: Times,
  selected: ReadonlySet<string>,
): Promise<RunRecord> => {
  const { results } = record;
  const evidence = oneOfEach(all);
  const checks = [...results.checks, ...evidence.map(({ finding }) => finding)];
  if (evidence.length === 0 && areJudged(selected, checks)) return record;
  const more = new Map(evidence.flatMap(({ exchanges }) => exchanges).map((exchange) => [exchange.id, exchange]));
  const decisive = await decisiveExchanges(record);
  return {
    ...record,
    results: buildResults(results, head, {
      checks,
      observations: [...observationsIn(results), ...evidence.flatMap(({ observations }) => observations)],
      baseline: baselineFor(head, checks),
      strict: head.strict,
      complete: results.complete && areJudged(selected, checks),
      durationMs: Math.round(times.durationMs),
      requestsSent: results.requestsSent + Math.max(0, ...evidence.map(({ requestsSent }) => requestsSent)),
      exchange: (id) => more.get(id) ?? decisive.get(id),
    }),
    async *exchanges() {
      yield* record.exchanges();
      yield* more.values();
    },
  };
};
