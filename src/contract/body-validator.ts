import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { bundle } from './bundle.js';
import type { Contract, MediaTypeSchema } from './model.js';
import { multipleOf } from './multiple-of.js';
import { readPattern } from './patterns.js';
import { isArray } from './tree.js';

/** How a body fits its schema; messages finish "the body …". */
export type BodyFit =
  | {
      readonly verdict: 'fits';
      /** What of the schema the body was not held against. */
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

const because = (error: unknown): string => {
  // How a call stack ends that is run through once a turn.
  if (error instanceof RangeError)
    return 'it leads back to itself and never to an end, or the body is nested too deeply';
  return error instanceof Error ? error.message : String(error);
};

const unusable = (error: unknown): BodyFit => ({
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
 * Makes the validator of documented bodies. Schemas are compiled when first needed, each by itself, so that one that cannot
 * be used spoils no other. Messages name members and expected values, never a value of the body, which may be somebody's data.
 */
export const createBodyValidator = (contract: Contract): BodyValidator => {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: false,
    logger: false,
    code: { regExp: Object.assign((pattern: string) => readPattern(pattern) ?? /(?:)/, { code: 'readPattern' }) },
  });
  // A CommonJS module, whose default export NodeNext sees one level further down.
  ajvFormats.default(ajv);
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf);

  const compile = (schema: unknown): ((body: unknown) => BodyFit) => {
    try {
      const { schema: whole, unread } = bundle(schema, contract.schemas);
      const message = withoutPatterns(unread);
      const validate = ajv.compile(whole);
      return (body) => {
        if (validate(body)) return message === undefined ? { verdict: 'fits' } : { verdict: 'fits', message };
        const error = innermost(validate.errors ?? []);
        return {
          verdict: 'differs',
          pointer: error?.instancePath ?? '',
          message: error ? sentence(error) : 'does not fit',
        };
      };
    } catch (error) {
      return () => unusable(error);
    }
  };

  /** By the text of the schema: operations share theirs by reference, and compiling a large one takes a tenth of a second. */
  const compiled = new Map<string, (body: unknown) => BodyFit>();
  const validators = new WeakMap<MediaTypeSchema, (body: unknown) => BodyFit>();

  const validatorOf = (described: MediaTypeSchema): ((body: unknown) => BodyFit) => {
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
      return unusable(error);
    }
  };
};
