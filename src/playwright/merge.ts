import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Output } from '../app/conclude.js';
import { type Conclusion, concludeRun, concludeTargets, type TargetResults } from '../app/conclude.js';
import { sum } from '../collections.js';
import { buildResults } from '../engine/build-results.js';
import { staleDeviations } from '../engine/deviations.js';
import { outcomes, worstCode } from '../engine/outcomes.js';
import type { Finding, Recording, RunRecord } from '../engine/results.js';
import { linesOf } from '../engine/store/json-lines.js';
import { identitiesTogether } from '../engine/values/own-values.js';
import { valuesTogether } from '../engine/values/recording.js';
import { tool } from '../package.js';
import { visible } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { differenceOf, identityOf, type RunHead, type TestAttachment } from './attachments.js';
import type { Gathered } from './gather.js';

/** Puts the shards of a run together from what their tests attached, and concludes runs. */

/** The shards cannot be merged; the message says why. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

export interface Merged {
  readonly head: RunHead;
  readonly record: RunRecord;
  readonly missingShards: readonly number[];
  readonly shards: number;
  /** Shards that were given more than once, counted from 1. */
  readonly doubleShards: readonly number[];
  /** Ids of planned checks that no shard judged, where a shard is missing or was cut short. */
  readonly missingChecks: readonly string[];
}

interface Parts {
  readonly head: RunHead;
  /** Tests of any shard, each once. */
  readonly tests: number;
  readonly evidence: readonly TestAttachment[];
  readonly again: ReadonlySet<number>;
  readonly end: Extract<Gathered, { end: unknown }>['end'];
}

const read = async (file: string): Promise<readonly Parts[]> => {
  let begin: Extract<Gathered, { heads: unknown }> | undefined;
  let end: Parts['end'] | undefined;
  const evidence: TestAttachment[] = [];
  const again = new Set<number>();
  for await (const text of linesOf(createReadStream(file))) {
    const line = JSON.parse(text) as Gathered;
    if ('heads' in line) begin = line;
    else if ('end' in line) end = line.end;
    else {
      evidence.push(line.evidence);
      if (line.again) again.add(line.evidence.shard?.current ?? 1);
    }
  }
  if (!begin || begin.heads.length === 0) throw new MergeError('the blob reports are not of this suite’s tests.');
  const { heads, tests } = begin;
  const foreign = evidence.find(({ project }) => heads.every((head) => head.project !== project));
  if (foreign) throw new MergeError('these are parts of different runs, of different targets files.');
  return heads.map((head) => ({
    head,
    tests: tests[head.project] ?? 0,
    evidence: evidence.filter(({ project }) => project === head.project),
    again,
    end: end ?? { status: 'interrupted', startedAt: new Date().toISOString(), durationMs: 0 },
  }));
};

/** @throws {MergeError} where parts of different contracts, targets or settings would be mixed */
const refuseMixture = ({ head, evidence }: Parts): void => {
  const [first] = evidence;
  if (!first) return;
  for (const { run } of evidence) {
    const difference = differenceOf(first.run, run);
    if (difference) throw new MergeError(`these are parts of different runs, of ${difference}.`);
  }
  const difference = differenceOf(identityOf(head, first.run.tool), first.run);
  if (difference) throw new MergeError(`these are parts of different runs, of ${difference}.`);
};

/** `report-2.zip` is of shard 2; so is `report-a1b2c3-2.zip`. */
const shardOf = (name: string): number | undefined => {
  const number = /^report(?:-.*?)?-(\d+)\.zip$/.exec(name)?.[1];
  return number === undefined ? undefined : Number(number);
};

/**
 * Merges the shards of a run from the file that the gathering reporter wrote.
 * @param files names of the blob reports: a shard without tests leaves no finding, but a file
 * @throws {MergeError} for a mixture of different runs
 */
export const mergeGathered = async (gathered: string, files: readonly string[]): Promise<readonly Merged[]> => {
  const all = await read(gathered);
  for (const parts of all) refuseMixture(parts);
  // A shard may have had no test of a deployment.
  const shards = all.flatMap(({ evidence }) => evidence.flatMap(({ shard }) => shard ?? []));
  const total = shards.reduce((most, shard) => Math.max(most, shard.total), 1);
  const there = new Set([...shards.map(({ current }) => current), ...files.flatMap((name) => shardOf(name) ?? [])]);
  return all.map((parts) => mergedOf(parts, total, there));
};

