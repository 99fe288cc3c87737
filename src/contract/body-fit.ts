import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { contradictionAt, type DocumentSchema } from './contradiction.js';
import { isArray, pointerOf } from './json-values.js';
import type { BundleOptions } from './schema-bundler.js';
import { innermost, isSameProblem, messageFor, messagesFor, type ValidationMessage } from './validation-messages.js';

/** Records whether a `format` failed. */
export interface FormatWatch {
  /** Whether a value was not of its format since this was last set to false. */
  failed: boolean;
}

/** Adds the known formats to a validator. A format that fails is recorded in `watch`. */
export const addWatchedFormats = (ajv: Ajv, watch: FormatWatch): void => {
  // A CommonJS module, whose default export NodeNext sees one level further down.
  ajvFormats.default(ajv, { keywords: false });
  for (const [name, format] of Object.entries(ajv.formats)) {
    const test = typeof format === 'object' && 'validate' in format ? format.validate : format;
    const accepts = test instanceof RegExp ? (value: unknown) => test.test(String(value)) : test;
    if (typeof accepts !== 'function') continue;
    const validate = (value: unknown): boolean => {
      const fits = (accepts as (value: unknown) => boolean)(value);
      watch.failed ||= !fits;
      return fits;
    };
    ajv.addFormat(
      name,
      typeof format === 'object' && 'type' in format && format.type === 'number'
        ? { type: 'number', validate }
        : { type: 'string', validate },
    );
  }
};

/** The result of checking a body against its schema. Messages finish "the body …". */
export type BodyFit =
  | {
      readonly verdict: 'fits';
      /** A note: a value is not of its format, or a pattern was left out. */
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
       * Where the document has the shared schema that the value differs from:
       * `#/components/schemas/Room/properties/id/type`.
       */
      readonly schema?: string;
      /** Other values that differ. Rows of a list that differ in the same way count once. */
      readonly more?: readonly Pick<ValidationMessage, 'pointer' | 'message' | 'member'>[];
    }
  /** The schema cannot be used. That is the document's fault, not the service's. */
  | { readonly verdict: 'unclear'; readonly pointer?: string; readonly message: string };

type DifferingBody = Extract<BodyFit, { readonly verdict: 'differs' }>;

/** A schema compiled with one set of options. */
export interface CompiledSchema {
  readonly validate: ValidateFunction;
  /** What was left out of it. */
  readonly message?: string;
  /** Position in the document of a part of the schema; `undefined` outside of shared schemas. */
  readonly placeOf: (part: object) => string | undefined;
}

export interface BodySchemas {
  readonly of: (options: BundleOptions) => CompiledSchema;
  /** Set where every error is looked for, and not only the first. */
  readonly every?: {
    readonly everyErrorOf: (options: BundleOptions) => CompiledSchema;
    /** Called with the fit before that, since it may take long. */
    readonly onFirst: (fit: BodyFit) => void;
  };
  readonly formats: FormatWatch;
  readonly contradictions: DocumentSchema;
}

/** Keywords that documents often use by mistake, by the option that ignores them. */
const seldomMeant: Readonly<
  Record<keyof BundleOptions, { readonly breaks: (error: ErrorObject) => boolean; readonly note: string }>
> = {
  // An empty list is a list of anything.
  severalMayFit: {
    breaks: ({ params }) => isArray(params.passingSchemas),
    note: 'fits more than one alternative of its oneOf, and the schema says that exactly one fits',
  },
  // A part of a composition does not know the members of the other parts.
  partsMayAdd: {
    breaks: ({ keyword }) => keyword === 'additionalProperties',
    note: 'has a member that one part of its schema describes and another one forbids (additionalProperties: false), which is taken for a mistake of the document',
  },
  // An annotation in JSON Schema 2020-12, and a hint in OpenAPI 3.0. It is checked first, because
  // alternatives of a `oneOf` often differ by it.
  formatsAreNotes: {
    breaks: ({ keyword }) => keyword === 'format',
    note: 'fits but for its format, which is a note of the schema and no demand',
  },
};

/** The mistakes of `seldomMeant` that the errors may come from, each with the note for a body that fits without it. */
const seldomMeantIn = (errors: readonly ErrorObject[], formatFailed: boolean) =>
  Object.entries(seldomMeant).flatMap(([option, { breaks, note }]) => {
    const error = innermost(errors.filter(breaks));
    return error || (option === 'formatsAreNotes' && formatFailed)
      ? [{ options: { [option]: true }, note: { pointer: error?.instancePath ?? '', message: note } }]
      : [];
  });

const lenient: Required<BundleOptions> = { severalMayFit: true, partsMayAdd: true, formatsAreNotes: true };

/**
 * Checks a body against a schema. A mistake that documents often make is not counted against the
 * service: a body that fits without that keyword fits, with a note. If no value can fit, the verdict
 * is `unclear`: the document contradicts itself.
 */
export const checkBody = (body: unknown, schemas: BodySchemas): BodyFit => {
  const { of, formats, contradictions, every } = schemas;
  formats.failed = false;
  const { validate, message: leftOut } = of({});
  if (validate(body)) return { verdict: 'fits', ...(leftOut === undefined ? {} : { message: leftOut }) };
  const tolerable = seldomMeantIn(validate.errors ?? [], formats.failed);
  // One by itself gives the most precise note.
  for (const { options, note } of tolerable) if (of(options).validate(body)) return { verdict: 'fits', ...note };
  const [first] = tolerable;
  const schema = of(first ? lenient : {});
  if (schema.validate(body)) return { verdict: 'fits', ...first?.note };
  const errors = schema.validate.errors ?? [];
  const contradiction = contradictionAt(errors, body, contradictions);
  if (contradiction) return { verdict: 'unclear', ...contradiction };
  const { broken, ...message } = messageFor(errors);
  const place = broken && schema.placeOf(broken.part);
  const fit: DifferingBody = {
    verdict: 'differs',
    ...message,
    ...(broken && place !== undefined ? { schema: `${place}${pointerOf(broken.keyword)}` } : {}),
  };
  if (!every) return fit;
  every.onFirst(fit);
  const more = furtherProblems(body, every.everyErrorOf(lenient), message);
  return more.length > 0 ? { ...fit, more } : fit;
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
        .map(({ broken: _, isNull: __, ...message }) => message);
