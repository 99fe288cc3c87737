import type { ErrorObject } from 'ajv';
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

/** A `oneOf` with more than one fitting alternative. */
export const isAmbiguousOneOf = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'oneOf' && isArray(params.passingSchemas);

/** A union without a fitting alternative; `anyOf` has no other error. */
export const isUnmatchedUnion = (error: ErrorObject): boolean =>
  error.keyword === 'anyOf' || (error.keyword === 'oneOf' && !isAmbiguousOneOf(error));

const depthOf = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;

/** The innermost error says most. */
export const innermost = (errors: readonly ErrorObject[]): ErrorObject | undefined =>
  [...errors].sort((a, b) => depthOf(b) - depthOf(a))[0];

/** Number of alternatives; `null` does not count as one. */
const sizeOf = ({ schema }: ErrorObject): number =>
  isArray(schema) ? schema.filter((each) => !(isObject(each) && each.type === 'null')).length : 0;

const noneOf = (union: ErrorObject): string => `none of its ${sizeOf(union)} alternatives`;

const textOf = (error: ErrorObject): string => {
  const { keyword, data, params, message = keyword } = error;
  if (keyword === 'enum') return `${message}: ${JSON.stringify(params.allowedValues)}`;
  const isUnion = isUnmatchedUnion(error);
  const text = isUnion ? `fits ${noneOf(error)} (${keyword})` : message;
  // Null says nothing of anybody.
  return data === null && (isUnion || keyword === 'type')
    ? `${text}, and is null: \`nullable: true\` (OpenAPI 3.0) or the type "null" (3.1) would allow it`
    : text;
};

/** The message for the errors of a validation. */
export const messageFor = (errors: readonly ErrorObject[]): ValidationMessage => {
  const error = innermost(errors);
  if (!error) return { pointer: '', message: 'does not fit' };
  const { instancePath: pointer, params } = error;
  /** The nearest union around it that no alternative fits. */
  const union = innermost(
    errors.filter(
      (each) => isUnmatchedUnion(each) && sizeOf(each) > 1 && `${pointer}/`.startsWith(`${each.instancePath}/`),
    ),
  );
  const text = textOf(error);
  const where = union?.instancePath === pointer ? 'fits' : 'is in a value that fits';
  const { parentSchema: part, keyword } = union ?? error;
  const member: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  const missing: unknown = params.missingProperty;
  return {
    pointer,
    message: union && union !== error ? `${where} ${noneOf(union)}: ${text}` : text,
    ...(typeof member === 'string' ? { member } : {}),
    ...(part ? { broken: { part, keyword: keyword === 'required' ? [keyword, String(missing)] : [keyword] } } : {}),
  };
};
