import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Duplex } from 'node:stream';
import { pairsIn } from '../collections.js';

export type HeaderPair = readonly [name: string, value: string];

/** A request as the service sees it. Plain data, so that behaviours can pass on modified copies. */
export interface Call {
  readonly method: string;
  /** Request target as received. */
  readonly target: string;
  /** Path below the base path, not decoded or normalised; `null` outside the base path. */
  readonly path: string | null;
  readonly query: URLSearchParams;
  /** Header fields in order, including repeated ones. */
  readonly headers: readonly HeaderPair[];
  readonly secure: boolean;
  /** `1.0`, `1.1` or `2.0` */
  readonly httpVersion: string;
  /** Identifies the connection of the request. */
  readonly connection: object;
}

/** Values of all fields of this name, in order. */
export const fieldsOf = (call: Call, name: string): readonly string[] =>
  call.headers.filter(([field]) => field.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

/** Value of the first field of this name. */
export const fieldOf = (call: Call, name: string): string | undefined => fieldsOf(call, name)[0];

/** Whether Host names another host than the origin. The port is ignored, as for virtual hosts. */
export const isForAnotherHost = (call: Call, origin: string): boolean => {
  const host = fieldOf(call, 'Host');
  return host !== undefined && host.toLowerCase().replace(/:\d*$/, '') !== new URL(origin).hostname;
};

export const withPath = (call: Call, path: string): Call => ({ ...call, path });

/** Path and query of a request target, also in absolute form (RFC 9112, section 3.2.2). */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
};

/** Converts a Node request. Request bodies are ignored. */
export const callOf = (request: IncomingMessage | Http2ServerRequest, secure: boolean, basePath: string): Call => {
  const target = request.url ?? '/';
  const { path, query } = splitTarget(target);
  return {
    method: request.method ?? 'GET',
    target,
    path: path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || '/' : null,
    query: new URLSearchParams(query),
    headers: pairsIn(request.rawHeaders),
    secure,
    httpVersion: request.httpVersion,
    // The `socket` of HTTP/2 requests is a new proxy object every time; the session is the same.
    connection: ('stream' in request ? request.stream.session : undefined) ?? request.socket,
  };
};

/** Normalisations that a router applies to a path and an access check in front of it may not. */
export const undo = {
  mergeSlashes: (path: string): string => path.replace(/\/{2,}/g, '/'),
  decodeLetters: (path: string): string =>
    path.replace(/%(?:[46][1-9a-f]|[57][0-9a])/gi, (code) => decodeURIComponent(code)),
  ignoreCase: (path: string): string => path.toLowerCase(),
  addLastSlash: (path: string): string => (path.endsWith('/') ? path : `${path}/`),
};

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
): Answer => ({ status, headers: [['Content-Type', mediaType], ...headers], body });

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

/** Adds a field to an answer, also beside one with the same name. */
export const withField = (answer: Answer, name: string, value: string): Answer => ({
  ...answer,
  headers: [...answer.headers, [name, value]],
});

/** Adds fields to an answer, or replaces those with the same name. */
export const withHeaders = (answer: Answer, headers: readonly HeaderPair[]): Answer => ({
  ...answer,
  headers: [
    ...answer.headers.filter(([name]) => !headers.some(([other]) => other.toLowerCase() === name.toLowerCase())),
    ...headers,
  ],
});

/** Renders JSON lists in other formats. */

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The rows of a page. Any other JSON object, such as a refusal, is one row. */
const rowsOf = ({ body }: Answer): Rows => {
  const value = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  return Array.isArray(value.results) ? (value.results as Rows) : [value];
};

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

const quoted = (value: unknown): string => `"${plainText(value).replaceAll('"', '""')}"`;

const escaped = (value: unknown): string =>
  plainText(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const columnsOf = (rows: Rows): readonly string[] => Object.keys(rows[0] ?? {});

/** Replaces body and media type, and keeps the other fields. */
const as = (answer: Answer, form: Answer): Answer => ({
  ...withHeaders(answer, form.headers),
  body: form.body,
});

export const inCsv = (answer: Answer): Answer => {
  const rows = rowsOf(answer);
  const columns = columnsOf(rows);
  const lines = [columns.join(','), ...rows.map((row) => columns.map((name) => quoted(row[name])).join(','))];
  return as(answer, text(200, `${lines.join('\r\n')}\r\n`, 'text/csv; charset=utf-8'));
};

export const inEvents = (answer: Answer): Answer => {
  const events = rowsOf(answer).map((row) => `data: ${JSON.stringify(row)}\n\n`);
  return as(answer, text(200, events.join(''), 'text/event-stream'));
};

export const inXml = (answer: Answer): Answer => {
  const items = rowsOf(answer).map(
    (row) =>
      `<item>${Object.entries(row)
        .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
        .join('')}</item>`,
  );
  return as(
    answer,
    text(200, `<?xml version="1.0" encoding="utf-8"?>\n<list>${items.join('')}</list>\n`, 'application/xml'),
  );
};

export const inHtml = (answer: Answer): Answer => {
  const rows = rowsOf(answer);
  const columns = columnsOf(rows);
  const cells = (tag: string, values: readonly unknown[]): string =>
    `<tr>${values.map((value) => `<${tag}>${escaped(value)}</${tag}>`).join('')}</tr>`;
  const table = [
    cells('th', columns),
    ...rows.map((row) =>
      cells(
        'td',
        columns.map((name) => row[name]),
      ),
    ),
  ];
  return as(answer, html(200, 'List', `<table>${table.join('')}</table>`));
};

/** JSONP: a script that passes the data to a function of the page. */
export const inScript = (answer: Answer, callback: string): Answer =>
  as(answer, text(200, `/**/${callback}(${answer.body.toString()});`, 'application/javascript; charset=utf-8'));

/** Returns the whole body as a 206 answer to Range. */
export const partOf = (answer: Answer): Answer => {
  const body = Buffer.from(answer.body);
  return {
    ...withHeaders(answer, [['Content-Range', `bytes 0-${body.length - 1}/${body.length}`]]),
    status: 206,
    body,
  };
};
