import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { type Front, playwright } from '../support/front-end.js';
import { expect, inCi, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

/**
 * Rules of public operations, of which one fails and one observes. Each other check that did not pass
 * would cost Playwright a worker.
 */
const rules = ['opens-without-credentials', 'observes-bad-key'];

/** One shard as a machine of its own would run it. */
const shard = (cwd: string, env: Readonly<Record<string, string>>, part: string, blobs: string): Promise<Front> =>
  playwright(
    cwd,
    { PLAYWRIGHT_BLOB_OUTPUT_DIR: join(cwd, blobs, part.replace('/', '-')), PROBES: 'standard', ...env },
    [`--shard=${part}`, '--reporter=blob', '--grep', `(${rules.join('|')})@`],
  );

/** What must not depend on how a run was cut into parts. */
const told = ({ checks, clauses, counts, verdict, complete, gaps }: Results) => ({
  verdict,
  complete,
  counts,
  clauses: clauses.map(({ id, outcome, checks: own }) => ({ id, outcome, own })),
  checks: checks.map(({ id, outcome, reason, note }) => ({ id, outcome, reason, note })),
  facts: gaps.flatMap(({ id, observations }) => observations.map(({ fact }) => `${id} ${fact}`)).sort(),
});

/** Puts the blob reports of some parts into one folder, as CI systems do. */
const collect = (cwd: string, from: readonly string[], to: string): void => {
  mkdirSync(join(cwd, to), { recursive: true });
  for (const folder of from)
    for (const name of readdirSync(join(cwd, folder))) copyFileSync(join(cwd, folder, name), join(cwd, to, name));
};

test(
  'two shards say what the whole says; a missing one is named; different runs are not mixed',
  inCi,
  async ({ cwd }) => {
    const services = await Promise.all([startReference({ fault: 'exercise-needs-key' }), startReference()]);
    const [broken, other] = services.map(({ baseUrl, httpBaseUrl, key, caFile }) => ({
      ...{ BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, API_KEY: key, CA_FILE: caFile },
    }));
    if (!broken || !other) throw new Error('two services were started');
    try {
      const pipeline = { ...broken, ACCESS_CONFORMANCE_SEED: 'pipeline 7' };
      for (const part of ['1/2', '2/2']) await shard(cwd, pipeline, part, 'blobs');
      await shard(cwd, other, '1/2', 'foreign');
      await app(['run', '--probes', 'standard', '--only', rules.join(','), '--reports-dir', 'whole'], {
        cwd,
        env: broken,
      });
    } finally {
      await Promise.all(services.map((service) => service.close()));
    }

    collect(cwd, ['blobs/1-2', 'blobs/2-2'], 'all');
    const merged = await app(['merge', 'all', '--reports-dir', 'merged'], { cwd });
    expect(merged.err).toBe('');
    expect(merged.out).toContain('Not conformant');
    expect(merged.code).toBe(1);
    const [whole, parts] = [told(resultsIn(cwd, 'whole')), told(resultsIn(cwd, 'merged'))];
    // The two front-ends leave the key page out with words of their own.
    const ofPage = ({ id }: { id: string }) => id.endsWith('@key-page');
    expect(parts.checks.filter((check) => !ofPage(check))).toEqual(whole.checks.filter((check) => !ofPage(check)));
    expect({ ...parts, checks: [] }).toEqual({ ...whole, checks: [] });

    // One seed for all shards makes of them one recording.
    const again = await app(['judge', 'merged/conformance/results.json', '--reports-dir', 'again'], { cwd });
    expect(again.err).toBe('');
    expect(again.out).toContain('Nothing changed');
    expect(again.code).toBe(1);

    const [first = ''] = readdirSync(join(cwd, 'blobs/1-2'));
    copyFileSync(join(cwd, 'all', first), join(cwd, 'all', first.replace('.zip', 'b.zip')));
    const double = await app(['merge', 'all', '--reports-dir', 'double'], { cwd });
    expect(double.err).toBe(
      'access-conformance: shard 1 is there more than once; the worst outcome of each check counts\n',
    );
    expect(double.code).toBe(1);
    expect(told(resultsIn(cwd, 'double'))).toEqual(parts);
    expect(readdirSync(join(cwd, 'all')).filter((name) => !name.endsWith('.zip'))).toEqual([]);

    collect(cwd, ['blobs/2-2'], 'one');
    const partial = await app(['merge', 'one', '--reports-dir', 'partial'], { cwd });
    expect(partial.err).toContain('shard 1 of 2 is missing');
    expect(partial.err).toMatch(/\d+ checks not judged/);
    expect(partial.code).not.toBe(0);
    expect(resultsIn(cwd, 'partial').complete).toBe(false);

    collect(cwd, ['foreign/1-2', 'blobs/2-2'], 'mixed');
    const mixed = await app(['merge', 'mixed', '--reports-dir', 'never'], { cwd });
    expect(mixed.err).toContain('parts of different runs, of different targets');
    expect(mixed.code).toBe(3);
  },
);

test('a folder without blob reports is exit 3', inCi, async ({ cwd }) => {
  for (const name of ['empty', 'junk']) mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, 'junk/report-1.zip'), 'no archive');
  for (const [name, said] of [
    ['empty', 'holds no blob report'],
    ['junk', 'could not merge the blob reports: '],
    ['nowhere', 'cannot be read: it does not exist (ENOENT)'],
  ] as const) {
    const { code, err } = await app(['merge', name], { cwd });
    expect(err).toContain(said);
    expect(err).not.toMatch(/^\s*at /m);
    expect(code).toBe(3);
  }
  expect(readdirSync(join(cwd, 'junk'))).toEqual(['report-1.zip']);
});
