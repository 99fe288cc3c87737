import type { Duplex } from 'node:stream';
import type { HeaderPair } from './call.js';

/**
 * How an answer leaves: with its length (the default), in chunks, ended by closing, as HTTP/1.0; or the connection is
 * closed instead, or nothing is ever said; or bytes of one's own.
 */
export type Delivery =
  | 'length'
  | 'chunked'
  | 'until-close'
  | 'http/1.0'
  | 'hang-up'
  | 'silence'
  | ((socket: Duplex) => void);

export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderPair[];
  readonly body: string | Buffer;
  readonly delivery?: Delivery;
  /** Fields of an interim response (103, RFC 8297) that goes in front; `Link` fields alone. */
  readonly interim?: readonly HeaderPair[];
}

export const json = (status: number, value: unknown, headers: readonly HeaderPair[] = []): Answer => ({
  status,
  headers: [['Content-Type', 'application/json; charset=utf-8'], ...headers],
  body: JSON.stringify(value),
});

export const text = (
  status: number,
  body: string,
  mediaType = 'text/plain; charset=utf-8',
  headers: readonly HeaderPair[] = [],
): Answer => ({
  status,
  headers: [['Content-Type', mediaType], ...headers],
  body,
});

export const html = (status: number, title: string, content: string, headers: readonly HeaderPair[] = []): Answer =>
  text(
    status,
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${content}</body></html>\n`,
    'text/html; charset=utf-8',
    headers,
  );

export const empty = (status: number, headers: readonly HeaderPair[] = []): Answer => ({ status, headers, body: '' });

export const redirect = (status: number, location: string): Answer =>
  text(status, `See ${location}\n`, 'text/plain; charset=utf-8', [['Location', location]]);

/** No answer at all: the connection is closed. */
export const hangUp: Answer = { status: 0, headers: [], body: '', delivery: 'hang-up' };

/** No answer at all: the connection stays open and nothing comes. */
export const silence: Answer = { status: 0, headers: [], body: '', delivery: 'silence' };

/** The same answer with more fields; a field that is there already is replaced. */
export const withHeaders = (answer: Answer, headers: readonly HeaderPair[]): Answer => ({
  ...answer,
  headers: [
    ...answer.headers.filter(([name]) => !headers.some(([other]) => other.toLowerCase() === name.toLowerCase())),
    ...headers,
  ],
});
