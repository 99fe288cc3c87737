import type { ErrorObject, ValidateFunction } from 'ajv';
import { contradictionAt, type DocumentSchema } from './contradiction.js';
import type { FormatWatch } from './formats.js';
import type { BundleOptions } from './schema-bundler.js';
import {
  ambiguityNote,
  closedPartNote,
  formatNote,
  messageFor,
  type ValidationMessage,
} from './validation-messages.js';

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
  | { readonly verdict: 'unclear'; readonly pointer?: string; readonly message: string };

/** A schema, read in one of the ways in which it can be meant. */
export interface CompiledSchema {
  readonly validate: ValidateFunction;
  /** What this reading leaves out. */
  readonly message?: string;
}

export interface BodySchemas {
  readonly of: (options: BundleOptions) => CompiledSchema;
  readonly formats: FormatWatch;
  readonly contradictions: DocumentSchema;
}

/** A way in which a schema may be meant more mildly than by its letter, and what is to be said where it helps. */
interface Relaxation {
  readonly options: BundleOptions;
  readonly note: ValidationMessage;
}

const relaxationsFor = (errors: readonly ErrorObject[], formatFailed: boolean): readonly Relaxation[] => {
  const crowd = ambiguityNote(errors);
  const closed = closedPartNote(errors);
  return [
    ...(crowd ? [{ options: { severalMayFit: true }, note: crowd }] : []),
    ...(closed ? [{ options: { partsMayAdd: true }, note: closed }] : []),
    ...(formatFailed ? [{ options: { formatsAreNotes: true }, note: formatNote(errors) }] : []),
  ];
};

/**
 * Holds a body against a schema. What a document often does not mean by its words is no reason to accuse a service:
 * - `format` binds nobody in JSON Schema 2020-12, and is a hint in OpenAPI 3.0. It is tried first, because `oneOf` is often meant to
 *   tell by it.
 * - Of a `oneOf` more than one alternative may fit: an empty list is a list of anything.
 * - A part of a composition that closes itself (`additionalProperties: false`) knows nothing of the members of the other parts.
 *
 * A body that fits such a milder reading fits, with a note. Where no value at all could stand, the document contradicts itself.
 */
export const checkBody = (body: unknown, { of, formats, contradictions }: BodySchemas): BodyFit => {
  const tried = (
    options: BundleOptions,
  ): { readonly errors: readonly ErrorObject[]; readonly milder: readonly Relaxation[] } | undefined => {
    formats.failed = false;
    const { validate } = of(options);
    if (validate(body)) return undefined;
    const errors = validate.errors ?? [];
    return { errors, milder: relaxationsFor(errors, formats.failed) };
  };

  let found = tried({});
  if (!found) {
    const { message } = of({});
    return message === undefined ? { verdict: 'fits' } : { verdict: 'fits', message };
  }
  // What helps alone is what there is to say; else all that may help, together.
  for (const { options, note } of found.milder) if (!tried(options)) return { verdict: 'fits', ...note };
  const [first] = found.milder;
  let all: BundleOptions = {};
  for (;;) {
    const wider = Object.assign({}, all, ...found.milder.map(({ options }) => options)) as BundleOptions;
    if (Object.keys(wider).length === Object.keys(all).length) break;
    all = wider;
    found = tried(all);
    if (!found) return { verdict: 'fits', ...first?.note };
  }
  const contradiction = contradictionAt(found.errors, body, contradictions);
  return contradiction ? { verdict: 'unclear', ...contradiction } : { verdict: 'differs', ...messageFor(found.errors) };
};
