import { Transform, type TransformCallback } from 'node:stream';

/** What is kept of earlier messages: a secret may come in several. */
const remembered = 8 * 1024;
const longestFrame = 8 * 1024 * 1024;

interface Frame {
  readonly payload: Buffer;
  readonly length: number;
}

/** The masked frame at the start of `bytes` (RFC 6455, section 5.2); `undefined` when more has to come. */
const frameIn = (bytes: Buffer): Frame | undefined => {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < at + 4) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (size > longestFrame) throw new Error('a frame is too long to be looked through');
  const start = at + 4;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(at, start);
  const payload = bytes.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { payload: Buffer.from(payload), length: start + size };
};

/** Lets through what a browser writes into a WebSocket, frame by frame, as long as no secret is in it; fails otherwise. */
export class FrameGuard extends Transform {
  readonly #holdsSecret: (data: Buffer) => boolean;
  #pending: Buffer = Buffer.alloc(0);
  #said: Buffer = Buffer.alloc(0);

  constructor(holdsSecret: (data: Buffer) => boolean) {
    super();
    this.#holdsSecret = holdsSecret;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    try {
      for (let frame = frameIn(this.#pending); frame !== undefined; frame = frameIn(this.#pending)) {
        const said = Buffer.concat([this.#said, frame.payload]);
        if (this.#holdsSecret(said)) throw new Error('a frame carries a secret');
        this.#said = said.subarray(-remembered);
        this.push(this.#pending.subarray(0, frame.length));
        this.#pending = this.#pending.subarray(frame.length);
      }
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
