import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { certificateOf } from '../../../src/reference/certificates.js';

export interface OddState {
  /** Keys that open the API, oldest first. */
  readonly keys: string[];
  readonly requests: { readonly method: string; readonly path: string; readonly url: string; readonly body: string }[];
}

export interface OddPage {
  /** The page at `/key`. */
  page(state: OddState): string;
  /**
   * What a POST to `/key` does before it redirects back to `/key`; makes a key of 40 hex digits
   * when not given.
   */
  make?(state: OddState): void;
  /** Takes a WebSocket over. */
  upgrade?(request: IncomingMessage, socket: Duplex, state: OddState): void;
  /** Takes a request over. */
  handle?(request: IncomingMessage, response: ServerResponse, state: OddState, body: string): boolean;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** A hand-made page at `/key` beside an API that keeps the contract, without a log-in. */
export const startOddPage = async ({ page, make, handle, upgrade }: OddPage) => {
  const { ca, cert, key } = await certificateOf('valid');
  const state: OddState = { keys: [], requests: [] };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'https://page.test').pathname;
    const body = await bodyOf(request);
    state.requests.push({ method: request.method ?? '', path, url: request.url ?? '', body });
    if (handle?.(request, response, state, body)) return;
    if (path === '/api/v2/workout/') {
      const sent = /^Token (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
      const opens = sent !== undefined && state.keys.includes(sent);
      response
        .writeHead(opens ? 200 : 401, { 'content-type': 'application/json' })
        .end(opens ? '{"results":[]}' : '{}');
    } else if (path === '/key' && request.method === 'POST') {
      if (make) make(state);
      else
        state.keys.push(
          [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
        );
      response.writeHead(303, { location: '/key' }).end();
    } else if (path === '/key')
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html><title>Key</title>${page(state)}`);
    else response.writeHead(404).end();
  };
  const server = createServer({ cert, key }, (request, response) => void answer(request, response));
  if (upgrade) server.on('upgrade', (request, socket) => upgrade(request, socket, state));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `https://127.0.0.1:${port}`;
  return {
    baseUrl,
    url: `${baseUrl}/key`,
    ca,
    state,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
