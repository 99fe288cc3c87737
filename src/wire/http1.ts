import type { Socket } from 'node:net';
import { token } from '../names.js';
import { brokenOff, failureOf, timedOut, WireFailure } from './failure.js';
import { outsideFieldValue } from './header-fields.js';
import { deadline, type Turns } from './line.js';
import type { Patience } from './patience.js';
import type { ResponseHead } from './response-head.js';
import { type ParserLimits, ResponseParser } from './response-parser.js';
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

/** Reads the answer to a request that is about to be written. */
const readAnswer = (
  line: SocketReader,
  { method, target, headers }: RequestHead,
  limits: Limits,
  { onFree, onBroken }: Pick<SendHooks, 'onFree' | 'onBroken'>,
  { resolve, reject }: { readonly resolve: (answer: RawAnswer) => void; readonly reject: (error: unknown) => void },
): SocketListener => {
  const parser = new ResponseParser(method, limits);
  const start = performance.now();
  let firstByte = 0;

  const { patience } = limits;
  const headMs = patience.forHead(headers);
  const turn = limits.turns.start(headMs, () => {
    patience.noteUnanswered(headers);
    onError(timedOut('headers-timeout', 'header section', headMs));
  });
  let cancelDeadline = turn.cancel;

  const stopListening = (): void => {
    cancelDeadline();
    line.unlisten();
  };
  const giveUp = (error: unknown): void => {
    stopListening();
    line.socket.destroy();
    reject(error);
  };
  const onError = (error: Error): void => {
    const { head, aside } = parser;
    const body = parser.body();
    if (head && body.length > 0) onBroken({ ...head, aside, body, truncated: false, broken: true, firstByte });
    giveUp(failureOf(error, 'answer'));
  };
  const finish = ({ status, httpVersion, rawHeaders }: ResponseHead): void => {
    stopListening();
    const { reusable, truncated, aside } = parser;
    const answer: RawAnswer = { status, httpVersion, rawHeaders, aside, body: parser.body(), truncated, firstByte };
    if (reusable) onFree(answer);
    else line.socket.destroy();
    resolve(answer);
  };
  const waitForBody = (head: ResponseHead): (() => void) => {
    const bodyMs = patience.forBody(target);
    return deadline(bodyMs, () => {
      if (!parser.cut()) return onError(timedOut('body-timeout', 'body', bodyMs));
      patience.noteEndless(target);
      finish(head);
    });
  };
  const advance = (step: () => void): void => {
    const before = parser.head;
    try {
      step();
    } catch (error) {
      if (error instanceof WireFailure) onError(error);
      else giveUp(error);
      return;
    }
    const { head } = parser;
    if (!head) return;
    if (!before) {
      firstByte = performance.now() - start;
      turn.answered();
    }
    if (parser.complete) finish(head);
    else if (!before) cancelDeadline = waitForBody(head);
  };

  return {
    onData: (bytes) => advance(() => parser.push(bytes)),
    onEnd: () => advance(() => parser.end()),
    onError,
    onClose: () => onError(brokenOff()),
  };
};

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
      const pending = readAnswer(line, head, limits, hooks, { resolve, reject });
      if (line.socket.destroyed) return pending.onClose();
      line.listen(pending);
      hooks.onSent();
      line.socket.write(message, 'latin1');
    });
  });
