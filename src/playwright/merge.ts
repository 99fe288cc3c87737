import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { RunRecord } from '../engine/results.js';
import { assemble } from './assemble.js';
import type { Gathered } from './gather.js';
import type { Head } from './head.js';
import { differenceOf, identityOf } from './identity.js';
import type { Evidence } from './judged.js';

/** Shards cannot be put together; one sentence says why. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

export interface Merged {
  readonly head: Head;
  readonly record: RunRecord;
  /** Shards of which nothing is there, counted from 1. */
  readonly missingShards: readonly number[];
  readonly shards: number;
  /** Ids of planned checks that no shard judged, where a shard is missing or was cut short. */
  readonly missingChecks: readonly string[];
}

interface Parts {
  readonly head: Head;
  readonly tests: number;
  readonly evidence: readonly Evidence[];
  readonly end: Extract<Gathered, { end: unknown }>['end'];
}

const read = async (file: string): Promise<Parts> => {
  let begin: Extract<Gathered, { head: unknown }> | undefined;
  let end: Parts['end'] | undefined;
  const evidence: Evidence[] = [];
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = JSON.parse(text) as Gathered;
    if ('head' in line) begin = line;
    else if ('end' in line) end = line.end;
    else evidence.push(line.evidence);
  }
  if (!begin?.head) throw new MergeError('the blob reports are not of this suite’s tests.');
  return {
    head: begin.head,
    tests: begin.tests,
    evidence,
    end: end ?? { status: 'interrupted', startedAt: new Date().toISOString(), durationMs: 0 },
  };
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
 * Puts the run of several shards together from what `gather` wrote.
 * @param files names of the blob reports: a shard without tests leaves no finding, but a file
 * @throws {MergeError} for a mixture of different runs
 */
export const mergeGathered = async (gathered: string, files: readonly string[]): Promise<Merged> => {
  const parts = await read(gathered);
  refuseMixture(parts);
  const { head, evidence, end, tests } = parts;
  const shards = Math.max(1, ...evidence.map(({ shard }) => shard?.total ?? 1));
  const seen = new Set([
    ...evidence.map(({ shard }) => shard?.current ?? 1),
    ...files.flatMap((name) => shardOf(name) ?? []),
  ]);
  const judged = new Set(evidence.map(({ finding }) => finding.id));
  const open = head.checks.filter((id) => !judged.has(id));
  const absent = Array.from({ length: shards }, (_, index) => index + 1).filter((shard) => !seen.has(shard));
  // A renamed file of a shard without tests says nothing of itself, and nothing is lost with it.
  const missingShards = open.length > 0 ? absent : [];
  const cut = end.status === 'interrupted' || end.status === 'timedout' || tests > judged.size;
  return {
    head,
    shards,
    missingShards,
    missingChecks: missingShards.length > 0 || cut || evidence.length === 0 ? open : [],
    record: assemble(
      head,
      evidence,
      { startedAt: new Date(end.startedAt), durationMs: end.durationMs },
      cut || missingShards.length > 0,
    ),
  };
};
