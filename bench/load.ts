import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { planWithoutKeys } from '../src/app/prepare.js';
import { loadContract } from '../src/contract/load.js';
import { planSize } from '../src/engine/budget/plan-size.js';
import { plannedContract } from '../src/engine/values/recording.js';
import type { Target } from '../src/settings/target.js';

/**
 * How long 10,000 operations take to load, validate, normalise and plan, and how much memory: one
 * fresh process a document, the best of three. Limits: JSON 1 s; YAML of 6 MB 5 s and 600 MB;
 * 20,000 as JSON 3 s. The estimate of the requests, which the command says before it sends any,
 * stands beside it. The peers run in the same way beside it: `JSON.parse` and `parse` of the
 * package `yaml`, which know nothing of OpenAPI. Run it with `npm run bench -- load`.
 */
const rounds = 3;

const target: Target = {
  name: 'target',
  origin: 'https://127.0.0.1',
  basePath: '',
  keys: { API_KEY: 'k3y0f4ll0p3r4t10ns' },
  httpBaseUrl: 'none',
  insecureTls: false,
  timeoutMs: 10_000,
  concurrency: 'auto',
  rateLimitWaitS: 90,
  paths: {},
  probes: 'auto',
  probeKeyInUrl: false,
  unsafeMethods: false,
  strict: false,
  evidence: 'shape',
  resolve: [],
};

interface Job {
  /** Milliseconds of loading and planning together. */
  readonly ms: number;
  /** Of planning alone. */
  readonly planMs: number;
  readonly estimateMs: number;
}

interface Measure extends Job {
  readonly cpuMs: number;
  readonly peakMb: number;
}

const documentOf = (operations: number): object => ({
  openapi: '3.1.1',
  info: { title: 'Ten thousand operations', version: '1' },
  paths: Object.fromEntries(
    Array.from({ length: operations }, (_, index) => [
      `/api/v2/resource${index}/{id}/`,
      {
        get: {
          operationId: `getResource${index}`,
          summary: 'Read one of the resources',
          description: 'A description\nof two lines: with a colon',
          tags: ['a', 'b'],
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 3 }],
          security: index % 2 === 0 ? [{ key: [] }] : [],
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
            },
            404: { description: 'not there' },
          },
        },
      },
    ]),
  ),
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: { Thing: { type: 'object', properties: { name: { type: 'string' } } } },
  },
});

const jobs: Readonly<Record<string, (file: string) => Promise<Job>>> = {
  plan: async (file) => {
    const start = performance.now();
    const contract = await loadContract(file);
    const loaded = performance.now();
    const checks = planWithoutKeys(contract, target);
    const planned = performance.now();
    const { requests } = planSize(checks, plannedContract(contract, { seed: 'plan' }).operations, target);
    if (requests < contract.operations.length) throw new Error(`${requests} requests were planned`);
    return { ms: planned - start, planMs: planned - loaded, estimateMs: performance.now() - planned };
  },
  peer: async (file) => {
    const { readFileSync } = await import('node:fs');
    const start = performance.now();
    const text = readFileSync(file, 'utf8');
    if (file.endsWith('.json')) JSON.parse(text);
    else parse(text, { uniqueKeys: false });
    return { ms: performance.now() - start, planMs: 0, estimateMs: 0 };
  },
};

const [job, file] = process.argv.slice(2);
if (job !== undefined && file !== undefined) {
  const before = process.cpuUsage();
  const done = await jobs[job]?.(file);
  if (!done) throw new RangeError(`there is no job ${job}`);
  const { user, system } = process.cpuUsage(before);
  const measure: Measure = { ...done, cpuMs: (user + system) / 1_000, peakMb: process.resourceUsage().maxRSS / 1_024 };
  process.stdout.write(JSON.stringify(measure));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-load-'));
  const measured = (name: string, path: string): Measure => {
    const runs = Array.from({ length: rounds }, () => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name, path], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as Measure;
    });
    return runs.reduce((best, run) => (run.ms < best.ms ? run : best));
  };
  try {
    const document = documentOf(10_000);
    const json = join(folder, 'document.json');
    const yaml = join(folder, 'document.yaml');
    const twice = join(folder, 'twice.json');
    writeFileSync(json, JSON.stringify(document, null, 1));
    writeFileSync(yaml, stringify(document, { aliasDuplicateObjects: false }));
    writeFileSync(twice, JSON.stringify(documentOf(20_000), null, 1));
    const rows: string[] = [];
    let kept = true;
    for (const [path, name, limitMs, limitMb] of [
      [json, 'JSON', 1_000, 600],
      [yaml, 'YAML', 5_000, 600],
      [twice, 'JSON, 20,000', 3_000, 600],
    ] as const) {
      const ours = measured('plan', path);
      const peer = measured('peer', path);
      const good = ours.ms < limitMs && ours.peakMb < limitMb;
      kept &&= good;
      const numbers = [
        statSync(path).size / 1e6,
        ours.ms,
        limitMs,
        ours.planMs,
        ours.estimateMs,
        ours.cpuMs,
        ours.peakMb,
        limitMb,
        peer.ms,
        peer.peakMb,
      ];
      rows.push(
        `| ${name} | ${numbers.map((number) => number.toFixed(number < 10 ? 1 : 0)).join(' | ')} | ${(ours.ms / peer.ms).toFixed(1)} | ${good ? 'yes' : 'no'} |`,
      );
    }
    console.log(
      '| document | MB | load and plan, ms | limit | plan alone | estimate, ms | CPU, ms | peak, MB | limit | bare parser, ms | its peak, MB | ratio | kept |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|---|---|---|---|');
    for (const row of rows) console.log(row);
    process.exitCode = kept ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
