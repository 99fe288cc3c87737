import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ValidateFunction } from 'ajv';
import { isObject, lazy } from '../collections.js';
import type { ExchangesFile, Results, RunRecord } from '../engine/results.js';
import { exchangesIn } from '../engine/store/json-lines.js';
import { codeOf } from '../errors.js';
import { asset } from '../package.js';
import { jsonText, visible } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { exchangesName, failedTo, ReportError } from './reports-folder.js';
import type { RunSummary } from './run-summary.js';

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
const checkExchanges = async (results: string, { name, sha256 }: ExchangesFile): Promise<void> => {
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

const require = createRequire(import.meta.url);

/** Allows members that a newer version with the same `schemaVersion` has added. */
const openCopy = (schema: string): Record<string, unknown> =>
  JSON.parse(schema, (name, value: unknown) =>
    name === 'additionalProperties' && value === false ? undefined : value,
  ) as Record<string, unknown>;

const validator = lazy((): ValidateFunction => {
  // Loaded only when a file is read: loading ajv takes time.
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false });
  return ajv.compile(openCopy(readFileSync(asset('schema', 'results.schema.json'), 'utf8')));
});

/** The first schema error, as `/member must be …`; `undefined` for a valid value. */
const schemaError = (value: unknown): string | undefined => {
  const validate = validator();
  if (validate(value)) return undefined;
  const { instancePath = '', message = 'does not fit', params = {} } = validate.errors?.at(-1) ?? {};
  const allowed: unknown = 'allowedValues' in params ? params.allowedValues : undefined;
  return `${instancePath} ${message}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`.trimStart();
};

interface WritingOptions {
  readonly seen?: (exchange: Exchange) => void;
  /** Where the exchanges are, when they are not to be written here. */
  readonly exchangesFile?: ExchangesFile;
}

/** `results.json` in pieces, which take little memory. Checks and exchanges have a line each. */
export async function* resultsJson(
  record: RunRecord,
  { seen, exchangesFile }: WritingOptions = {},
): AsyncGenerator<string> {
  yield '{\n';
  for (const [name, value] of Object.entries<unknown>({ ...record.results })) {
    if (value === undefined) continue;
    yield `${JSON.stringify(name)}: `;
    if (Array.isArray(value)) yield* lines(value);
    else yield jsonText(value);
    yield ',\n';
  }
  if (exchangesFile) {
    yield `"exchangesFile": ${jsonText(exchangesFile)},\n"exchanges": []\n}\n`;
    return;
  }
  yield '"exchanges": [';
  let first = true;
  for await (const exchange of record.exchanges()) {
    seen?.(exchange);
    yield `${first ? '\n' : ',\n'}${jsonText(exchange)}`;
    first = false;
  }
  yield '\n]\n}\n';
}

function* lines(values: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, value] of values.entries()) yield `${index === 0 ? '\n' : ',\n'}${jsonText(value)}`;
  yield '\n]';
}

const readable = 1;

/** What somebody does next who has named no file, by the code of the error. */
const whatToName: Readonly<Record<string, string>> = {
  EISDIR: '; name the results.json in it',
  ENOENT: '; access-conformance run writes one to reports/conformance/',
};

const readObject = async (file: string): Promise<object> => {
  try {
    const value: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''));
    if (isObject(value)) return value;
    throw new ReportError(`${file} is no results file: it is not one JSON object`, file);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new ReportError(`${file} is no results file: ${visible(error.message)}`, file, { cause: error });
    throw failedTo(`read ${file}`, file, error, whatToName[codeOf(error) ?? ''] ?? '');
  }
};

/**
 * Reads a `results.json`, and validates all of it. The exchanges of a long run stay in their own
 * file, and are read each time `exchanges()` is called.
 * @throws ReportError, one line, when the file is no results file that this version can read
 */
export const readResults = async (file: string): Promise<RunRecord> => {
  const document = await readObject(file);
  // First of all: a file of another version differs in more than this.
  checkVersion('schemaVersion' in document ? document.schemaVersion : undefined, file);
  const wrong = schemaError(document);
  if (wrong) throw new ReportError(`${file} is no results file: ${wrong}`, file);
  // Validated against the schema, which a self-test holds to these types.
  const { exchanges, exchangesFile, ...results } = document as RunSummary &
    Pick<Results, 'exchanges' | 'exchangesFile'>;
  if (exchangesFile) await checkExchanges(file, exchangesFile);
  return {
    results,
    async *exchanges(wanted) {
      if (exchangesFile) yield* readExchanges(file, exchangesFile.name, wanted);
      else for (const exchange of exchanges) if (!wanted || wanted.has(exchange.id)) yield exchange;
    },
    async dispose() {},
  };
};

const checkVersion = (version: unknown, file: string): void => {
  if (version === readable) return;
  if (version === undefined) throw new ReportError(`${file} is no results file: it has no schemaVersion`, file);
  const newer = typeof version === 'number' && version > readable;
  throw new ReportError(
    `${file} has schemaVersion ${JSON.stringify(version)?.slice(0, 40)}, and this version reads ${readable}: ${newer ? 'read it with a newer access-conformance' : 'run the suite again'}`,
    file,
  );
};
