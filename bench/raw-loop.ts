/**
 * The bare client: node:https with a keep-alive agent, bodies read and thrown away, nothing judged.
 * Usage: raw-loop.js SERVER_FACTS REQUESTS CONCURRENCY
 */
import https from 'node:https';
import type { ServerFacts } from './server.js';

const [facts = '{}', requests = '1', concurrency = '1'] = process.argv.slice(2);
const { baseUrl, ca, key } = JSON.parse(facts) as ServerFacts;
const agent = new https.Agent({ keepAlive: true, maxSockets: Number(concurrency), ca });
const url = new URL(`${baseUrl}/api/v2/kept0/`);

const one = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = https.get(url, { agent, headers: { Authorization: `Token ${key}` } }, (response) => {
      response.on('data', () => {});
      response.on('end', resolve);
    });
    request.on('error', reject);
  });

let left = Number(requests);
const start = performance.now();
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    while (left > 0) {
      left -= 1;
      await one();
    }
  }),
);
const { user, system } = process.cpuUsage();
process.stdout.write(`${JSON.stringify({ ms: performance.now() - start, cpuMs: (user + system) / 1000 })}\n`);
process.exit(0);
