import type { Socket } from 'node:net';
import { token } from '../names.js';
import { brokenOff, failureOf, timedOut, WireFailure } from './failure.js';
import { outsideFieldValue } from './header-fields.js';
import type { ResponseHead } from './response-head.js';
import { type ParserLimits, ResponseParser } from './response-parser.js';
import { deadline, type Patience, type Turn, type Turns } from './time-limits.js';
import type { Probe } from './types.js';

/** Receives the events of a socket. */
interface SocketListener {
  onData(bytes: Buffer): void;
  /** The peer has closed its side. */
  onEnd(): void;
  onError(error: Error): void;
  onClose(): void;
}

/**
 * Passes the events of a socket to the current listener. Data without a listener closes the
 * connection, since it would be read as the next response.
 */
export class SocketReader {
  readonly socket: Socket;
  #listener: SocketListener | undefined;
  #isSubscribed = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    const { socket } = this;
    socket.on('data', (bytes) => (this.#listener ? this.#listener.onData(bytes) : socket.destroy()));
    socket.on('end', () => (this.#listener ? this.#listener.onEnd() : socket.destroy()));
    socket.on('error', (error) => this.#listener?.onError(error));
    socket.on('close', () => this.#listener?.onClose());
  }

  unlisten(): void {
    this.#listener = undefined;
  }
}

export interface Limits extends ParserLimits {
  /** Milliseconds for the headers and for the body, each. */
  readonly timeoutMs: number;
  readonly turns: Turns;
  readonly patience: Patience;
}

/** A response as received, not redacted or decoded. */
export interface RawAnswer extends ResponseHead {
  readonly body: Buffer;
  /** The body was longer than the cap, or a stream that did not end in time. */
  readonly truncated: boolean;
  /** The connection ended before the body was complete. */
  readonly broken?: true;
  /** Milliseconds until the header section of the final response was complete. */
  readonly firstByte: number;
}

/** Header values have one character per byte. */
export type RequestHead = Pick<Probe, 'method' | 'target' | 'headers' | 'protocol'>;

export interface SendHooks {
  /** The request is about to be written. */
  onSent(): void;
  /** The response is complete and the socket can be reused; not called otherwise. */
  onFree(answer: RawAnswer): void;
  /**
   * The connection ended or timed out during the body.
   * @param answer the part that arrived
   */
  onBroken(answer: RawAnswer): void;
}

/** Ends the promise of an answer. */
export interface Settle {
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Formats a request without content, one character per byte.
 * @throws TypeError for an invalid method, target or field
 */
const messageOf = ({ method, target, protocol, headers }: RequestHead): string => {
  if (!token.test(method) || /[^!-\xff]/.test(target)) throw new TypeError('the request line is none');
  let message = `${method} ${target} ${protocol.toUpperCase()}\r\n`;
  for (const [name, value] of headers) {
    if (!token.test(name) || outsideFieldValue.test(value))
      throw new TypeError('a header field of the request is none');
    message += `${name}: ${value}\r\n`;
  }
  return `${message}\r\n`;
};

/** The answer to a request that is about to be written, until it is whole or has failed. */
class PendingAnswer implements SocketListener {
  readonly #line: SocketReader;
  readonly #request: RequestHead;
  readonly #limits: Limits;
  readonly #hooks: SendHooks;
  readonly #settle: Settle;
  readonly #parser: ResponseParser;
  readonly #turn: Turn;
  readonly #start = performance.now();
  #firstByte = 0;
  #cancelDeadline: () => void;

  constructor(line: SocketReader, request: RequestHead, limits: Limits, hooks: SendHooks, settle: Settle) {
    this.#line = line;
    this.#request = request;
    this.#limits = limits;
    this.#hooks = hooks;
    this.#settle = settle;
    this.#parser = new ResponseParser(request.method, limits);
    const headMs = limits.patience.forHead(request.headers);
    this.#turn = limits.turns.start(headMs, () => {
      limits.patience.noteUnanswered(request.headers);
      this.onError(timedOut('headers-timeout', 'header section', headMs));
    });
    this.#cancelDeadline = this.#turn.cancel;
  }

  onData(bytes: Buffer): void {
    this.#advance(() => this.#parser.push(bytes));
  }

  onEnd(): void {
    this.#advance(() => this.#parser.end());
  }

  onClose(): void {
    this.onError(brokenOff());
  }

  onError(error: Error): void {
    const { head, aside } = this.#parser;
    const body = this.#parser.body();
    if (head && body.length > 0)
      this.#hooks.onBroken({ ...head, aside, body, truncated: false, broken: true, firstByte: this.#firstByte });
    this.#giveUp(failureOf(error, 'answer'));
  }

  #advance(step: () => void): void {
    const before = this.#parser.head;
    try {
      step();
    } catch (error) {
      if (error instanceof WireFailure) this.onError(error);
      else this.#giveUp(error);
      return;
    }
    const { head, complete } = this.#parser;
    if (!head) return;
    if (!before) {
      this.#firstByte = performance.now() - this.#start;
      this.#turn.answered();
    }
    if (complete) this.#finish(head);
    else if (!before) this.#waitForBody(head);
  }

  #waitForBody(head: ResponseHead): void {
    const { patience } = this.#limits;
    const { target } = this.#request;
    const bodyMs = patience.forBody(target);
    this.#cancelDeadline = deadline(bodyMs, () => {
      if (!this.#parser.cut()) return this.onError(timedOut('body-timeout', 'body', bodyMs));
      patience.noteEndless(target);
      this.#finish(head);
    });
  }

  #finish({ status, httpVersion, rawHeaders }: ResponseHead): void {
    this.#stopListening();
    const { reusable, truncated, aside } = this.#parser;
    const [body, firstByte] = [this.#parser.body(), this.#firstByte];
    const answer: RawAnswer = { status, httpVersion, rawHeaders, aside, body, truncated, firstByte };
    if (reusable) this.#hooks.onFree(answer);
    else this.#line.socket.destroy();
    this.#settle.resolve(answer);
  }

  #giveUp(error: unknown): void {
    this.#stopListening();
    this.#line.socket.destroy();
    this.#settle.reject(error);
  }

  #stopListening(): void {
    this.#cancelDeadline();
    this.#line.unlisten();
  }
}

let pendingWrites: (() => void)[] = [];

/**
 * Collects the writes of one turn of the event loop, so that the peer wakes up once for all of
 * them. Waking up costs more than writing.
 */
const atEndOfTurn = (write: () => void): void => {
  pendingWrites.push(write);
  if (pendingWrites.length > 1) return;
  setImmediate(() => {
    const all = pendingWrites;
    pendingWrites = [];
    for (const each of all) each();
  });
};

/**
 * Sends a request over an open connection and reads the answer.
 * @throws WireFailure
 */
export const sendHttp1 = (
  line: SocketReader,
  head: RequestHead,
  limits: Limits,
  hooks: SendHooks,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const message = messageOf(head);
    atEndOfTurn(() => {
      const pending = new PendingAnswer(line, head, limits, hooks, { resolve, reject });
      if (line.socket.destroyed) return pending.onClose();
      line.listen(pending);
      hooks.onSent();
      line.socket.write(message, 'latin1');
    });
  });
