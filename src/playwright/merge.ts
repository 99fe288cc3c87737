import { createReadStream } from 'node:fs';
import { linesOf } from '../engine/json-lines.js';
import type { RunRecord } from '../engine/results.js';
import { assemble } from './assemble-results.js';
import type { Evidence } from './evidence.js';
import type { Gathered } from './gather.js';
import { differenceOf, identityOf, type RunHead } from './run-metadata.js';

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
  readonly evidence: readonly Evidence[];
  readonly again: ReadonlySet<number>;
  readonly end: Extract<Gathered, { end: unknown }>['end'];
}

const read = async (file: string): Promise<readonly Parts[]> => {
  let begin: Extract<Gathered, { heads: unknown }> | undefined;
  let end: Parts['end'] | undefined;
  const evidence: Evidence[] = [];
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
