import http2 from 'node:http2';
import type { Socket } from 'node:net';
import { brokenOff, failureOf, timedOut, WireFailure } from './failure.js';
import type { Limits, RawAnswer, RequestHead, SendHooks, Settle } from './http1.js';
import { maxInformational, tooManyInformational } from './response-head.js';
import { deadline } from './time-limits.js';
import type { HeaderPair } from './types.js';

/** Fields that HTTP/2 forbids (RFC 9113, section 8.2.2); Host becomes `:authority`. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'host']);

/** The fields of a probe as HTTP/2 sends them. */
export const http2Fields = (fields: readonly HeaderPair[]): HeaderPair[] =>
  fields
    .map(([name, value]): HeaderPair => [name.toLowerCase(), value])
    .filter(([name]) => name === 'host' || !hopByHop.has(name));

const requestHeaders = (origin: string, { method, target, headers }: RequestHead): http2.OutgoingHttpHeaders => {
  const [scheme = '', authority = ''] = origin.split('://', 2);
  const made: Record<string, string | string[]> = {
    ':method': method,
    ':scheme': scheme,
    ':authority': authority,
    ':path': target,
  };
  for (const [field, value] of headers) {
    const name = field.toLowerCase();
    if (name === 'host') made[':authority'] = value;
    if (hopByHop.has(name)) continue;
    const before = made[name];
    made[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return made;
};

const flat = (headers: http2.IncomingHttpHeaders): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined
      ? []
      : (Array.isArray(value) ? value : [value]).flatMap((one) => [name, String(one)]),
  );

type FinalHead = Pick<RawAnswer, 'status' | 'httpVersion' | 'rawHeaders' | 'firstByte'>;

/**
 * Returns a function that says whether the server has ended its answer (END_STREAM). Node ends a
 * stream that was reset without an error, or whose connection was closed, as it ends a complete
 * one, but marks it as closed first.
 */
const endWatch = (stream: http2.ClientHttp2Stream): (() => boolean) => {
  const push = stream.push.bind(stream);
  let isEnded = false;
  stream.push = (chunk, encoding) => {
    isEnded ||= chunk === null && !stream.closed;
    return push(chunk, encoding);
  };
  return () => isEnded;
};

/** The session on a connection whose ALPN chose h2, or on one without TLS. */
export const http2SessionOn = (socket: Socket, origin: string): http2.ClientHttp2Session =>
  http2.connect(origin, { createConnection: () => socket, maxSessionMemory: 10 });

/** The answer to one request on a session, until it is whole or has failed. */
class PendingAnswer {
  readonly #session: http2.ClientHttp2Session;
  readonly #target: string;
  readonly #limits: Limits;
  readonly #hooks: Http2Hooks;
  readonly #settle: Settle;
  readonly #start = performance.now();
  /** Fields of interim responses and trailers. */
  readonly #aside: string[] = [];
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #informational = 0;
  #final: FinalHead | undefined;
  /** Without TLS, the server has not said yet that it speaks HTTP/2. */
  #isHttp2: boolean;
  #isSettled = false;
  #cancelDeadline = (): void => undefined;

  constructor(
    session: http2.ClientHttp2Session,
    { target }: RequestHead,
    limits: Limits,
    hooks: Http2Hooks,
    settle: Settle,
  ) {
    this.#session = session;
    this.#target = target;
    this.#limits = limits;
    this.#hooks = hooks;
    this.#settle = settle;
    this.#isHttp2 = session.alpnProtocol === 'h2';
  }

  send(headers: http2.OutgoingHttpHeaders): void {
    const [session, limits] = [this.#session, this.#limits];
    session.once('remoteSettings', () => {
      this.#isHttp2 = true;
    });
    session.on('error', this.#fail);
    session.on('close', () => this.#fail(brokenOff()));
    const stream = session.request(headers, { endStream: true });
    const isWhole = endWatch(stream);
    this.#hooks.onSent();
    const turn = limits.turns.start(limits.timeoutMs, () =>
      this.#fail(timedOut('headers-timeout', 'header section', limits.timeoutMs)),
    );
    this.#cancelDeadline = turn.cancel;
    stream.on('error', this.#fail);
    stream.on('close', () => this.#fail(brokenOff()));
    stream.on('headers', (interim) => this.#readInterim(interim));
    stream.on('response', (final) => this.#readHead(final, turn.answered));
    stream.on('trailers', (trailers) => this.#aside.push(...this.#fieldsIn(trailers)));
    stream.on('data', (chunk: Buffer) => this.#readBody(chunk));
    stream.on('end', () => (this.#final && isWhole() ? this.#finish(this.#final) : this.#fail(brokenOff())));
  }

  #readInterim(headers: http2.IncomingHttpHeaders): void {
    this.#aside.push(...this.#fieldsIn(headers));
    this.#informational += 1;
    if (this.#informational > maxInformational) this.#fail(tooManyInformational());
  }

  #readHead(headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader, noteAnswered: () => void): void {
    const rawHeaders = this.#fieldsIn(headers);
    if (this.#isSettled) return;
    const firstByte = performance.now() - this.#start;
    const final = { status: headers[':status'] ?? 0, httpVersion: '2.0', rawHeaders, firstByte };
    this.#final = final;
    noteAnswered();
    const hasLength = headers['content-length'] !== undefined;
    const { patience } = this.#limits;
    const bodyMs = patience.forBody(this.#target);
    this.#cancelDeadline = deadline(bodyMs, () => {
      if (this.#size === 0 || hasLength) return this.#fail(timedOut('body-timeout', 'body', bodyMs));
      // A stream that does not end.
      patience.noteEndless(this.#target);
      this.#finish(final, true);
    });
  }

  #readBody(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#final && this.#size > this.#limits.bodyCap) this.#finish(this.#final);
  }

  /** The fields of a section. Ends the exchange if it is over the cap. */
  #fieldsIn(headers: http2.IncomingHttpHeaders): readonly string[] {
    const fields = flat(headers);
    if (fields.join('').length <= this.#limits.headerCap) return fields;
    this.#fail(new WireFailure('too-large', 'the header section is over the cap'));
    return [];
  }

  readonly #fail = (error: unknown): void => {
    if (!this.#end()) return;
    this.#session.destroy();
    if (this.#final && this.#size > 0) this.#hooks.onBroken({ ...this.#answer(this.#final, false), broken: true });
    this.#settle.reject(
      this.#isHttp2
        ? failureOf(error, 'answer')
        : new WireFailure('no-h2', 'the server does not speak HTTP/2 without TLS'),
    );
  };

  #finish(final: FinalHead, truncated = this.#size > this.#limits.bodyCap): void {
    if (this.#end()) this.#settle.resolve(this.#answer(final, truncated));
  }

  /** Whether this is the first end. Only that one counts. */
  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#cancelDeadline();
    return true;
  }

  #answer(final: FinalHead, truncated: boolean): RawAnswer {
    const body = Buffer.concat(this.#chunks).subarray(0, this.#limits.bodyCap);
    return { ...final, aside: this.#aside, body, truncated };
  }
}

type Http2Hooks = Pick<SendHooks, 'onSent' | 'onBroken'>;

/** Sends one request over HTTP/2. The session stays open after a whole answer. */
export const sendHttp2 = (
  session: http2.ClientHttp2Session,
  origin: string,
  head: RequestHead,
  limits: Limits,
  hooks: Http2Hooks,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    if (session.closed || session.destroyed) throw brokenOff();
    new PendingAnswer(session, head, limits, hooks, { resolve, reject }).send(requestHeaders(origin, head));
  });
