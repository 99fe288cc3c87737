import { Transform, type TransformCallback } from 'node:stream';

/** Bytes kept of earlier messages, since a secret may be split. */
const maxKept = 8 * 1024;
const maxFrame = 8 * 1024 * 1024;

interface Frame {
  readonly payload: Buffer;
  readonly length: number;
}

/** The masked frame at the start of `bytes` (RFC 6455, section 5.2); `undefined` when it is cut. */
const frameIn = (bytes: Buffer): Frame | undefined => {
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
  return { payload: Buffer.from(payload), length: start + size };
};

/** Passes on a WebSocket's frames. Fails if one carries a secret. */
export class WebSocketGuard extends Transform {
  readonly #holdsSecret: (data: Buffer) => boolean;
  #pending: Buffer = Buffer.alloc(0);
  /** The last of what was sent. */
  said: Buffer = Buffer.alloc(0);

  constructor(holdsSecret: (data: Buffer) => boolean) {
    super();
    this.#holdsSecret = holdsSecret;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    try {
      for (let frame = frameIn(this.#pending); frame !== undefined; frame = frameIn(this.#pending)) {
        const said = Buffer.concat([this.said, frame.payload]);
        if (this.#holdsSecret(said)) throw new Error('a frame carries a secret');
        this.said = said.subarray(-maxKept);
        this.push(this.#pending.subarray(0, frame.length));
        this.#pending = this.#pending.subarray(frame.length);
      }
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
