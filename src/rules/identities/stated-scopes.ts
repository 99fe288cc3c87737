import type { Operation, SecurityScheme } from '../../contract/model.js';
import type { KeyHolder } from '../rule.js';

/** Compares the scopes and roles that the document states with those of an identity. */

/**
 * Whether an identity holds all scopes of one stated requirement, and has keys for all its schemes.
 * `undefined` if the document states none, or the identity's scopes are not known.
 * @param by only requirements of exactly these schemes
 */
export const holdsOne = (
  { requirements }: Pick<Operation, 'requirements'>,
  { keys, scopes }: KeyHolder,
  by?: readonly SecurityScheme[],
): boolean | undefined => {
  if (requirements === undefined || scopes === undefined) return undefined;
  return requirements.some(
    (stated) =>
      (by === undefined ||
        (by.length === stated.length && by.every(({ name }) => stated.some((one) => one.name === name)))) &&
      stated.every((one) => keys === undefined || keys[one.name] !== undefined) &&
      stated.every((one) => one.scopes.every((scope) => scopes.includes(scope))),
  );
};

/** The requirements in words: `read:workouts, or read:all and admin`. */
export const statedInWords = ({ requirements = [] }: Pick<Operation, 'requirements'>): string =>
  [...new Set(requirements.map((stated) => stated.flatMap(({ scopes }) => scopes).join(' and ') || 'any key'))].join(
    ', or ',
  );
