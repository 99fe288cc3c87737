import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { buildSync } from 'esbuild';
import { EvidenceFile } from '../../../src/engine/resume/evidence-file.js';
import { KeptEvidence } from '../../../src/engine/resume/kept-evidence.js';
import { packageRoot } from '../../../src/package.js';
import { type Fault, faults, startReference, type Variant, variants } from '../../../src/reference/index.js';
import { bareEnvironment } from '../support/command.js';
import { type JudgedRun, judgeRunning } from '../support/judge.js';
import { expect, inCi, sample, test } from '../support/test.js';

/** Runs that were cut short and go on, over real sockets. */

const head = {
  schemaVersion: 1,
  identity: {},
  seed: 'seed',
  salt: 'salt',
  startedAt: '2026-01-01T00:00:00.000Z',
} as const;

const keptAt = async (path: string): Promise<KeptEvidence> => {
  const before = EvidenceFile.open(path);
  const file = before ?? EvidenceFile.create(path, head, Promise.resolve({}));
  await Promise.resolve();
  return new KeptEvidence(file);
};

const outcomesIn = ({ results }: JudgedRun): Record<string, string> =>
  Object.fromEntries(results.checks.map(({ id, outcome }) => [id, outcome]));

/** Ends a run when so many checks are judged. */
const cutAfter = (checks: number) => {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    onProgress: ({ type, ...rest }: { readonly type: string }) => {
      if (type === 'checked' && 'done' in rest && Number(rest.done) >= checks) stop.abort();
    },
  };
};

/** Shares of a run after which it is cut: the batteries are judged in the last third. */
const cuts = [0.3, 0.72, 0.86, 0.97];

const resumable = (all: readonly (Fault | Variant)[]) =>
  // One that counts or remembers requests, or looks at a clock, is another server for the second run.
  all.filter(
    ({ name }) => !/limit|ban|expires|rotat|later|outage|revoked|slow|after|half-way|repeated|now-and-then/.test(name),
  );

for (const [kind, all] of [
  ['fault', resumable(faults)],
  ['variant', resumable(variants)],
] as const) {
  test(`a resumed run finds what a whole run finds: every ${kind} of a sample @ci`, async ({ cwd }) => {
    test.slow();
    let reused = 0;
    for (const [index, { name, settings }] of sample(all, 260).entries()) {
      const path = join(cwd, `${index}.jsonl`);
      const service = await startReference({ [kind]: name });
      try {
        const options = settings ? { settings } : {};
        const whole = await judgeRunning(service, options);
        const cut = cutAfter(Math.round(whole.results.checks.length * (cuts[index % cuts.length] ?? 0.9)));
        await judgeRunning(service, { ...options, evidence: await keptAt(path), ...cut });
        const resumed = await judgeRunning(service, { ...options, evidence: await keptAt(path) });
        reused += resumed.results.resumed?.exchanges ?? 0;
        const [outcomes, before] = [outcomesIn(resumed), outcomesIn(whole)];
        // A server that remembers may be another one for the second run: one that is whole tells.
        const expected = isDeepStrictEqual(outcomes, before)
          ? before
          : outcomesIn(await judgeRunning(service, options));
        expect(outcomes, name).toEqual(expected);
        expect(existsSync(path), 'it is removed when a run is whole').toBe(false);
      } finally {
        await service.close();
      }
    }
    expect(reused).toBeGreaterThan(0);
  });
}

