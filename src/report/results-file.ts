import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { lazy } from '../collections.js';
import type { ExchangesFile, Results, RunRecord } from '../engine/results.js';
import { asset } from '../package.js';
import { jsonText } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { codeOf, failedTo, ReportError } from './errors.js';
import { checkExchanges, readExchanges } from './exchanges-file.js';
import { jsonPieces } from './json-pieces.js';
import type { RunSummary } from './run-summary.js';

type SchemaName = 'results' | 'exchange';

const require = createRequire(import.meta.url);

/** Allows members that a newer version with the same `schemaVersion` has added. */
const openCopy = (schema: string): Record<string, unknown> =>
  JSON.parse(schema, (name, value: unknown) =>
    name === 'additionalProperties' && value === false ? undefined : value,
  ) as Record<string, unknown>;

const validators = lazy((): Readonly<Record<SchemaName, ValidateFunction>> => {
  // Loaded only when a file is read: loading ajv takes time.
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const schema = openCopy(readFileSync(asset('schema', 'results.schema.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false });
  ajv.addSchema(schema, 'results');
  return { results: ajv.compile({ $ref: 'results' }), exchange: ajv.compile({ $ref: 'results#/$defs/exchange' }) };
});

/** The first schema error, as `/member must be …`; `undefined` for a valid value. */
const resultsErrors = (part: SchemaName, value: unknown): string | undefined => {
  const validate = validators()[part];
  if (validate(value)) return undefined;
  const { instancePath = '', message = 'does not fit', params = {} } = validate.errors?.at(-1) ?? {};
  const allowed: unknown = 'allowedValues' in params ? params.allowedValues : undefined;
  return `${instancePath} ${message}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`;
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

/**
 * Reads a `results.json` of any size and formatting, and validates all of it. Exchanges stay on
 * disk, and are read each time `exchanges()` is called.
 * @throws ReportError, one line, when the file is no results file that this version can read
 */
export const readResults = async (file: string): Promise<RunRecord> => {
  const head: Record<string, unknown> = {};
  let number = 0;
  try {
    for await (const piece of jsonPieces(createReadStream(file))) {
      if (piece.member !== 'exchanges') head[piece.member] = piece.value;
      else {
        const wrong = resultsErrors('exchange', piece.value);
        if (wrong) throw new ReportError(`${file} is no results file: exchanges/${number}${wrong}`, file);
        number += 1;
      }
      // First of all: a file of another version differs in more than this.
      if (piece.member === 'schemaVersion') checkVersion(piece.value, file);
    }
  } catch (error) {
    if (error instanceof ReportError) throw error;
    if (error instanceof SyntaxError)
      throw new ReportError(`${file} is no results file: ${error.message}`, file, { cause: error });
    throw failedTo(`read ${file}`, file, error, codeOf(error) === 'EISDIR' ? '; name the results.json in it' : '');
  }
  checkVersion(head.schemaVersion, file);
  const wrong = resultsErrors('results', { ...head, exchanges: [] });
  if (wrong) throw new ReportError(`${file} is no results file: ${wrong.trimStart()}`, file);
  // Validated against the schema, which a self-test holds to these types.
  const { exchangesFile, ...results } = head as unknown as RunSummary & Pick<Results, 'exchangesFile'>;
  if (exchangesFile) await checkExchanges(file, exchangesFile);
  return {
    results,
    exchanges: (wanted) =>
      exchangesFile ? readExchanges(file, exchangesFile.name, wanted) : exchangesWithin(file, wanted),
    async dispose() {},
  };
};

async function* exchangesWithin(file: string, wanted?: ReadonlySet<string>): AsyncGenerator<Exchange> {
  for await (const { member, value } of jsonPieces(createReadStream(file))) {
    if (member !== 'exchanges') continue;
    // The reading of the head has checked it.
    const exchange = value as Exchange;
    if (!wanted || wanted.has(exchange.id)) yield exchange;
  }
}

const checkVersion = (version: unknown, file: string): void => {
  if (version === readable) return;
  if (version === undefined) throw new ReportError(`${file} is no results file: it has no schemaVersion`, file);
  const newer = typeof version === 'number' && version > readable;
  throw new ReportError(
    `${file} has schemaVersion ${JSON.stringify(version)?.slice(0, 40)}, and this version reads ${readable}: ${newer ? 'read it with a newer access-conformance' : 'run the suite again'}`,
    file,
  );
};
