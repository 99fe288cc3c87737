import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { loadContract, shippedContract } from '../../../src/index.js';
import { identityOf, type RunHead, type TestAttachment } from '../../../src/playwright/attachments.js';
import type { Gathered } from '../../../src/playwright/gather.js';
import { type Merged, MergeError, mergeGathered } from '../../../src/playwright/merge.js';
import { judgeReference } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

const end = { status: 'passed', startedAt: '2026-01-01T00:00:00.000Z', durationMs: 5 } as const;

/** A real run as its tests would have attached it. */
const attached = async (): Promise<{
  head: RunHead;
  evidence: readonly TestAttachment[];
  results: Awaited<ReturnType<typeof judgeReference>>['results'];
}> => {
  const { results, exchanges } = await judgeReference({
    fault: 'no-key-asked',
    settings: { PROBES: 'standard' },
    exchanges: true,
  });
  const contract = await loadContract(shippedContract);
  const head: RunHead = {
    contract: results.contract,
    target: results.target,
    options: results.options,
    operations: results.operations,
    clauses: contract.clauses,
    gaps: contract.gaps,
    checks: results.checks.map(({ id }) => id),
    deviations: [],
    strict: false,
    history: false,
    project: '',
  };
  const run = identityOf(head, 'x');
  const evidence = results.checks.map((finding) => ({
    project: '',
    finding,
    observations: results.gaps.flatMap(({ id, observations }) =>
      observations.filter(({ check }) => check === finding.id).map((one) => ({ ...one, gap: id })),
    ),
    exchanges: exchanges.filter(({ id }) => finding.exchanges.includes(id) || finding.comparedWith.includes(id)),
    requestsSent: 1,
    recording: results.recording,
    run,
  }));
  return { head, evidence, results };
};

type Begin = Extract<Gathered, { heads: unknown }>;

/** `again`: of a test that was there before. */
type GatheredEvidence = TestAttachment & { readonly again?: true };

