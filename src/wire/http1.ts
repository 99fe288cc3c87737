import http from 'node:http';
import type { Socket } from 'node:net';
import { failureOf, WireFailure } from './failure.js';

export interface Limits {
  /** Milliseconds for the headers and for the body, each. */
  readonly timeoutMs: number;
  /** Bytes of a header section. */
  readonly headerCap: number;
  /** Bytes of a body. */
  readonly bodyCap: number;
}

/** An answer as it came, nothing redacted or decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly httpVersion: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Milliseconds from the request to the first byte of the final answer's headers. */
  readonly firstByte: number;
}

/** Informational answers before the final one; more are a flood. */
const mostInformational = 32;

/**
 * Node's agent, reduced to one job: hand the request the socket that was chosen for it. Header fields given as an array go out as they are;
 * the parser stays Node's.
 */
class ChosenSocket extends http.Agent {
  #socket: Socket | undefined;

  constructor() {
    super({ keepAlive: true });
  }

  choose(socket: Socket): this {
    this.#socket = socket;
    return this;
  }

  /** Called by http.ClientRequest while it is constructed. */
  addRequest(request: http.ClientRequest): void {
    if (this.#socket) request.onSocket(this.#socket);
    this.#socket = undefined;
  }
}

const agent = new ChosenSocket();

export interface Head {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, ready for the socket. */
  readonly headers: readonly string[];
}

export interface SendHooks {
  /** The request is about to be written. */
  onSent(): void;
  /** The answer is complete and the socket may be used again; not called where it may not. */
  onFree(answer: RawAnswer): void;
}

/**
 * Sends one request over an open connection and reads the answer.
 * @throws WireFailure
 */
export const sendHttp1 = (socket: Socket, head: Head, limits: Limits, hooks: SendHooks): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    let informational = 0;
    let settled = false;
    let complete: RawAnswer | undefined;
    let timer: NodeJS.Timeout;
    const free = (): void => {
      if (complete) hooks.onFree(complete);
      else socket.destroy();
    };
    const fail = (error: unknown): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      socket.off('free', free);
      socket.destroy();
      reject(failureOf(error, 'answer'));
    };
    const succeed = (answer: RawAnswer): void => {
      if (settled) return;
      settled = true;
      complete = answer;
      clearTimeout(timer);
      resolve(answer);
    };
    timer = setTimeout(
      () => fail(new WireFailure('headers-timeout', `no full header section within ${limits.timeoutMs} ms`)),
      limits.timeoutMs,
    );
    socket.once('free', free);
    const request = http.request({
      agent: agent.choose(socket),
      method: head.method,
      path: head.target,
      headers: head.headers,
      maxHeaderSize: limits.headerCap,
    });
    let received: http.IncomingMessage | undefined;
    request.on('error', (error) => {
      // Bytes behind a complete answer spoil the connection, not the answer.
      if (!received?.complete) fail(error);
    });
    request.on('information', () => {
      informational += 1;
      if (informational > mostInformational) {
        fail(new WireFailure('not-http', `more than ${mostInformational} informational answers and no final one`));
      }
    });
    request.on('upgrade', (response) => {
      socket.destroy();
      const { statusCode: status = 101, httpVersion, rawHeaders } = response;
      const firstByte = performance.now() - start;
      succeed({ status, httpVersion, rawHeaders, body: Buffer.alloc(0), truncated: false, firstByte });
    });
    request.on('response', (response) => {
      received = response;
      const firstByte = performance.now() - start;
      const chunks: Buffer[] = [];
      let size = 0;
      clearTimeout(timer);
      timer = setTimeout(
        () => fail(new WireFailure('body-timeout', `no full body within ${limits.timeoutMs} ms`)),
        limits.timeoutMs,
      );
      const finish = (truncated: boolean): void => {
        const { statusCode: status = 0, httpVersion, rawHeaders } = response;
        const body = chunks.length === 1 && chunks[0] && !truncated ? chunks[0] : Buffer.concat(chunks);
        succeed({ status, httpVersion, rawHeaders, body: body.subarray(0, limits.bodyCap), truncated, firstByte });
      };
      response.on('data', (chunk: Buffer) => {
        if (settled) return;
        chunks.push(chunk);
        size += chunk.length;
        if (size <= limits.bodyCap) return;
        finish(true);
        socket.off('free', free);
        socket.destroy();
      });
      response.on('error', fail);
      response.on('end', () => finish(false));
      // Whatever comes behind the header section of these is no content (RFC 9112, section 6.3).
      if (head.method === 'HEAD' || response.statusCode === 204 || response.statusCode === 304) finish(false);
    });
    hooks.onSent();
    request.end();
  });
