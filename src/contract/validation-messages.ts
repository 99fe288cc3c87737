import type { ErrorObject } from 'ajv';
import { namesInBundle } from './alternative-names.js';
import { isArray, isObject, type Path } from './json-values.js';

/** Describes validation errors, in words that finish "the body …" or "in the body, /place …". */

export interface ValidationMessage {
  /** JSON Pointer of the value in the body; empty for the body itself. */
  readonly pointer: string;
  readonly message: string;
  /**
   * A member of the body that the message is about. The name may be data, so it is not in the
   * message.
   */
  readonly member?: string;
  /**
   * The part of the compiled schema that the value differs from, and the path of the keyword in it.
   */
  readonly broken?: { readonly part: object; readonly keyword: Path };
}

/** A union without a fitting alternative; `anyOf` has no other error. */
export const isUnmatchedUnion = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'anyOf' || (keyword === 'oneOf' && !isArray(params.passingSchemas));

/** A `oneOf` with more than one fitting alternative. */
const isAmbiguousOneOf = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'oneOf' && isArray(params.passingSchemas);

const depthOf = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;

/** The innermost error says most. */
const innermost = (errors: readonly ErrorObject[]): ErrorObject | undefined =>
  [...errors].sort((a, b) => depthOf(b) - depthOf(a))[0];

/** Number of alternatives; `null` does not count as one. */
const sizeOf = ({ schema }: ErrorObject): number =>
  isArray(schema) ? schema.filter((each) => !(isObject(each) && each.type === 'null')).length : 0;

const noAlternativeOf = (union: ErrorObject): string => `none of its ${sizeOf(union)} alternatives`;

/** What would allow a null that is there; null says nothing of anybody. */
const allowingNull = ({ keyword, data, params }: ErrorObject): string => {
  if (data !== null) return '';
  if (keyword !== 'type') return ', and is null: `nullable: true` (OpenAPI 3.0) or {type: "null"} (3.1) would allow it';
  const types = [params.type].flat().map(String).join(', ');
  return `, and is null: \`nullable: true\` (OpenAPI 3.0) or \`type: [${types}, "null"]\` (3.1) would allow it`;
};

const textOf = (error: ErrorObject): Pick<ValidationMessage, 'message' | 'member'> => {
  const { keyword, message, params } = error;
  if (isUnmatchedUnion(error)) return { message: `fits ${noAlternativeOf(error)} (${keyword})${allowingNull(error)}` };
  if (keyword === 'type') return { message: `${message ?? keyword}${allowingNull(error)}` };
  const allowed =
    keyword === 'enum' && isArray(params.allowedValues) ? `: ${JSON.stringify(params.allowedValues)}` : '';
  const name = keyword === 'additionalProperties' ? params.additionalProperty : params.unevaluatedProperty;
  return { message: `${message ?? keyword}${allowed}`, ...(typeof name === 'string' ? { member: name } : {}) };
};

/** The nearest union around an error that no alternative fits. */
const enclosingUnion = (error: ErrorObject, errors: readonly ErrorObject[]): ErrorObject | undefined =>
  innermost(
    errors.filter(
      (each) =>
        each !== error &&
        isUnmatchedUnion(each) &&
        sizeOf(each) > 1 &&
        (each.instancePath === error.instancePath || error.instancePath.startsWith(`${each.instancePath}/`)),
    ),
  );

const brokenBy = ({ parentSchema: part, keyword, params }: ErrorObject): Pick<ValidationMessage, 'broken'> => {
  if (!isObject(part)) return {};
  const member: unknown = keyword === 'required' ? params.missingProperty : undefined;
  return { broken: { part, keyword: typeof member === 'string' ? [keyword, member] : [keyword] } };
};

/** The message for the errors of a validation. */
export const messageFor = (errors: readonly ErrorObject[]): ValidationMessage => {
  const error = innermost(errors);
  if (!error) return { pointer: '', message: 'does not fit' };
  const { instancePath: pointer } = error;
  const union = isUnmatchedUnion(error) ? undefined : enclosingUnion(error, errors);
  const text = { ...textOf(error), ...brokenBy(union ?? error) };
  if (!union) return { pointer, ...text };
  const where = union.instancePath === pointer ? 'fits' : 'is in a value that fits';
  return { ...text, pointer, message: `${where} ${noAlternativeOf(union)}: ${text.message}` };
};

/** The note for a body that fits except for formats. */
export const formatNote = (errors: readonly ErrorObject[]): ValidationMessage => {
  const error = errors.find(({ keyword }) => keyword === 'format') ?? innermost(errors);
  return {
    pointer: error?.instancePath ?? '',
    message:
      error?.keyword === 'format'
        ? `is not of the format "${String(error.params.format)}", which is a note of the schema and no demand`
        : 'fits but for its formats, which are notes of the schema and no demands',
  };
};

/** The note for a body that fits several alternatives of a `oneOf`. */
export const ambiguityNote = (errors: readonly ErrorObject[]): ValidationMessage | undefined => {
  const error = errors.find(isAmbiguousOneOf);
  if (!error) return undefined;
  const names = namesInBundle(error.parentSchema);
  const fitting = (isArray(error.params.passingSchemas) ? error.params.passingSchemas : []).map(
    (index) => names[Number(index)] ?? `number ${Number(index) + 1}`,
  );
  const size = sizeOf(error);
  const which =
    size === 2
      ? `both alternatives of its oneOf, ${fitting.join(' and ')}`
      : `${fitting.join(' and ')} of the ${size} alternatives of its oneOf`;
  return { pointer: error.instancePath, message: `fits ${which}, and the schema says that exactly one fits` };
};

/** The note for a member that one part of a composition forbids and another describes. */
export const closedPartNote = (errors: readonly ErrorObject[]): ValidationMessage | undefined => {
  const error = innermost(errors.filter(({ keyword }) => keyword === 'additionalProperties'));
  return (
    error && {
      pointer: error.instancePath,
      message:
        'has a member that one part of its schema describes and another one forbids (additionalProperties: false), which is taken for a mistake of the document',
    }
  );
};