test('kept answers are not asked again, and controls are', inCi, async ({ cwd }) => {
  const path = join(cwd, 'evidence.jsonl');
  const service = await startReference();
  try {
    const whole = await judgeRunning(service);
    const total = whole.results.requestsSent;
    await judgeRunning(service, { evidence: await keptAt(path), ...cutAfter(whole.results.checks.length - 2) });
    const evidence = await keptAt(path);
    expect(evidence.fromBefore).toBeGreaterThan(60);
    const { results } = await judgeRunning(service, { evidence });
    expect(results.verdict).toBe('conformant');
    expect(results.resumed?.exchanges).toBeGreaterThan(60);
    expect(results.requestsSent).toBeLessThan(total - 60);
    const reused = new Set(
      results.checks.filter(({ rule }) => rule === 'refuses-missing-key').flatMap((one) => one.exchanges),
    );
    expect(reused.size).toBeGreaterThan(0);
  } finally {
    await service.close();
  }
});

test('what another server answered before accuses no conforming one that stands there now @ci', async ({ cwd }) => {
  test.slow();
  const now = sample(
    resumable(variants).filter(({ name }) => !/base-path|ipv6|key|plain|h2|certificate/.test(name)),
    150,
  );
  for (const [index, { name, settings }] of now.entries()) {
    const path = join(cwd, `${index}.jsonl`);
    const first = await startReference(index % 2 === 0 ? {} : { fault: 'no-key-asked' });
    const { key } = first;
    const [port, httpPort] = [first.baseUrl, first.httpBaseUrl].map((url) => Number(new URL(url).port));
    await judgeRunning(first, { evidence: await keptAt(path), ...cutAfter(38) });
    await first.close();
    const second = await startReference({ variant: name, key, ...(port && httpPort ? { port, httpPort } : {}) });
    try {
      const { results } = await judgeRunning(second, {
        evidence: await keptAt(path),
        ...(settings ? { settings } : {}),
      });
      expect(
        results.checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id),
        name,
      ).toEqual([]);
    } finally {
      await second.close();
    }
  }
});

test('nobody reads the evidence but its owner, and no key stands in it', async ({ cwd }) => {
  const path = join(cwd, 'below', 'evidence.jsonl');
  const service = await startReference();
  try {
    await judgeRunning(service, { evidence: await keptAt(path), ...cutAfter(34) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, 'below')).mode & 0o777).toBe(0o700);
    const text = readFileSync(path, 'utf8');
    expect(text.length).toBeGreaterThan(10_000);
    expect(text).not.toContain(service.key);
    expect(text).not.toContain('"body"');
  } finally {
    await service.close();
  }
});

/** Stores evidence of two checks, and then more of one of them than may be written. */
const storingTooMuch = `
  import { writeFileSync } from 'node:fs';
  const [module, path] = process.argv.slice(1);
  const { EvidenceFile } = await import(module);
  const file = EvidenceFile.open(path);
  file.add({ check: 'a@b', at: 2, refusal: '' }, [JSON.stringify('x'.repeat(100_000))]);
  file.close(false);
`;

test('evidence that could not be written leaves nothing of what was kept before', async ({ cwd }) => {
  const path = join(cwd, 'evidence.jsonl');
  const exchanges = (...ids: readonly string[]): readonly string[] => ids.map((id) => JSON.stringify({ id }));
  const file = EvidenceFile.create(path, head, Promise.resolve({}));
  await Promise.resolve();
  file.add({ check: 'a@b', at: 0, refusal: '' }, exchanges('older'));
  file.add({ check: 'a@b', at: 1, refusal: '' }, exchanges(...'0123456789'));
  file.add({ check: 'c@d', at: 1, refusal: '' }, exchanges('kept'));
  file.close(false);
  const built = join(cwd, 'evidence-file.mjs');
  buildSync({
    entryPoints: [join(packageRoot, 'src', 'engine', 'resume', 'evidence-file.ts')],
    outfile: built,
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  // As on a full disk, with another code.
  const { stderr, status } = spawnSync(
    'bash',
    [
      '-c',
      'ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2" "$3"',
      process.execPath,
      storingTooMuch,
      pathToFileURL(built).href,
      path,
    ],
    { encoding: 'utf8', env: bareEnvironment },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  // What was kept of the check no longer holds.
  expect(EvidenceFile.open(path)).toBeUndefined();
});
