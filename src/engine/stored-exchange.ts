import { memoize } from '../collections.js';
import type { Attempt, Exchange, Response } from '../wire/types.js';
import type { StoredExchange, StoredResponse } from './results.js';

/** Characters of a body that are stored. */
const longestText = 16_384;

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

/** The JSON of a `StoredExchange`, with the text of bodies or without it. */
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

const responseText = ({ facts, text, ...head }: Response, withText: boolean): string => {
  const { size, digest } = facts;
  const body = withText && text ? { body: text.slice(0, longestText) } : {};
  const truncated = facts.truncated || (text?.length ?? 0) > longestText;
  return withMembers({ ...head, ...body, size, digest, truncated }, [['shape', shared(facts)]]);
};

const textOf = memoize((response: Response) => responseText(response, true));
const textlessOf = memoize((response: Response) => responseText(response, false));

/** A stored exchange as judges see it. */
export const recalled = (exchange: StoredExchange): Exchange => ({
  ...exchange,
  attempts: exchange.attempts.map(
    ({ response, partial, ...rest }): Attempt => ({
      ...rest,
      ...(response ? { response: responseOf(response) } : {}),
      ...(partial ? { partial: responseOf(partial) } : {}),
    }),
  ),
});

const responseOf = ({ body, shape, size: _, digest: _d, truncated: _t, ...head }: StoredResponse): Response => ({
  ...head,
  facts: shape,
  text: body ?? null,
});