const gathered = (cwd: string, begin: Begin, evidence: readonly GatheredEvidence[]): string => {
  const file = join(cwd, 'gathered.jsonl');
  const lines: readonly Gathered[] = [
    begin,
    ...evidence.map(({ again, ...each }) => ({ evidence: each, ...(again ? { again } : {}) })),
    { end },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
};

const written = (cwd: string, head: RunHead, evidence: readonly GatheredEvidence[], tests = evidence.length): string =>
  gathered(cwd, { heads: [head], tests: { '': tests } }, evidence);

/** What was merged of the only deployment. */
const mergedOne = async (...given: Parameters<typeof mergeGathered>): Promise<Merged> => {
  const [only, ...others] = await mergeGathered(...given);
  if (!only || others.length > 0) throw new Error('one deployment was merged');
  return only;
};

/** What must not depend on how a run was cut into parts. */
const said = ({ checks, verdict, complete, clauses }: Awaited<ReturnType<typeof attached>>['results']) => ({
  checks,
  verdict,
  complete,
  clauses: clauses.map(({ id, outcome, checks: own }) => [id, outcome, own]),
});

test(
  'however the checks are dealt to shards, and in whatever order they come, the merged run says the same',
  inCi,
  async ({ cwd }) => {
    const { head, evidence, results } = await attached();
    const deals = fc
      .integer({ min: 1, max: 5 })
      .chain((total) =>
        fc.tuple(
          fc.constant(total),
          fc.array(fc.integer({ min: 1, max: total }), { minLength: evidence.length, maxLength: evidence.length }),
          fc.shuffledSubarray([...evidence.keys()], { minLength: evidence.length }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(deals, async ([total, dealt, order]) => {
        const parts = order.flatMap((index) => {
          const part = evidence[index];
          return part ? [{ ...part, shard: { current: dealt[index] ?? 1, total } }] : [];
        });
        const names = Array.from({ length: total }, (_, index) => `report-${index + 1}.zip`);
        const { record, missingShards, missingChecks } = await mergedOne(written(cwd, head, parts), names);
        expect({ missingShards, missingChecks, ...said(record.results) }).toEqual({
          missingShards: [],
          missingChecks: [],
          ...said(results),
          complete: true,
        });
      }),
      { numRuns: 40 },
    );
  },
);

test('a missing shard and its checks are named, an empty one is fine, an empty whole is not', inCi, async ({ cwd }) => {
  const { head, evidence } = await attached();
  const dealt = evidence.map((part, index) => ({ ...part, shard: { current: (index % 2) + 1, total: 3 } }));
  const whole = await mergedOne(written(cwd, head, dealt), ['report-1.zip', 'report-2.zip']);
  // The third one had nothing to do, and nobody misses it.
  expect(whole.missingShards).toEqual([]);
  const first = dealt.filter(({ shard }) => shard.current === 1);
  const part = await mergedOne(written(cwd, head, first), ['report-1.zip', 'report-3.zip']);
  expect(part.missingShards).toEqual([2]);
  expect(part.missingChecks).toEqual(dealt.filter(({ shard }) => shard.current === 2).map(({ finding }) => finding.id));
  expect(part.record.results.complete).toBe(false);
  const nothing = await mergedOne(written(cwd, head, []), ['report-1.zip']);
  expect(nothing.record.results.verdict).toBe('incomplete');
  expect(nothing.missingChecks).toEqual(head.checks);
  // A test that began and attached nothing judged nothing.
  const crashed = await mergedOne(written(cwd, head, dealt.slice(1), dealt.length), ['report-1.zip', 'report-2.zip']);
  expect(crashed.missingChecks).toEqual([head.checks[0]]);
});

test('a check that is there more than once counts once, with the worst that was seen of it', inCi, async ({ cwd }) => {
  const { head, evidence, results } = await attached();
  const sharded = evidence.map((part, index) => ({ ...part, shard: { current: (index % 2) + 1, total: 2 } }));
  const rosy = sharded
    .filter(({ shard }) => shard.current === 1)
    .map((part) => ({
      ...part,
      finding: { ...part.finding, outcome: 'passed' as const },
      observations: [],
      again: true as const,
    }));
  for (const parts of [
    [...sharded, ...rosy],
    [...rosy, ...sharded],
  ]) {
    const { record, missingChecks, doubleShards } = await mergedOne(written(cwd, head, parts, evidence.length), [
      'report-1.zip',
      'report-1b.zip',
      'report-2.zip',
    ]);
    expect(doubleShards).toEqual([1]);
    expect(missingChecks).toEqual([]);
    expect(record.results.complete).toBe(true);
    expect(record.results.verdict).toBe(results.verdict);
    expect(record.results.checks.filter(({ outcome }) => outcome === 'failed')).toEqual(
      results.checks.filter(({ outcome }) => outcome === 'failed'),
    );
  }
});

test('parts of different contracts, targets, settings and versions are not mixed', inCi, async ({ cwd }) => {
  const { head, evidence } = await attached();
  for (const [change, said] of [
    [{ sha256: 'f'.repeat(64) }, 'contracts'],
    [{ target: 'https://production.example' }, 'targets'],
    [{ options: 'ffff' }, 'settings'],
    [{ tool: '9.9.9' }, 'versions'],
  ] as const) {
    const mixed = evidence.map((part, index) => (index === 3 ? { ...part, run: { ...part.run, ...change } } : part));
    const merging = mergeGathered(written(cwd, head, mixed), []);
    await expect(merging).rejects.toThrow(MergeError);
    await expect(merging).rejects.toThrow(`different ${said}`);
  }
});

test('each deployment of several is put together by itself, and a deployment of nobody is refused', async ({ cwd }) => {
  const { head, evidence, results } = await attached();
  const shard = { current: 1, total: 2 };
  const heads = ['staging', 'production'].map((project) => ({ ...head, project }));
  const of = (project: string, parts: readonly TestAttachment[]) => parts.map((part) => ({ ...part, project, shard }));
  const begin = { heads, tests: { staging: evidence.length, production: 2 } };
  const both = gathered(cwd, begin, [...of('staging', evidence), ...of('production', evidence.slice(0, 2))]);
  const [staging, production] = await mergeGathered(both, ['report-1.zip']);
  expect(staging?.record.results.checks).toEqual(results.checks);
  expect(staging?.missingShards).toEqual([]);
  expect(production?.record.results.checks).toHaveLength(2);
  expect(production?.missingShards).toEqual([2]);
  const foreign = gathered(cwd, begin, of('nobody', evidence));
  await expect(mergeGathered(foreign, [])).rejects.toThrow('different targets files');
});

test('a recording of shards with seeds of their own says so', async ({ cwd }) => {
  const { head, evidence } = await attached();
  const own = evidence.map((part, index) => ({ ...part, recording: { ...part.recording, seed: `${index % 2}` } }));
  const merged = await mergedOne(written(cwd, head, own), ['report-1.zip']);
  expect(merged.record.results.recording.seed).toBe('');
});
