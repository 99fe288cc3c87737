import { memoize } from '../collections.js';
import type { Attempt, Exchange, Response } from '../wire/types.js';

/**
 * Caches the JSON of what many exchanges share: a certificate chain, the structure of a body, a
 * repeated answer.
 */
const shared = memoize((value: object) => JSON.stringify(value));

/** The JSON of an object with further members appended, each a name and its JSON. */
const withMembers = (
  object: object,
  members: readonly (readonly [name: string, json: string | undefined])[],
): string => {
  let text = JSON.stringify(object).slice(0, -1);
  for (const [name, json] of members) if (json !== undefined) text += `${text === '{' ? '' : ','}"${name}":${json}`;
  return `${text}}`;
};

/** The JSON of an exchange, with the text of bodies or without it. */
export const storedText = ({ id, probe, connection, request, attempts }: Exchange, withText: boolean): string =>
  withMembers({ id, probe, connection, request }, [
    ['attempts', `[${attempts.map((attempt) => attemptText(attempt, withText)).join(',')}]`],
  ]);

const attemptText = ({ response, error, partial, tls, timing }: Attempt, withText: boolean): string =>
  withMembers({ error, timing }, [
    ['response', response && (withText ? textOf : textlessOf)(response)],
    // A body that breaks off may break off within a key.
    ['partial', partial && textlessOf(partial)],
    ['tls', tls && shared(tls)],
  ]);

const responseText = ({ body, shape, ...head }: Response, withText: boolean): string =>
  withMembers({ ...head, ...(withText && body !== undefined ? { body } : {}) }, [['shape', shared(shape)]]);

const textOf = memoize((response: Response) => responseText(response, true));
const textlessOf = memoize((response: Response) => responseText(response, false));
