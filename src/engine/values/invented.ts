import { createHash } from 'node:crypto';
import type { MissingParameter } from '../../contract/model.js';
import { uuidOf } from '../../rules/support/requests.js';
import { pathParameters } from './template.js';

const digits = (hex: string, count: number): string =>
  [...hex]
    .map((digit) => String(Number.parseInt(digit, 16) % 10))
    .join('')
    .slice(0, count);

/**
 * A value of the parameter's type that most likely names nothing, so an answer to it can only show
 * a refusal. Deterministic for a seed and a label. `undefined` for types without a plain text form.
 */
const inventedValue = (
  { type, format, maxLength }: MissingParameter,
  seed: string,
  label: string,
): string | undefined => {
  const hex = createHash('sha256').update(`${seed} value ${label}`).digest('hex');
  if (type === 'integer' || type === 'number') return format === 'int64' ? `1${digits(hex, 14)}` : `1${digits(hex, 8)}`;
  if (type === 'boolean') return 'true';
  if (type !== 'string' && type !== undefined) return undefined;
  if (format === 'uuid') return uuidOf(hex);
  if (format === 'date') return '2001-02-03';
  if (format === 'date-time') return '2001-02-03T04:05:06Z';
  return `x${hex.slice(0, 15)}`.slice(0, maxLength);
};

/** Why no key is sent to an operation with made-up values, as `Operation.keyless` says it. */
export const madeUpFor = (names: readonly string[]): string => `the value for ${names.join(', ')} is made up`;

/** Invented values for the missing parameters of a path; `undefined` if a type has no text. */
export const inventedFor = (
  missing: readonly MissingParameter[],
  seed: string,
  path: string,
): Record<string, string> | undefined => {
  const parameters = pathParameters(path);
  const texts: Record<string, string> = {};
  for (const parameter of missing) {
    const prefix = parameters.find(({ name }) => name === parameter.name)?.prefix ?? path;
    const text = inventedValue(parameter, seed, `${parameter.name} ${prefix}`);
    if (text === undefined) return undefined;
    texts[parameter.name] = text;
  }
  return texts;
};
