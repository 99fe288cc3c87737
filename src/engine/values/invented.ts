import { createHash } from 'node:crypto';
import type { MissingParameter } from '../../contract/model.js';
import { uuidOf } from '../../rules/support/random-ids.js';
import { pathParameters } from './template.js';

const digits = (hex: string, count: number): string =>
  [...hex]
    .map((digit) => String(Number.parseInt(digit, 16) % 10))
    .join('')
    .slice(0, count);

/**
 * A value of a parameter's type that most likely names nothing: an answer to it can show a refusal,
 * and nothing else. The same one for a seed and a label. `undefined` for types without a plain
 * text.
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

/**
 * A value for each missing parameter of a path; `undefined` where one has a type without a plain
 * text.
 */
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
