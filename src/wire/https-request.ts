import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { createDialler, type DialOptions } from './connect.js';
import { endpointOf } from './endpoint.js';

/** How a host is reached. Certificates are always checked. */
export type HttpsOptions = Omit<DialOptions, 'insecureTls' | 'named' | 'cert' | 'key'>;

export interface HttpsRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Maximum number of bytes of the answer's content, as it is sent. */
  readonly most: number;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The answer has more bytes than are read. */
export class TooLargeAnswer extends Error {
  override readonly name = 'TooLargeAnswer';
}

/** Asks for something beside the probes, over a connection of its own. Redirects are answers. */
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
