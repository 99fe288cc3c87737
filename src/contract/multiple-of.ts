import { type FuncKeywordDefinition, str } from 'ajv';

/** A decimal number as digits and a power of ten: 19.99 is 1999 and -2. */
const decimalOf = (value: number): readonly [digits: bigint, exponent: number] => {
  const [, sign = '', whole = '0', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [BigInt(`${sign}${whole}${fraction}`), Number(power) - fraction.length];
};

/**
 * Whether a decimal number is a multiple of another, told by the digits that were written: the quotient of 19.99 and 0.01 is
 * no whole number in binary. Numbers of more digits than a double holds are not told apart, so they count as multiples.
 */
export const isMultipleOf = (value: number, divisor: number): boolean => {
  if (!Number.isFinite(value) || !Number.isFinite(divisor) || divisor <= 0 || value === 0) return true;
  const [digits, exponent] = decimalOf(value);
  if (!Number.isSafeInteger(value) && String(digits).replace(/^-?0*|0+$/g, '').length > 15) return true;
  const [other, otherExponent] = decimalOf(divisor);
  const shift = exponent - otherExponent;
  // A thousand digits are asked for by no document that means it.
  if (Math.abs(shift) > 1000) return shift > 0;
  const [dividend, by] = shift >= 0 ? [digits * 10n ** BigInt(shift), other] : [digits, other * 10n ** BigInt(-shift)];
  return dividend % by === 0n;
};

export const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: false,
  error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
};
