import type { ErrorObject } from 'ajv';
import { inAnyRow, isArray, type ValuePath, valueAt } from './json-values.js';
import { demandOf } from './schema-errors.js';

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
  /** The value is null, and a type is demanded. */
  readonly isNull?: true;
  /** What the schema asks for, without the value that was seen. */
  readonly demand: string;
  /**
   * The part of the compiled schema that the value differs from, and the path of the keyword in it.
   */
  readonly broken?: { readonly part: object; readonly keyword: ValuePath };
}

export const isUnion = ({ keyword }: ErrorObject): boolean => keyword === 'anyOf' || keyword === 'oneOf';

/** A union of one schema and null is no choice. */
const isChoice = ({ schema }: ErrorObject): boolean =>
  isArray(schema) && schema.filter((each) => valueAt(each, ['type']) !== 'null').length > 1;

/** The innermost error says most. */
export const innermost = (errors: readonly ErrorObject[]): ErrorObject | undefined =>
  errors.toSorted((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0];

const nullHint = ': `nullable: true` (OpenAPI 3.0) or the type "null" (3.1) would allow it';

/** The type of a value, which says nothing of anybody. */
const typeOf = (value: unknown): string => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);

/**
 * The errors of each problem: those at or below a union that no alternative fits are one problem.
 */
const problemsIn = (errors: readonly ErrorObject[]): readonly (readonly ErrorObject[])[] => {
  const unions = errors.filter((error) => isUnion(error) && isChoice(error)).map(({ instancePath }) => instancePath);
  const problems = new Map<unknown, ErrorObject[]>();
  for (const error of errors) {
    const around = unions.filter((path) => `${error.instancePath}/`.startsWith(`${path}/`));
    const problem = around.length > 0 ? around.toSorted((a, b) => a.length - b.length)[0] : error;
    problems.set(problem, [...(problems.get(problem) ?? []), error]);
  }
  return [...problems.values()];
};

/**
 * A message for each problem among all errors of a validation, in the order of the body. Rows of a
 * list that differ in the same way are one problem.
 */
export const messagesFor = (errors: readonly ErrorObject[]): readonly ValidationMessage[] => {
  const found = new Map<string, ValidationMessage>();
  // An error of `if` repeats those of its `then` or `else`.
  for (const problem of problemsIn(errors.filter(({ keyword }) => keyword !== 'if'))) {
    const message = messageFor(problem, '');
    const name = `${inAnyRow(message.pointer)} ${message.message}`;
    if (!found.has(name)) found.set(name, message);
  }
  return [...found.values()];
};

/**
 * Whether two messages say the same of a value of a body, whatever row of a list it is in, and
 * whatever the value is, but for null.
 */
export const isSameProblem = (one: ValidationMessage, other: ValidationMessage): boolean =>
  inAnyRow(one.pointer) === inAnyRow(other.pointer) && one.demand === other.demand && one.isNull === other.isNull;

export const messageFor = (errors: readonly ErrorObject[], hint = nullHint): ValidationMessage => {
  const error = innermost(errors);
  if (!error) return { pointer: '', demand: '', message: 'does not fit' };
  const { instancePath: pointer, params } = error;
  const around = errors.filter(({ instancePath }) => `${pointer}/`.startsWith(`${instancePath}/`));
  const union = innermost(around.filter((each) => isUnion(each) && isChoice(each)));
  const { parentSchema: part, keyword } = union ?? error;
  const member: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  const isOfType = error.keyword === 'type';
  const isNull = isOfType && error.data === null;
  const seen = isOfType ? `, and is ${typeOf(error.data)}` : '';
  const [demand, others] = [demandOf(error), union ? ', and no other alternative fits' : ''];
  return {
    pointer,
    demand: `${demand}${others}`,
    message: `${demand}${seen}${isNull ? hint : ''}${others}`,
    ...(typeof member === 'string' ? { member } : {}),
    ...(isNull ? { isNull: true as const } : {}),
    ...(part && { broken: { part, keyword: keyword === 'required' ? [keyword, params.missingProperty] : [keyword] } }),
  };
};
