import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { exchangesIn } from '../engine/json-lines.js';
import type { ExchangesFile, RunRecord } from '../engine/results.js';
import { jsonText } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { failedTo, ReportError } from './errors.js';
import { exchangesName } from './reports-folder.js';

/** Runs of more requests keep their exchanges in a compressed file beside `results.json`. */
const mostInResults = 4_000;

export const isLongRun = ({ requestsSent }: Pick<RunRecord['results'], 'requestsSent'>): boolean =>
  requestsSent > mostInResults;

/**
 * Writes the exchanges of a run into a folder.
 * @param seen called with every exchange that is written
 */
export const writeExchanges = async (
  record: RunRecord,
  folder: string,
  seen: (exchange: Exchange) => void,
): Promise<ExchangesFile> => {
  const hash = createHash('sha256');
  let exchanges = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const exchange of record.exchanges()) {
      seen(exchange);
      exchanges += 1;
      yield `${jsonText(exchange)}\n`;
    }
  };
  const hashed = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(
    Readable.from(inBlocks(lines()), { objectMode: false }),
    createGzip({ level: 1 }),
    hashed,
    createWriteStream(join(folder, exchangesName)),
  );
  return { name: exchangesName, sha256: hash.digest('hex'), exchanges };
};

/**
 * Checks a file of exchanges, if it is there, against what `results.json` says of it.
 * @throws ReportError for a file of another run or one that cannot be read
 */
export const checkExchanges = async (results: string, { name, sha256 }: ExchangesFile): Promise<void> => {
  const file = join(dirname(results), name);
  if (!existsSync(file)) return;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== sha256)
    throw new ReportError(`${file} is not of the run in ${results}: the two belong together`, file);
};

/** @throws ReportError where the file is not there or cannot be read */
export async function* readExchanges(
  results: string,
  name: ExchangesFile['name'],
  wanted?: ReadonlySet<string>,
): AsyncGenerator<Exchange> {
  const file = join(dirname(results), name);
  if (!existsSync(file))
    throw new ReportError(
      `${results} keeps its exchanges in ${name} beside it, which is not there: put both into one folder`,
      file,
    );
  const gunzip = createGunzip();
  // The error of the file is that of what is read from it.
  const source = createReadStream(file).on('error', (error) => gunzip.destroy(error));
  try {
    yield* exchangesIn(source.pipe(gunzip), wanted);
  } catch (error) {
    throw failedTo(`read ${file}`, file, error);
  } finally {
    source.destroy();
  }
}

const blockSize = 1 << 18;

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
