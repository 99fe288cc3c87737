import { type FuncKeywordDefinition, str } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { memoizePerObject } from '../collections.js';
import { addWatchedFormats, type BodyFit, type CompiledSchema, checkBody, type FormatWatch } from './body-fit.js';
import type { Contract, MediaTypeSchema } from './model.js';
import { readPattern } from './patterns.js';
import type { BundleOptions } from './schema-bundler.js';
import { SchemaCompiler } from './schema-compiler.js';
import { unsupportedKeywordDefinition } from './unsupported-schema.js';

export type { BodyFit };
export type BodyValidator = (described: MediaTypeSchema, body: unknown) => BodyFit;

const because = (error: unknown): string => {
  // The call stack overflowed.
  if (error instanceof RangeError)
    return 'it leads back to itself and never to an end, or the body is nested too deeply';
  return error instanceof Error ? error.message : String(error);
};

const cannotBeUsed = (error: unknown): BodyFit => ({
  verdict: 'unclear',
  message: `has a schema that cannot be used (${because(error)})`,
});

const notHeldAgainst = ([first, ...more]: readonly string[]): string | undefined =>
  first && `was not checked against ${first}${more.length > 0 ? `, nor against ${more.length} more` : ''}`;

/**
 * Replaces ajv's keyword, which compares quotients and calls large numbers no multiples. Numbers
 * past 2^53 have lost digits, so they count as multiples.
 */
const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: false,
  error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  validate: (divisor: number, value: number) => Math.abs(value) > Number.MAX_SAFE_INTEGER || value % divisor === 0,
};

/**
 * Ajv records evaluated members in plain objects for `unevaluatedProperties`, where inherited names
 * such as `constructor` would count as evaluated.
 */
const inheritingNothing = (code: string): string =>
  code.replaceAll(/\b(props\d+) = (\1 \|\| )?\{\}/g, '$1 = $2Object.create(null)');

type Compiled = (body: unknown) => BodyFit;

export interface ValidatorOptions {
  /** Called when the compilation of a schema starts and ends. */
  readonly onCompile?: (compiling: boolean) => void;
  /** Called with a body's fit before every error is looked for; absent: only the first is. */
  readonly onFirst?: (fit: BodyFit) => void;
}

/**
 * Creates the validator of documented bodies. Schemas are compiled on first use, each by itself, so
 * an unusable one does not affect others. Messages name members and expected values, never a value
 * of the body, which may be somebody's data.
 */
export const createBodyValidator = (
  contract: Pick<Contract, 'schemas'>,
  { onCompile = () => undefined, onFirst }: ValidatorOptions = {},
): BodyValidator => {
  const makeAjv = (allErrors: boolean): Ajv2020 =>
    new Ajv2020({
      strict: false,
      validateSchema: false,
      allErrors,
      // Errors carry their schema.
      verbose: true,
      logger: false,
      // Larger schemas are called, not copied inline.
      inlineRefs: 16,
      // Inherited members such as `constructor` do not count.
      ownProperties: true,
      code: {
        process: inheritingNothing,
        regExp: Object.assign((pattern: string) => readPattern(pattern) ?? /(?:)/, { code: 'readPattern' }),
      },
    });
  const formats: FormatWatch = { failed: false };
  const makeCompiler = (options: BundleOptions, allErrors: boolean): SchemaCompiler => {
    const ajv = makeAjv(allErrors);
    if (options.formatsAreNotes !== true) addWatchedFormats(ajv, formats);
    ajv.removeKeyword('multipleOf').addKeyword(multipleOf).addKeyword(unsupportedKeywordDefinition);
    return new SchemaCompiler(ajv, contract.schemas, options);
  };
  /** Definitions have the same names for every set of options, so each set has its own compiler. */
  const compilers = new Map<string, SchemaCompiler>();
  const compileReading = (schema: unknown, name: string, options: BundleOptions, all: boolean): CompiledSchema => {
    onCompile(true);
    try {
      const compiler = compilers.get(name) ?? makeCompiler(options, all);
      compilers.set(name, compiler);
      const { validate, leftOut } = compiler.compile(schema);
      const message = notHeldAgainst(leftOut);
      return { validate, ...(message === undefined ? {} : { message }), placeOf: (part) => compiler.placeOf(part) };
    } finally {
      onCompile(false);
    }
  };

  const compile = (schema: unknown): Compiled => {
    const readings = new Map<string, CompiledSchema>();
    const reading = (options: BundleOptions, all: boolean): CompiledSchema => {
      const name = [...Object.keys(options).sort(), ...(all ? ['every error'] : [])].join(' ');
      const known = readings.get(name) ?? compileReading(schema, name, options, all);
      readings.set(name, known);
      return known;
    };
    const of = (options: BundleOptions): CompiledSchema => reading(options, false);
    try {
      of({});
    } catch (error) {
      return () => cannotBeUsed(error);
    }
    const contradictions = { schema, registry: contract.schemas };
    const every = onFirst && { everyErrorOf: (options: BundleOptions) => reading(options, true), onFirst };
    return (body) => checkBody(body, { of, formats, contradictions, ...(every ? { every } : {}) });
  };

  const validatorOf = memoizePerObject(({ schema = true }: MediaTypeSchema): Compiled => compile(schema));

  return (described, body) => {
    try {
      return validatorOf(described)(body);
    } catch (error) {
      return cannotBeUsed(error);
    }
  };
};
