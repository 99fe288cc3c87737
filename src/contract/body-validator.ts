import { type ErrorObject, type FuncKeywordDefinition, str } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { lazy, memoizePerObject } from '../collections.js';
import { messageOf } from '../errors.js';
import { contradictionAt } from './contradictions.js';
import { isArray, pointerOf } from './json-values.js';
import type { Contract, MediaTypeSchema } from './model.js';
import { SchemaBundler } from './schema-bundler.js';
import { type CompiledSchema, SchemaCompiler } from './schema-compiler.js';
import { readPattern, unsupportedKeywordDefinition } from './schema-parts.js';
import { innermost, isSameProblem, messageFor, messagesFor, type ValidationMessage } from './validation-messages.js';

/**
 * The way of a schema from the document to a judged body:
 *
 * 1. `responses.ts` finds the schema of a documented answer. `portable-schema.ts` converts it when
 * it is first asked for, to JSON Schema 2020-12 whose references are names of `Contract.schemas`.
 * 2. `body-checker.ts` sends it with the text of a body to a thread (`body-worker.ts`), which it
 * ends at a deadline.
 * 3. There, this file has the schema compiled by ajv, without what cannot be checked
 * (`schema-compiler.ts`, `schema-bundler.ts`), and judges. A body that breaks nothing but what
 * documents often state by mistake fits, with a note. Where no value fits, the document is at fault
 * (`contradictions.ts`). All else differs, in the words of `validation-messages.ts`.
 */

/** The result of checking a body against its schema. Messages finish "the body …". */
export type BodyFit =
  | {
      readonly verdict: 'fits';
      /** A note: the body breaks what is seldom meant, or something was not checked. */
      readonly pointer?: string;
      readonly message?: string;
    }
  | {
      readonly verdict: 'differs';
      /** JSON Pointer of the value in the body; empty for the body itself. */
      readonly pointer: string;
      readonly message: string;
      /** A member that the message is about; its name may be somebody's data. */
      readonly member?: string;
      /** The value is null, and a type is demanded. */
      readonly isNull?: true;
      /**
       * The part of the schema that the value differs from, where the document has it
       * (`#/components/schemas/Room/properties/id/type`); the same for equal schemas without a name
       * (`nameless:1f0c/properties/id/type`).
       */
      readonly schema?: string;
      /** Other values that differ. Rows of a list that differ in the same way count once. */
      readonly more?: readonly Pick<ValidationMessage, 'pointer' | 'message' | 'member'>[];
    }
  /** The schema cannot be used. That is the document's fault, not the service's. */
  | { readonly verdict: 'unclear'; readonly pointer?: string; readonly message: string };

type DifferingBody = Extract<BodyFit, { readonly verdict: 'differs' }>;

export type BodyValidator = (described: MediaTypeSchema, body: unknown) => BodyFit;

/**
 * Keywords that documents often use by mistake, each with the note for a body that fits without it.
 */
const seldomMeant: readonly { readonly breaks: (error: ErrorObject) => boolean; readonly note: string }[] = [
  // An empty list is a list of anything.
  {
    breaks: ({ params }) => isArray(params.passingSchemas),
    note: 'fits more than one alternative of its oneOf, and the schema says that exactly one fits',
  },
  // A part of a composition does not know the members of the other parts.
  {
    breaks: ({ keyword }) => keyword === 'additionalProperties',
    note: 'has a member that one part of its schema describes and another one forbids (additionalProperties: false), which is taken for a mistake of the document',
  },
  // An annotation in JSON Schema 2020-12, and a hint in OpenAPI 3.0. It is checked first, because
  // alternatives of a `oneOf` often differ by it.
  {
    breaks: ({ keyword }) => keyword === 'format',
    note: 'fits but for its format, which is a note of the schema and no demand',
  },
];

/** A discriminator is a hint, and "MUST NOT change the validation outcome" (OpenAPI 3.1.1). */
const fitsAnother =
  'does not fit the alternative that a discriminator names, which is only a hint: another alternative fits';

/** The first mistake of `seldomMeant` that the errors may come from. */
const mistakeIn = (
  errors: readonly ErrorObject[],
): { readonly pointer: string; readonly message: string } | undefined =>
  seldomMeant.flatMap(({ breaks, note }) => {
    const error = innermost(errors.filter(breaks));
    return error ? [{ pointer: error.instancePath, message: note }] : [];
  })[0];

const because = (error: unknown): string => {
  // The call stack overflowed.
  if (error instanceof RangeError)
    return 'it leads back to itself and never to an end, or the body is nested too deeply';
  return messageOf(error);
};

const cannotBeUsed = (error: unknown): BodyFit => ({
  verdict: 'unclear',
  message: `has a schema that cannot be used (${because(error)})`,
});

const notHeldAgainst = ([first, ...more]: readonly string[]): { readonly message?: string } =>
  first === undefined
    ? {}
    : { message: `was not checked against ${first}${more.length > 0 ? `, nor against ${more.length} more` : ''}` };

/** Decimal digits that every double keeps. */
const keptDigits = 15;

/** A number as a whole number of its last decimal place, and that place. */
const decimalOf = (value: number): { readonly digits: bigint; readonly exponent: number } => {
  const [mantissa = '', exponent] = value.toExponential().split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
};

