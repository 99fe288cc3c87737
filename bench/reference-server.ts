/**
 * The embedded service in a process of its own. Prints `ServerFacts` when it listens.
 * Usage: reference-server.js LATENCY_MS
 */
import { startReference } from '../src/reference/index.js';
import type { ServerFacts } from './server.js';

const service = await startReference({ latencyMs: Number(process.argv[2] ?? 0) });
const { baseUrl, httpBaseUrl, key, ca } = service;
process.stdout.write(`${JSON.stringify({ baseUrl, httpBaseUrl, key, ca } satisfies ServerFacts)}\n`);
// Ends with whoever started it.
process.stdin.resume().on('end', () => process.stdout.write(`${service.requests}\n`, () => process.exit(0)));
