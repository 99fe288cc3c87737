import { Ajv2020 } from 'ajv/dist/2020.js';
import { type BodyFit, type CompiledSchema, checkBody } from './body-fit.js';
import { addWatchedFormats, type FormatWatch } from './formats.js';
import type { Contract, MediaTypeSchema } from './model.js';
import { multipleOf } from './multiple-of.js';
import { readPattern } from './patterns.js';
import type { BundleOptions } from './schema-bundler.js';
import { SchemaCompiler } from './schema-compiler.js';
import { unsupportedKeywordDefinition } from './unsupported-schema.js';

export type { BodyFit };
export type BodyValidator = (described: MediaTypeSchema, body: unknown) => BodyFit;

const because = (error: unknown): string => {
  // How a call stack ends that is run through once a turn.
  if (error instanceof RangeError)
    return 'it leads back to itself and never to an end, or the body is nested too deeply';
  return error instanceof Error ? error.message : String(error);
};

const cannotBeUsed = (error: unknown): BodyFit => ({
  verdict: 'unclear',
  message: `has a schema that cannot be used (${because(error)})`,
});

const withoutPatterns = (patterns: readonly string[]): string | undefined => {
  const [first] = patterns;
  if (first === undefined) return undefined;
  const more = patterns.length > 1 ? ` and ${patterns.length - 1} more` : '';
  return `was not held against the pattern ${JSON.stringify(first)}${more}, which is no regular expression of JSON Schema`;
};

/**
 * Ajv notes in plain objects which members were looked at, for `unevaluatedProperties`, and asks those objects by name: what
 * every object inherits (`constructor`) would count as looked at.
 */
const inheritingNothing = (code: string): string =>
  code.replaceAll(/\b(props\d+) = (\1 \|\| )?\{\}/g, '$1 = $2Object.create(null)');

type Compiled = (body: unknown) => BodyFit;

export interface ValidatorOptions {
  /** Told when a schema begins and when it ends to be compiled. */
  readonly onCompile?: (compiling: boolean) => void;
}

/**
 * Makes the validator of documented bodies. Schemas are compiled when first needed, each by itself, so that one that cannot
 * be used spoils no other. Messages name members and expected values, never a value of the body, which may be somebody's data.
 */
export const createBodyValidator = (
  contract: Pick<Contract, 'schemas'>,
  { onCompile = () => undefined }: ValidatorOptions = {},
): BodyValidator => {
  const makeAjv = (): Ajv2020 =>
    new Ajv2020({
      strict: false,
      validateSchema: false,
      allErrors: false,
      // Errors know the union that they come from.
      verbose: true,
      logger: false,
      // Larger ones are called where they are referred to, and not copied there.
      inlineRefs: 16,
      // A body has the members that were sent, and not `constructor` and `toString` besides.
      ownProperties: true,
      code: {
        process: inheritingNothing,
        regExp: Object.assign((pattern: string) => readPattern(pattern) ?? /(?:)/, { code: 'readPattern' }),
      },
    });
  const formats: FormatWatch = { failed: false };
  const makeCompiler = (options: BundleOptions): SchemaCompiler => {
    const ajv = makeAjv();
    if (options.formatsAreNotes !== true) addWatchedFormats(ajv, formats);
    ajv.removeKeyword('multipleOf').addKeyword(multipleOf).addKeyword(unsupportedKeywordDefinition);
    return new SchemaCompiler(ajv, contract.schemas, options);
  };
  /** Definitions of two readings have the same names, so each has a compiler of its own. */
  const compilers = new Map<string, SchemaCompiler>();
  const compileReading = (schema: unknown, name: string, options: BundleOptions): CompiledSchema => {
    onCompile(true);
    try {
      const compiler = compilers.get(name) ?? makeCompiler(options);
      compilers.set(name, compiler);
      const { validate, unread } = compiler.compile(schema);
      const message = withoutPatterns(unread);
      return { validate, ...(message === undefined ? {} : { message }) };
    } finally {
      onCompile(false);
    }
  };

  const compile = (schema: unknown): Compiled => {
    const readings = new Map<string, CompiledSchema>();
    const of = (options: BundleOptions): CompiledSchema => {
      const name = Object.keys(options).sort().join(' ');
      const reading = readings.get(name) ?? compileReading(schema, name, options);
      readings.set(name, reading);
      return reading;
    };
    try {
      of({});
    } catch (error) {
      return () => cannotBeUsed(error);
    }
    return (body) => checkBody(body, { of, formats, contradictions: { schema, registry: contract.schemas } });
  };

  /** By the text of the schema: operations share theirs by reference, and compiling a large one takes a tenth of a second. */
  const compiled = new Map<string, Compiled>();
  const validators = new WeakMap<MediaTypeSchema, Compiled>();

  const validatorOf = (described: MediaTypeSchema): Compiled => {
    const known = validators.get(described);
    if (known) return known;
    const { schema = true } = described;
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? compile(schema);
    compiled.set(text, validate);
    validators.set(described, validate);
    return validate;
  };

  return (described, body) => {
    try {
      return validatorOf(described)(body);
    } catch (error) {
      return cannotBeUsed(error);
    }
  };
};
