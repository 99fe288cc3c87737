import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { createDialler, type DialOptions } from './connect.js';
import { endpointOf } from './endpoint.js';

/** How to reach a host. Certificates are always verified. */
export type HttpsOptions = Omit<DialOptions, 'insecureTls' | 'named' | 'cert' | 'key'>;

export interface HttpsRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Maximum number of bytes of the answer's content, before decoding. */
  readonly most: number;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The answer has more bytes than the maximum. */
export class TooLargeAnswer extends Error {
  override readonly name = 'TooLargeAnswer';
}

/** Sends a request that is not a probe, over a new connection. Does not follow redirects. */
export type AskHttps = (url: URL, request: HttpsRequest) => Promise<HttpsAnswer>;

export const createHttpsRequester = (options: HttpsOptions): AskHttps => {
  const dial = createDialler({ ...options, insecureTls: false });
  return async (url, { method, headers, body, signal, most }) => {
    const { socket } = await dial(endpointOf(url.origin), {
      alpn: ['http/1.1'],
      onSocket: (opened) => signal.addEventListener('abort', () => void opened.destroy()),
    });
    return new Promise((resolve, reject) => {
      const request = https.request(url, { method, createConnection: () => socket, signal, headers });
      request.once('error', reject);
      request.once('response', (response) => {
        const pieces: Buffer[] = [];
        let size = 0;
        response.once('error', reject);
        response.on('data', (piece: Buffer) => {
          size += piece.length;
          if (size > most) request.destroy(new TooLargeAnswer());
          else pieces.push(piece);
        });
        response.once('end', () => {
          socket.destroy();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(pieces, size),
          });
        });
      });
      request.end(body);
    });
  };
};
