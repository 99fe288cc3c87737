/**
 * A full run against a bare keep-alive loop that sends as many requests with the same concurrency
 * to the same server, and against the ideal time where the server takes its time. Every operation
 * gets every trick. Usage: throughput.js [OPERATIONS_OF_EACH_ACCESS]
 */
import type { RunFigures } from './full-run.js';
import { measured, serve } from './processes.js';

const operations = Number(process.argv[2] ?? 1000);
const concurrency = 32;

const run = (served: object, of: number): Promise<RunFigures> =>
  measured<RunFigures>('full-run', [JSON.stringify(served), String(of), String(concurrency), 'extended']);

const fast = await serve(operations, 0);
try {
  const full = await run(fast, operations);
  const raw = await measured<{ ms: number }>('raw-loop', [
    JSON.stringify(fast),
    String(full.requests),
    String(concurrency),
  ]);
  console.log({
    server: '0 ms',
    operations: operations * 2,
    verdict: full.verdict,
    requests: full.requests,
    fullMs: Math.round(full.ms),
    rawMs: Math.round(raw.ms),
    ratio: (raw.ms / full.ms).toFixed(2),
    limit: 0.5,
    peakMb: full.peakMb,
  });
} finally {
  fast.close();
}

const slowOperations = Math.max(1, Math.round(operations / 10));
const latency = 100;
const slow = await serve(slowOperations, latency);
try {
  const full = await run(slow, slowOperations);
  const ideal = (full.requests * latency) / concurrency;
  console.log({
    server: `${latency} ms`,
    operations: slowOperations * 2,
    verdict: full.verdict,
    requests: full.requests,
    fullMs: Math.round(full.ms),
    idealMs: Math.round(ideal),
    ratio: (ideal / full.ms).toFixed(2),
    limit: 0.85,
  });
} finally {
  slow.close();
}
