/**
 * The shipped contract, judged by the command as a user calls it, reports written, against the
 * embedded service with a latency of 100 ms; and the start-up, a run that has next to nothing to
 * ask of a server without latency.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtCommand, type Served, serveReference } from './processes.js';

const tries = Number(process.argv[2] ?? 5);
/** Milliseconds for the whole command, start-up and reports included. */
const limitMs = 2_000;
const latency = 100;
const folder = mkdtempSync(join(tmpdir(), 'bench-'));

interface Run {
  readonly ms: number;
  readonly requests: number;
  readonly verdict: string;
}

const run = (server: Served, words: readonly string[], concurrency = 'auto'): Run => {
  writeFileSync(join(folder, 'ca.pem'), server.ca);
  const start = performance.now();
  const { stderr } = spawnSync(process.execPath, [builtCommand, 'run', '--quiet', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      BASE_URL: server.baseUrl,
      HTTP_BASE_URL: server.httpBaseUrl,
      API_KEY: server.key,
      CA_FILE: join(folder, 'ca.pem'),
      CONCURRENCY: concurrency,
    },
  });
  const ms = performance.now() - start;
  const written = readFileSync(join(folder, 'reports', 'conformance', 'results.json'), 'utf8');
  const { requestsSent, verdict } = JSON.parse(written) as { requestsSent: number; verdict: string };
  if (stderr) console.error(stderr);
  return { ms, requests: requestsSent, verdict };
};

const median = (runs: readonly Run[]): Run => {
  const middle = [...runs].sort((a, b) => a.ms - b.ms)[Math.floor(runs.length / 2)];
  if (!middle) throw new RangeError('at least one run is needed');
  return middle;
};

const repeated = (server: Served, words: readonly string[] = [], concurrency = 'auto'): Run =>
  median(Array.from({ length: tries }, () => run(server, words, concurrency)));

const quick = await serveReference(0);
const slow = await serveReference(latency);
try {
  const startUp = repeated(quick, ['--only', 'serves-https@service']).ms;
  const full = repeated(slow);
  const fixed = repeated(slow, [], '8');
  const atOnce = { auto: repeated(quick), fixed: repeated(quick, [], '8') };
  console.log({
    startUpMs: Math.round(startUp),
    startUpLimitMs: 500,
    verdict: full.verdict,
    requests: full.requests,
    wallMs: Math.round(full.ms),
    limitMs,
    wallMsAt8: Math.round(fixed.ms),
    wallMsWithoutLatency: Math.round(atOnce.auto.ms),
    wallMsWithoutLatencyAt8: Math.round(atOnce.fixed.ms),
  });
} finally {
  quick.close();
  slow.close();
  rmSync(folder, { recursive: true, force: true });
}
