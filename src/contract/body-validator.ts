import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { BundleOptions } from './bundle.js';
import { Compiler } from './compiler.js';
import { addWatchedFormats } from './formats.js';
import type { Contract, MediaTypeSchema } from './model.js';
import { multipleOf } from './multiple-of.js';
import { readPattern } from './patterns.js';
import { isArray } from './tree.js';
import { unusable } from './unusable.js';

/** How a body fits its schema; messages finish "the body …". */
export type BodyFit =
  | {
      readonly verdict: 'fits';
      /** What is worth knowing all the same: a format that a value is not of, a pattern that cannot be read. */
      readonly pointer?: string;
      readonly message?: string;
    }
  | {
      readonly verdict: 'differs';
      /** JSON Pointer of the value in the body; empty for the body itself. */
      readonly pointer: string;
      readonly message: string;
    }
  /** The schema is none that can be used: a document's slip is no fault of the service, and no praise either. */
  | { readonly verdict: 'unclear'; readonly message: string };

export type BodyValidator = (described: MediaTypeSchema, body: unknown) => BodyFit;

/** The error that tells most: the innermost one. */
const innermost = (errors: readonly ErrorObject[]): ErrorObject | undefined =>
  [...errors].sort((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0];

const sentence = ({ keyword, message, params }: ErrorObject): string => {
  const allowed =
    keyword === 'enum' && isArray(params.allowedValues) ? `: ${JSON.stringify(params.allowedValues)}` : '';
  const name = keyword === 'additionalProperties' ? params.additionalProperty : params.unevaluatedProperty;
  return `${message ?? keyword}${allowed}${typeof name === 'string' ? ` ("${name}")` : ''}`;
};

const differs = (errors: readonly ErrorObject[]): BodyFit => {
  const error = innermost(errors);
  return {
    verdict: 'differs',
    pointer: error?.instancePath ?? '',
    message: error ? sentence(error) : 'does not fit',
  };
};

/** What a body that fits but for its formats is not of. */
const formatNote = (errors: readonly ErrorObject[]): { readonly pointer: string; readonly message: string } => {
  const error = errors.find(({ keyword }) => keyword === 'format') ?? innermost(errors);
  return {
    pointer: error?.instancePath ?? '',
    message:
      error?.keyword === 'format'
        ? `is not of the format "${String(error.params.format)}", which is a note of the schema and no demand`
        : 'fits but for its formats, which are notes of the schema and no demands',
  };
};

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
  const prepared = makeAjv();
  const formats = addWatchedFormats(prepared);
  const compilerOf = (ajv: Ajv2020, options: BundleOptions): Compiler => {
    ajv.removeKeyword('multipleOf').addKeyword(multipleOf).addKeyword(unusable);
    return new Compiler(ajv, contract.schemas, options);
  };
  const withFormats = compilerOf(prepared, {});
  // Definitions of both readings have the same names.
  const withoutFormats = compilerOf(makeAjv(), { formatsAreNotes: true });

  const compileReading = (
    schema: unknown,
    { formatsAreNotes }: Required<BundleOptions>,
  ): { validate: ValidateFunction; message?: string } => {
    onCompile(true);
    try {
      const { validate, unread } = (formatsAreNotes ? withoutFormats : withFormats).compile(schema);
      const message = withoutPatterns(unread);
      return { validate, ...(message === undefined ? {} : { message }) };
    } finally {
      onCompile(false);
    }
  };

  /**
   * JSON Schema 2020-12 takes `format` for a note that binds nobody, and OpenAPI 3.0 for a hint; validators differ in what they
   * accept as a date or an address. So formats are tried first, because `oneOf` is often meant to tell by them, and a body
   * that does not fit is read again without them.
   */
  const compile = (schema: unknown): Compiled => {
    try {
      const { validate, message } = compileReading(schema, { formatsAreNotes: false });
      let notes: ValidateFunction | undefined;
      return (body) => {
        formats.failed = false;
        if (validate(body)) return message === undefined ? { verdict: 'fits' } : { verdict: 'fits', message };
        const errors = validate.errors ?? [];
        if (!formats.failed) return differs(errors);
        notes ??= compileReading(schema, { formatsAreNotes: true }).validate;
        return notes(body) ? { verdict: 'fits', ...formatNote(errors) } : differs(notes.errors ?? []);
      };
    } catch (error) {
      return () => cannotBeUsed(error);
    }
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
