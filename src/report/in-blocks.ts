const blockSize = 1 << 18;

/** Joins small pieces into larger writes. */
export async function* inBlocks(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const piece of pieces) {
    block += piece;
    if (block.length > blockSize) {
      yield block;
      block = '';
    }
  }
  if (block !== '') yield block;
}
