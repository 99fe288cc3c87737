/**
 * A server to measure against, in a process of its own: any number of protected and of public
 * operations, over HTTPS and, redirecting, over plain HTTP. Prints one line of JSON (`ServerFacts`)
 * when it listens. Usage: server.js OPERATIONS_OF_EACH_ACCESS LATENCY_MS
 */
import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { certificateOf } from '../src/reference/certificates.js';

export interface ServerFacts {
  /** `https://127.0.0.1:PORT` */
  readonly baseUrl: string;
  readonly httpBaseUrl: string;
  readonly key: string;
  /** PEM of the authority. */
  readonly ca: string;
}

const [operations = 1, latencyMs = 0] = process.argv.slice(2).map(Number);
const key = randomBytes(20).toString('hex');
const { ca, ...leaf } = await certificateOf('valid');

/** A page of ten records, a kilobyte or so, as list resources have. */
const pageOf = (name: string): string =>
  JSON.stringify({
    count: 10,
    next: null,
    previous: null,
    results: Array.from({ length: 10 }, (_, index) => ({
      id: 70_000 + index,
      name: `${name} number ${index + 1}`,
      comment: `entered by hand on day ${index * 7 + 3}`,
      impression: 'good',
    })),
  });

const pages = new Map<string, string>();
for (let index = 0; index < operations; index += 1)
  for (const name of [`kept${index}`, `open${index}`]) pages.set(`/api/v2/${name}/`, pageOf(name));

const answer = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
};

const handle = (request: IncomingMessage, response: ServerResponse): void => {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const page = pages.get(path);
  if (page === undefined)
    answer(response, path === '/' ? 200 : 404, path === '/' ? '{"service":"bench"}' : '{"detail":"Not found."}');
  else if (path.startsWith('/api/v2/kept') && request.headers.authorization !== `Token ${key}`)
    answer(response, 401, '{"detail":"Authentication credentials were not provided."}');
  else answer(response, 200, page);
};

const redirect = (request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(308, { Location: `${baseUrl}${request.url ?? '/'}`, 'Content-Length': 0 });
  response.end();
};

const later =
  (respond: typeof handle): typeof handle =>
  (request, response) => {
    if (latencyMs > 0) setTimeout(respond, latencyMs, request, response);
    else respond(request, response);
  };

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
  return (server.address() as AddressInfo).port;
};

const secure = createServer({ ...leaf, maxHeaderSize: 65_536, keepAliveTimeout: 60_000 }, later(handle));
const plain = createHttpServer({ maxHeaderSize: 65_536 }, later(redirect));
const baseUrl = `https://127.0.0.1:${await listen(secure)}`;
const facts: ServerFacts = { baseUrl, httpBaseUrl: `http://127.0.0.1:${await listen(plain)}`, key, ca };
process.stdout.write(`${JSON.stringify(facts)}\n`);
// Ends with whoever started it.
process.stdin.resume().on('end', () => process.exit(0));
