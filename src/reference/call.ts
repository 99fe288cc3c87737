import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

export type HeaderPair = readonly [name: string, value: string];

/** A request as the service sees it: plain data, so that behaviours can pass altered copies on. */
export interface Call {
  readonly method: string;
  /** Request target as it arrived. */
  readonly target: string;
  /** Path of the target behind the base path, not decoded, not normalised; `null` outside the base path. */
  readonly path: string | null;
  readonly query: URLSearchParams;
  /** Fields in order, repeated ones included. */
  readonly headers: readonly HeaderPair[];
  readonly secure: boolean;
  /** `1.0`, `1.1` or `2.0` */
  readonly httpVersion: string;
  /** The connection it came on: something to remember facts by. */
  readonly connection: object;
}

/** Values of all fields of this name, in order. */
export const fieldsOf = (call: Call, name: string): readonly string[] =>
  call.headers.filter(([field]) => field.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

/** Value of the first field of this name. */
export const fieldOf = (call: Call, name: string): string | undefined => fieldsOf(call, name)[0];

/** Whether a request names another host than this origin's, as virtual hosts are told apart: whatever the port. */
export const isForAnotherHost = (call: Call, origin: string): boolean => {
  const host = fieldOf(call, 'Host');
  return host !== undefined && host.toLowerCase().replace(/:\d*$/, '') !== new URL(origin).hostname;
};

/** The same call with another path, method or fields. */
export const withPath = (call: Call, path: string): Call => ({ ...call, path });
export const withMethod = (call: Call, method: string): Call => ({ ...call, method });

/** Path and query of a request target, absolute form included (RFC 9112 section 3.2.2: a server must accept it). */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
};

/** Reads a request; its body is of no interest to any resource here. */
export const callOf = (request: IncomingMessage | Http2ServerRequest, secure: boolean, basePath: string): Call => {
  const target = request.url ?? '/';
  const { path, query } = splitTarget(target);
  const raw = request.rawHeaders;
  const headers: HeaderPair[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) headers.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return {
    method: request.method ?? 'GET',
    target,
    path: path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || '/' : null,
    query: new URLSearchParams(query),
    headers,
    secure,
    httpVersion: request.httpVersion,
    // An HTTP/2 request's `socket` is a new proxy every time; its session stays.
    connection: ('stream' in request ? request.stream.session : undefined) ?? request.socket,
  };
};