const mergedOf = ({ head, evidence, again, end, tests }: Parts, shards: number, there: ReadonlySet<number>): Merged => {
  const seen = shards === 1 && evidence.length > 0 ? new Set([...there, 1]) : there;
  const judged = new Set(evidence.map(({ finding }) => finding.id));
  const open = head.checks.filter((id) => !judged.has(id));
  const absent = Array.from({ length: shards }, (_, index) => index + 1).filter((shard) => !seen.has(shard));
  // If all checks were judged, a missing shard had no tests, or its file was renamed.
  const missingShards = open.length > 0 ? absent : [];
  const cut = end.status === 'interrupted' || end.status === 'timedout' || tests > judged.size;
  return {
    head,
    shards,
    missingShards,
    doubleShards: [...again].sort((a, b) => a - b),
    missingChecks: missingShards.length > 0 || cut || evidence.length === 0 ? open : [],
    record: assemble(
      head,
      evidence,
      { startedAt: new Date(end.startedAt), durationMs: end.durationMs },
      cut || missingShards.length > 0,
    ),
  };
};

interface Times {
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Shards with different seeds, or of different versions, cannot be judged again together. */
const recordingOf = (evidence: readonly TestAttachment[], chosen: readonly TestAttachment[]): Recording => {
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

const badness = ({ finding }: TestAttachment): number =>
  outcomes.findIndex(({ outcome }) => outcome === finding.outcome);

/** The worst evidence of each check. `--repeat-each` or a doubled shard gives several. */
const oneOfEach = (evidence: readonly TestAttachment[]): readonly TestAttachment[] => {
  const chosen = new Map<string, TestAttachment>();
  for (const part of evidence) {
    const before = chosen.get(part.finding.id);
    if (!before || badness(part) < badness(before)) chosen.set(part.finding.id, part);
  }
  return [...chosen.values()];
};

/** With chosen tests alone, a baseline would say that all else is gone. */
const baselineFor = ({ baseline, checks }: RunHead, judged: readonly Finding[]): RunHead['baseline'] =>
  judged.length < checks.length ? undefined : baseline;

/**
 * Puts the results of a run together from what its tests attached, in any order and of any shards.
 * @param interrupted the run was cut short, so it cannot be complete
 */
export const assemble = (
  head: RunHead,
  all: readonly TestAttachment[],
  times: Times,
  interrupted: boolean,
): RunRecord => {
  const evidence = oneOfEach(all);
  const exchanges = new Map<string, Exchange>();
  const requests = new Map<number, number>();
  for (const part of evidence) {
    for (const exchange of part.exchanges) if (!exchanges.has(exchange.id)) exchanges.set(exchange.id, exchange);
    requests.set(part.shard?.current ?? 1, part.requestsSent);
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
      requestsSent: sum(requests.values()),
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

export interface DeploymentRun {
  readonly head: RunHead;
  readonly record: RunRecord;
  /** Settings whose keys the key page's action has revoked. */
  readonly ended?: readonly string[];
}

/**
 * Concludes the run of each deployment. The reports of several go to a folder each, with a page
 * that compares them.
 * @returns the exit code of `access-conformance run`, the worst of several
 */
export const concludeAll = async (
  parts: readonly DeploymentRun[],
  conclusion: Pick<Conclusion, 'reportsDir' | 'cwd' | 'env'>,
  output: Output,
): Promise<number> => {
  const codes: number[] = [];
  const targets: TargetResults[] = [];
  for (const { head, record, ended = [] } of parts) {
    const { results } = record;
    if (head.project !== '') output.out(`\n${visible(head.target.name)}\n`);
    const stale = staleDeviations(head.deviations, head.checks, results.checks);
    const reportsDir = join(conclusion.reportsDir, head.project);
    // Of chosen tests a history would say that all else is gone.
    const history = head.history && results.checks.length === head.checks.length;
    codes.push(await concludeRun({ record, stale, ended }, { ...conclusion, reportsDir, history }, output));
    targets.push({ results, reportsDir });
  }
  await concludeTargets(targets, conclusion, output);
  return worstCode(codes);
};
