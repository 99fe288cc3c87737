import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { loadContract } from '../src/contract/load.js';

/**
 * How long 10,000 operations take to load, validate and normalise, and how much memory: one fresh
 * process a document, the best of three. Limits: JSON 1 s; YAML of 6 MB 5 s and 600 MB. The peers
 * run in the same way beside it: `JSON.parse` and `parse` of the package `yaml`, which know nothing
 * of OpenAPI. Run it with `npm run bench -- load`.
 */
const operations = 10_000;
const rounds = 3;

interface Measure {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

const documentOf = (): object => ({
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

const jobs: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  load: async (file) => {
    const contract = await loadContract(file);
    if (contract.operations.length !== operations)
      throw new Error(`${contract.operations.length} operations were read`);
  },
  peer: async (file) => {
    const { readFileSync } = await import('node:fs');
    const text = readFileSync(file, 'utf8');
    return file.endsWith('.json') ? JSON.parse(text) : parse(text, { uniqueKeys: false });
  },
};

const [job, file] = process.argv.slice(2);
if (job !== undefined && file !== undefined) {
  const before = process.cpuUsage();
  const start = performance.now();
  await jobs[job]?.(file);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  const measure: Measure = { ms, cpuMs: (user + system) / 1_000, peakMb: process.resourceUsage().maxRSS / 1_024 };
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
    const document = documentOf();
    const json = join(folder, 'document.json');
    const yaml = join(folder, 'document.yaml');
    writeFileSync(json, JSON.stringify(document, null, 1));
    writeFileSync(yaml, stringify(document, { aliasDuplicateObjects: false }));
    const rows: string[] = [];
    let kept = true;
    for (const [path, name, limitMs, limitMb] of [
      [json, 'JSON', 1_000, 600],
      [yaml, 'YAML', 5_000, 600],
    ] as const) {
      const ours = measured('load', path);
      const peer = measured('peer', path);
      const good = ours.ms < limitMs && ours.peakMb < limitMb;
      kept &&= good;
      const numbers = [
        statSync(path).size / 1e6,
        ours.ms,
        limitMs,
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
      '| document | MB | load, ms | limit | CPU, ms | peak, MB | limit | bare parser, ms | its peak, MB | ratio | kept |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|---|---|');
    for (const row of rows) console.log(row);
    process.exitCode = kept ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
