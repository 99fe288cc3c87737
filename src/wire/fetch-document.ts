import https from 'node:https';
import { isUrl } from '../urls.js';
import { createDialler, type DialOptions, endpointOf } from './connect.js';
import { decodeContent } from './content-coding.js';
import { deadline } from './deadline.js';
import { failureOf } from './failure.js';

/** The most bytes of one document, encoded or decoded. */
export const mostDocumentBytes = 128 * 1024 * 1024;
const mostRedirects = 5;

export interface FetchedDocument {
  /** After redirects. */
  readonly url: URL;
  readonly bytes: Buffer;
}

/** Why a document was not fetched; `message` finishes "URL: …". */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
}

export type FetchDocument = (url: URL) => Promise<FetchedDocument>;

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly coding: string;
  readonly bytes: Buffer;
}

/**
 * Fetches documents over HTTPS with GET. Certificates are always checked, no credentials are sent,
 * and redirects are followed on the same origin alone.
 * @param options how the host is reached; `insecureTls` has no effect
 * @param wholeMs milliseconds that one document may take, its connection and redirects included
 * @throws {FetchFailure} for anything but a complete 2xx answer
 */
export const createDocumentFetcher = (
  options: Omit<DialOptions, 'insecureTls' | 'named' | 'cert' | 'key'>,
  wholeMs = 60_000,
): FetchDocument => {
  const dial = createDialler({ ...options, insecureTls: false });

  const ask = async (url: URL, signal: AbortSignal): Promise<Answer> => {
    const { socket } = await dial(endpointOf(url.origin), {
      alpn: ['http/1.1'],
      onSocket: (opened) => signal.addEventListener('abort', () => void opened.destroy()),
    });
    return new Promise((resolve, reject) => {
      const request = https.request(url, {
        createConnection: () => socket,
        signal,
        headers: { accept: 'application/json, application/yaml, */*;q=0.5', 'accept-encoding': 'gzip' },
      });
      request.once('error', reject);
      request.once('response', (response) => {
        const pieces: Buffer[] = [];
        let size = 0;
        response.once('error', reject);
        response.on('data', (piece: Buffer) => {
          size += piece.length;
          if (size > mostDocumentBytes) request.destroy(new FetchFailure(tooLarge));
          else pieces.push(piece);
        });
        response.once('end', () => {
          socket.destroy();
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            coding: response.headers['content-encoding'] ?? '',
            bytes: Buffer.concat(pieces, size),
          });
        });
      });
      request.end();
    });
  };

  const follow = async (start: URL, signal: AbortSignal): Promise<FetchedDocument> => {
    let url = start;
    for (let hop = 0; hop <= mostRedirects; hop += 1) {
      const { status, location, coding, bytes } = await ask(url, signal);
      if (status >= 300 && status < 400 && location !== undefined) {
        const next = isUrl(location, url) ? new URL(location, url) : undefined;
        if (next?.origin !== url.origin)
          throw new FetchFailure(`it redirects to ${next?.origin ?? 'no URL'}, another origin, which is not followed`);
        url = next;
        continue;
      }
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
    const callOff = deadline(wholeMs, () => ended.abort());
    try {
      return await follow(url, ended.signal);
    } catch (cause) {
      if (cause instanceof FetchFailure) throw cause;
      if (ended.signal.aborted) throw new FetchFailure(`no complete answer within ${wholeMs / 1000} s`, { cause });
      throw new FetchFailure(failureOf(cause, 'answer').message, { cause });
    } finally {
      callOff();
    }
  };
};

const tooLarge = `the document is larger than ${mostDocumentBytes / 1024 / 1024} MiB, and no larger one is read`;
