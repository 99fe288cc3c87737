import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import type { Answer } from './answer.js';

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

/** Fields that HTTP/2 forbids (RFC 9113 section 8.2.2). */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

const hangUp = (request: AnyRequest): void => {
  if ('stream' in request) request.stream.session?.destroy();
  else request.socket.destroy();
};

/** Puts an answer on the wire. HEAD keeps the fields and leaves the body out. */
export const transmit = (answer: Answer, request: AnyRequest, response: AnyResponse): void => {
  const { delivery = 'length', status, headers } = answer;
  if (delivery === 'silence') return;
  if (delivery === 'hang-up') {
    hangUp(request);
    return;
  }
  if (typeof delivery === 'function') {
    delivery(request.socket);
    return;
  }
  const body = Buffer.from(answer.body);
  const bodiless = request.method === 'HEAD' || status === 204 || status === 304;
  if (delivery === 'http/1.0') {
    const fields = [...headers, ['Content-Length', String(body.length)], ['Connection', 'close']];
    const head = `HTTP/1.0 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`;
    request.socket.end(bodiless ? head : Buffer.concat([Buffer.from(head), body]));
    return;
  }
  const grouped = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of headers) {
    const known = grouped.get(name.toLowerCase());
    if (known) known.values.push(value);
    else grouped.set(name.toLowerCase(), { name, values: [value] });
  }
  const isHttp1 = response instanceof ServerResponse;
  for (const [lower, { name, values }] of grouped) {
    if (isHttp1 || !hopByHop.has(lower)) response.setHeader(name, values.length > 1 ? values : (values[0] ?? ''));
  }
  response.statusCode = status;
  if (delivery === 'length' && status !== 204 && status !== 304) response.setHeader('Content-Length', body.length);
  if (delivery === 'until-close' && isHttp1) {
    response.useChunkedEncodingByDefault = false;
    response.setHeader('Connection', 'close');
  }
  if (answer.interim && isHttp1) response.writeEarlyHints({ link: answer.interim.map(([, value]) => value) });
  const stream: Writable = response;
  if (!bodiless) {
    // In two pieces where there is no length, so that there are two chunks and not one.
    const middle = delivery === 'length' ? 0 : body.length >> 1;
    if (middle > 0) stream.write(body.subarray(0, middle));
    stream.write(body.subarray(middle));
  }
  stream.end();
};
