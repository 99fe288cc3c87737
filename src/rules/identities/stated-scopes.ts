import type { Operation, SecurityScheme } from '../../contract/model.js';
import type { KeyHolder } from '../rule.js';

/** What the document says of scopes and roles, held against those of an identity. */

/**
 * Whether an identity holds one of the sets of scopes that an operation states, with keys of all
 * schemes of that set. `undefined`: the document states none, or what it holds is not known.
 * @param by of these schemes alone
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

/** The sets in words: `read:workouts, or read:all and admin`. */
export const statedInWords = ({ requirements = [] }: Pick<Operation, 'requirements'>): string =>
  [...new Set(requirements.map((stated) => stated.flatMap(({ scopes }) => scopes).join(' and ') || 'any key'))].join(
    ', or ',
  );
