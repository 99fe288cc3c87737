import zlib from 'node:zlib';

/**
 * Index of what is compressed, if a header of gzip (RFC 1952, section 2.3) or zlib (RFC 1950,
 * section 2.2) is at `at`; else -1.
 */
export const behindCompressionHeader = (bytes: Buffer, at: number): number => {
  const first = bytes[at];
  const second = bytes[at + 1] ?? 0;
  if (first === 0x78) return (second & 0x20) === 0 && (first * 256 + second) % 31 === 0 ? at + 2 : -1;
  if (first !== 0x1f || second !== 0x8b || bytes[at + 2] !== 8) return -1;
  const flags = bytes[at + 3] ?? 0;
  let end = at + 10;
  if ((flags & 4) !== 0) end += 2 + (bytes[end] ?? 0) + 256 * (bytes[end + 1] ?? 0);
  for (const name of [8, 16]) if ((flags & name) !== 0) end = bytes.indexOf(0, end) + 1;
  return (flags & 2) === 0 ? end : end + 2;
};

interface Decoded {
  readonly bytes: Buffer;
  /** The body was longer than the cap. */
  readonly truncated: boolean;
  /** What went wrong, in plain words. */
  readonly note?: string;
}

/** More codings than this are an attack. */
const maxCodings = 5;

const isZlib = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

const zlibOptions = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const brotliOptions = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

type Decoder = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress;

const decoderOf = (coding: string, bytes: Buffer): Decoder | undefined => {
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip(zlibOptions);
  if (coding === 'br') return zlib.createBrotliDecompress(brotliOptions);
  if (coding !== 'deflate') return undefined;
  // "deflate" is the zlib format (RFC 9110, section 8.4.1.2), but many servers send raw deflate.
  return bytes.length > 1 && isZlib(bytes) ? zlib.createInflate(zlibOptions) : zlib.createInflateRaw(zlibOptions);
};

/** Decodes until the end, an error or the cap. Small chunks lose little output at an error. */
const run = (decoder: Decoder, bytes: Buffer, cap: number, pieceSize: number): Promise<Decoded & { failed: boolean }> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (truncated: boolean, failed: boolean): void => {
      decoder.removeAllListeners();
      decoder.on('error', () => undefined);
      decoder.destroy();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, cap), truncated, failed });
    };
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > cap) finish(true, false);
    });
    decoder.once('end', () => finish(false, false));
    decoder.once('error', () => finish(false, true));
    for (let at = 0; at < bytes.length; at += pieceSize) decoder.write(bytes.subarray(at, at + pieceSize));
    decoder.end();
  });

/** Decodes Content-Encoding, last coding first (RFC 9110, section 8.4), up to `cap` bytes each. */
export const decodeContent = async (bytes: Buffer, contentEncoding: string, cap: number): Promise<Decoded> => {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let decoded: Decoded = { bytes, truncated: false };
  if (bytes.length === 0) return decoded;
  if (codings.length > maxCodings) return { ...decoded, note: `${codings.length} content codings, left as they are` };
  for (const coding of codings.reverse()) {
    const decoder = decoderOf(coding, decoded.bytes);
    if (!decoder) return { ...decoded, note: `the content coding ${coding} is not known` };
    const { failed, ...next } = await run(decoder, decoded.bytes, cap, decoded.bytes.length);
    if (failed) {
      const again = decoderOf(coding, decoded.bytes) ?? decoder;
      const some = await run(again, decoded.bytes, cap, Math.max(8, Math.ceil(decoded.bytes.length / 256)));
      const note = `the body is not the ${coding} that Content-Encoding says`;
      return some.bytes.length === 0
        ? { ...decoded, note }
        : { bytes: some.bytes, truncated: decoded.truncated || some.truncated, note };
    }
    decoded = { bytes: next.bytes, truncated: decoded.truncated || next.truncated };
  }
  return decoded;
};
