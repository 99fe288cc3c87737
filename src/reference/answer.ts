import type { Duplex } from 'node:stream';
import type { HeaderPair } from './call.js';

/**
 * How an answer is sent: with Content-Length (the default), chunked, ended by closing, or as
 * HTTP/1.0. `hang-up` closes the connection instead; `silence` never answers. A function writes its
 * own bytes.
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
  /** `Link` fields of an interim response (103, RFC 8297) that is sent first. */
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

/** Closes the connection without an answer. */
export const hangUp: Answer = { status: 0, headers: [], body: '', delivery: 'hang-up' };

/** Never answers, and keeps the connection open. */
export const silence: Answer = { status: 0, headers: [], body: '', delivery: 'silence' };

/** Adds fields to an answer, or replaces those with the same name. */
export const withHeaders = (answer: Answer, headers: readonly HeaderPair[]): Answer => ({
  ...answer,
  headers: [
    ...answer.headers.filter(([name]) => !headers.some(([other]) => other.toLowerCase() === name.toLowerCase())),
    ...headers,
  ],
});
