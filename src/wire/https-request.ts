import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { urlIn } from '../urls.js';
import { endpointOf } from './addresses.js';
import { Dialler, type DialOptions } from './connect.js';
import { decodeContent } from './content-coding.js';
import { failureOf } from './failure.js';
import { deadline } from './time-limits.js';
import { hasUnknownIssuer, trustAdvice } from './tls-facts.js';

/** How to reach a host. Certificates are always verified. */
export type HttpsOptions = Omit<DialOptions, 'insecureTls' | 'named' | 'cert' | 'key'>;

interface HttpsRequest {
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
  const dialler = new Dialler({ ...options, insecureTls: false });
  return async (url, { method, headers, body, signal, most }) => {
    const { socket } = await dialler.dial(endpointOf(url.origin), {
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

/** Maximum number of bytes of a document, both encoded and decoded. */
const mostDocumentBytes = 128 * 1024 * 1024;
const mostRedirects = 5;

export interface FetchedDocument {
  /** The URL after redirects. */
  readonly url: URL;
  readonly bytes: Buffer;
}

/** Why a document was not fetched. `message` completes "URL: …". */
class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  /** What to do about it, where a setting helps. */
  readonly hint: string | undefined;
  constructor(message: string, { hint, ...options }: ErrorOptions & { readonly hint?: string | undefined } = {}) {
    super(message, options);
    this.hint = hint;
  }
}

/** Milliseconds within which a document must arrive, including connection and redirects. */
const wholeMs = 60_000;

export type FetchDocument = (url: URL) => Promise<FetchedDocument>;

/**
 * Fetches documents over HTTPS with GET. Certificates are always verified, no credentials are sent,
 * and only redirects within the origin are followed.
 * @param options how to reach the host; `insecureTls` has no effect
 * @throws {FetchFailure} for anything but a complete 2xx answer
 */
export const createDocumentFetcher = (options: HttpsOptions): FetchDocument => {
  const ask = createHttpsRequester(options);
  const headers = { accept: 'application/json, application/yaml, */*;q=0.5', 'accept-encoding': 'gzip' };

  const follow = async (start: URL, signal: AbortSignal): Promise<FetchedDocument> => {
    let url = start;
    for (let hop = 0; hop <= mostRedirects; hop += 1) {
      const answer = await ask(url, { method: 'GET', headers, signal, most: mostDocumentBytes });
      const { status, bytes } = answer;
      const { location, 'content-encoding': coding = '' } = answer.headers;
      if (status >= 300 && status < 400 && location !== undefined) {
        const next = urlIn(location, url);
        if (next?.origin !== url.origin)
          throw new FetchFailure(`it redirects to ${next?.origin ?? 'no URL'}, another origin, which is not followed`);
        url = next;
        continue;
      }
      if (status === 401 || status === 403)
        throw new FetchFailure(`the server answers ${status}, and no key is ever sent for a document`);
      if (status < 200 || status >= 300) throw new FetchFailure(`the server answers ${status}`);
      const decoded = await decodeContent(bytes, coding, mostDocumentBytes);
      if (decoded.truncated) throw new FetchFailure(tooLarge);
      if (decoded.note !== undefined) throw new FetchFailure(`the content coding cannot be undone: ${decoded.note}`);
      return { url, bytes: decoded.bytes };
    }
    throw new FetchFailure(`more than ${mostRedirects} redirects`);
  };

  return async (url) => {
    const ended = new AbortController();
    const cancelDeadline = deadline(wholeMs, () => ended.abort());
    try {
      return await follow(url, ended.signal);
    } catch (cause) {
      if (cause instanceof FetchFailure) throw cause;
      if (cause instanceof TooLargeAnswer) throw new FetchFailure(tooLarge);
      if (ended.signal.aborted) throw new FetchFailure(`no complete answer within ${wholeMs / 1000} s`, { cause });
      const { message, tls } = failureOf(cause, 'answer');
      const hint = tls && hasUnknownIssuer(tls) ? trustAdvice(tls, options.ca !== undefined).advice : undefined;
      throw new FetchFailure(message, { cause, hint });
    } finally {
      cancelDeadline();
    }
  };
};

const tooLarge = `the document is larger than ${mostDocumentBytes / 1024 / 1024} MiB, and no larger one is read`;
