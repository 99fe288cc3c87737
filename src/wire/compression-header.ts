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
