import { inflateSync } from 'node:zlib';

interface Pixels {
  readonly width: number;
  readonly channels: number;
  readonly bytes: Buffer;
}

const paeth = (left: number, up: number, corner: number): number => {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
};

/** The pixels of a PNG as browsers write them: 8 bits a channel, RGB or RGBA, not interlaced. */
const pixelsOf = (png: Buffer): Pixels => {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const width = png.readUInt32BE(16);
  const channels = png[25] === 6 ? 4 : 3;
  const line = width * channels;
  const data = inflateSync(Buffer.concat(parts));
  const bytes = Buffer.alloc((data.length / (line + 1)) * line);
  for (let at = 0, from = 0; at < bytes.length; from += 1) {
    const filter = data[from];
    for (let x = 0; x < line; x += 1, at += 1) {
      from += 1;
      const left = x < channels ? 0 : (bytes[at - channels] ?? 0);
      const up = bytes[at - line] ?? 0;
      const corner = x < channels ? 0 : (bytes[at - line - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      bytes[at] = (data[from] ?? 0) + guess;
    }
  }
  return { width, channels, bytes };
};

/** Number of pixels that differ visibly between two PNGs of one size. */
export const differingPixels = (one: Buffer, other: Buffer): number => {
  // One sixteenth of the brightness of a channel.
  const overlooked = 16;
  const [{ channels, bytes }, { bytes: others }] = [pixelsOf(one), pixelsOf(other)];
  let count = 0;
  for (let at = 0; at < bytes.length; at += channels)
    for (let channel = at; channel < at + channels; channel += 1)
      if (Math.abs((bytes[channel] ?? 0) - (others[channel] ?? 0)) > overlooked) {
        count += 1;
        break;
      }
  return count;
};