/**
 * Whether a number is a multiple, in decimal: in binary, 19.99 divided by 0.01 is no whole number.
 * A number with more digits than a double keeps may be one.
 */
const isMultiple = (divisor: number, value: number): boolean => {
  if (divisor === 0 || Math.abs(value) > Number.MAX_SAFE_INTEGER) return true;
  const [one, other] = [decimalOf(Math.abs(value)), decimalOf(divisor)];
  if (!Number.isSafeInteger(value) && String(one.digits).length > keptDigits) return true;
  const place = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent }: typeof one): bigint => digits * 10n ** BigInt(exponent - place);
  return scaled(one) % scaled(other) === 0n;
};

/** Replaces ajv's keyword, which compares quotients and calls large numbers no multiples. */
const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: false,
  error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  validate: isMultiple,
};

/**
 * Ajv records evaluated members in plain objects for `unevaluatedProperties`, where inherited names
 * such as `constructor` would count as evaluated.
 */
const inheritingNothing = (code: string): string =>
  code.replaceAll(/\b(props\d+) = (\1 \|\| )?\{\}/g, '$1 = $2Object.create(null)');

/**
 * `lenient`: without what is seldom meant; `every error`: the same, and not the first error alone;
 * `any alternative`: the same, and without discriminators.
 */
type Strictness = 'strict' | 'lenient' | 'every error' | 'any alternative';

const compilerFor = (reading: Strictness, schemas: Contract['schemas']): SchemaCompiler => {
  const isLenient = reading !== 'strict';
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    validateFormats: !isLenient,
    allErrors: reading === 'every error',
    // Errors carry their schema.
    verbose: true,
    logger: false,
    // Ajv would copy endlessly what refers to itself by a member that is called like a keyword.
    inlineRefs: false,
    // Inherited members such as `constructor` do not count.
    ownProperties: true,
    code: {
      process: inheritingNothing,
      regExp: Object.assign((pattern: string) => readPattern(pattern) ?? /(?:)/, { code: 'readPattern' }),
    },
  });
  // A CommonJS module, whose default export NodeNext sees one level further down.
  ajvFormats.default(ajv, { keywords: false });
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf).addKeyword(unsupportedKeywordDefinition);
  return new SchemaCompiler(ajv, new SchemaBundler(schemas, isLenient, reading === 'any alternative'));
};

interface ValidatorOptions {
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
  { schemas }: Pick<Contract, 'schemas'>,
  { onCompile = () => undefined, onFirst }: ValidatorOptions = {},
): BodyValidator => {
  const readAs = (reading: Strictness): ((described: MediaTypeSchema) => CompiledSchema) => {
    const compiler = lazy(() => compilerFor(reading, schemas));
    return memoizePerObject(({ schema = true }) => {
      onCompile(true);
      try {
        return compiler().compile(schema);
      } finally {
        onCompile(false);
      }
    });
  };
  const [strictly, leniently, forEveryError] = [readAs('strict'), readAs('lenient'), readAs('every error')];
  const asAnyAlternative = readAs('any alternative');
  const strictOrWhyNot = memoizePerObject((described: MediaTypeSchema): CompiledSchema | { readonly why: BodyFit } => {
    try {
      return strictly(described);
    } catch (error) {
      return { why: cannotBeUsed(error) };
    }
  });

  const check: BodyValidator = (described, body) => {
    const strict = strictOrWhyNot(described);
    if ('why' in strict) return strict.why;
    if (strict.validate(body)) return { verdict: 'fits', ...notHeldAgainst(strict.leftOut) };
    const mistake = mistakeIn(strict.validate.errors ?? []);
    const reading = mistake ? leniently(described) : strict;
    if (mistake && reading.validate(body)) return { verdict: 'fits', ...mistake };
    const errors = reading.validate.errors ?? [];
    if (strict.isDiscriminated && asAnyAlternative(described).validate(body))
      return { verdict: 'fits', pointer: innermost(errors)?.instancePath ?? '', message: fitsAnother };
    const contradiction = contradictionAt(errors, body, { schema: described.schema ?? true, registry: schemas });
    if (contradiction) return { verdict: 'unclear', ...contradiction };
    const first = messageFor(errors);
    const { broken, demand: _, ...message } = first;
    const place = broken && reading.placeOf(broken.part);
    const fit: DifferingBody = {
      verdict: 'differs',
      ...message,
      ...(broken && place !== undefined ? { schema: `${place}${pointerOf(broken.keyword)}` } : {}),
    };
    if (!onFirst) return fit;
    onFirst(fit);
    const more = furtherProblems(body, forEveryError(described), first);
    return more.length > 0 ? { ...fit, more } : fit;
  };
  return (described, body) => {
    try {
      return check(described, body);
    } catch (error) {
      return cannotBeUsed(error);
    }
  };
};

/** Most problems of one body that are kept. */
const mostProblems = 20;

const furtherProblems = (
  body: unknown,
  { validate }: CompiledSchema,
  first: ValidationMessage,
): NonNullable<DifferingBody['more']> =>
  validate(body)
    ? []
    : messagesFor(validate.errors ?? [])
        .filter((each) => !isSameProblem(each, first))
        .slice(0, mostProblems)
        .map(({ broken: _, isNull: __, demand: ___, ...message }) => message);
