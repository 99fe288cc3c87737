import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { token } from '../../names.js';
import { Dialler } from '../../wire/connect.js';
import type { WireFailure } from '../../wire/failure.js';
import { hasUnknownIssuer, trustAdvice } from '../../wire/tls-facts.js';
import type { KeyPageSettings } from '../input.js';

type Trusted = Pick<KeyPageSettings, 'ca' | 'clientCert' | 'proxy' | 'resolve'>;

/** Opens connections to the key page as the wire client does to the API. */
export const diallerOf = (
  { ca, clientCert, proxy, resolve = [] }: Trusted,
  insecureTls: boolean,
  timeoutMs: number,
): Dialler =>
  new Dialler({
    insecureTls,
    timeoutMs,
    hasOwnTimeout: true,
    resolve,
    ca,
    clientCert,
    proxy,
  });

/** Why a connection failed, as the end of a sentence, with advice if a setting helps. */
export const whyNot = ({ code, message, tls }: WireFailure, { ca }: Trusted): string => {
  if (code !== 'certificate' || !tls || !hasUnknownIssuer(tls)) return `(${message}).`;
  const { says, advice } = trustAdvice(tls, ca !== undefined);
  return `over TLS. ${says} ${advice}`;
};

/** Removes fields from a list of alternating names and values. */
export const without = (headers: readonly string[], isOut: (name: string, value: string) => boolean): string[] =>
  headers.flatMap((name, index) => {
    const value = headers[index + 1] ?? '';
    return index % 2 === 1 || isOut(name.toLowerCase(), value) ? [] : [name, value];
  });

/** Bytes. Requests to other origins are searched completely; longer ones are not sent. */
const maxBodyBytes = 8 * 1024 * 1024;

export const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Opens the closed shadow trees of a document, which a user sees too. Its length stays the same. A
 * tag that is cut waits for its end.
 */
const openingTrees = (): Transform => {
  let cut = '';
  const opened = (text: string): Buffer =>
    Buffer.from(text.replace(/(shadowrootmode\s*=\s*(\\?["'])?)closed((?:\2)?)/gi, '$1open$3  '), 'latin1');
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = cut + chunk.toString('latin1');
      cut = /<[^<>]{0,1000}$/.exec(text)?.[0] ?? '';
      done(null, opened(text.slice(0, text.length - cut.length)));
    },
    flush(done) {
      done(null, opened(cut));
    },
  });
};

/**
 * Forwards a request and its answer. Without an answer, the browser's connection is closed.
 * @param read is given the answer before it is passed on
 */
export const relay = (
  onward: ClientRequest,
  response: ServerResponse,
  read: (answer: IncomingMessage) => void,
): void => {
  const hangUp = (): void => void response.socket?.destroy();
  onward.on('error', hangUp);
  response.on('error', hangUp);
  onward.once('response', (answer) => {
    answer.on('error', hangUp);
    try {
      response.sendDate = false;
      // Fields that Node refuses to write, and browsers ignore.
      const headers = without(answer.rawHeaders, (name, value) => !token.test(name) || /[^\t -~\x80-\xff]/.test(value));
      response.writeHead(answer.statusCode ?? 502, headers);
    } catch {
      hangUp();
    }
    read(answer);
    const isDocument = /html/i.test(answer.headers['content-type'] ?? '');
    (isDocument ? answer.pipe(openingTrees()) : answer).pipe(response);
  });
};

/** Bytes kept of earlier messages, since a secret may be split. */
const maxKept = 8 * 1024;
const maxFrame = 8 * 1024 * 1024;

interface WebSocketFrame {
  readonly payload: Buffer;
  readonly length: number;
  /** Close, ping or pong. */
  readonly isControl: boolean;
}

/** The masked frame at the start of `bytes` (RFC 6455, section 5.2); `undefined` when it is cut. */
const frameIn = (bytes: Buffer): WebSocketFrame | undefined => {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < at + 4) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (size > maxFrame) throw new Error('a frame is too long to be looked through');
  const start = at + 4;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(at, start);
  const payload = bytes.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { payload: Buffer.from(payload), length: start + size, isControl: ((bytes[0] ?? 0) & 8) !== 0 };
};

/** Passes on a WebSocket's frames, but for those that are held. Fails if one carries a secret. */
export class WebSocketGuard extends Transform {
  readonly #holdsSecret: (data: Buffer) => boolean;
  readonly #isHeld: (data: Buffer) => boolean;
  #pending: Buffer = Buffer.alloc(0);
  /** The end of what was sent, since a secret may be split. */
  said: Buffer = Buffer.alloc(0);

  constructor(holdsSecret: (data: Buffer) => boolean, isHeld: (data: Buffer) => boolean) {
    super();
    this.#holdsSecret = holdsSecret;
    this.#isHeld = isHeld;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    try {
      for (let frame = frameIn(this.#pending); frame !== undefined; frame = frameIn(this.#pending)) {
        const said = Buffer.concat([this.said, frame.payload]);
        if (this.#holdsSecret(said)) throw new Error('a frame carries a secret');
        this.said = said.subarray(-maxKept);
        if (frame.isControl || !this.#isHeld(frame.payload)) this.push(this.#pending.subarray(0, frame.length));
        this.#pending = this.#pending.subarray(frame.length);
      }
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
