import { memoize } from '../collections.js';
import type { BodyShape, FieldFacts } from '../wire/body-shape.js';
import { isSetCookie } from '../wire/cookies.js';
import type { Attempt, Exchange, HeaderPair, Response } from '../wire/types.js';

/** Caches the JSON of shared parts: certificate chains, structures, repeated answers. */
const shared = memoize((value: object) => JSON.stringify(value));

const member = (name: string, json: string | undefined): string => (json === undefined ? '' : `,"${name}":${json}`);

/** The JSON of an object that has members, with further members appended. */
const withMembers = (object: object, members: string): string => `${JSON.stringify(object).slice(0, -1)}${members}}`;

/** Whether a header field contains somebody's data. */
export type IsPrivate = (field: FieldFacts) => boolean;

/** The JSON of an exchange, with or without the text of its body and private header fields. */
export const storedText = (
  { id, probe, connection, request, attempts }: Exchange,
  withText: boolean,
  isPrivate: IsPrivate = () => true,
): string =>
  withMembers(
    { id, probe, connection, request },
    member('attempts', `[${attempts.map((attempt) => attemptText(attempt, withText, isPrivate)).join(',')}]`),
  );

const attemptText = (
  { response, error, partial, tls, timing }: Attempt,
  withText: boolean,
  isPrivate: IsPrivate,
): string =>
  withMembers(
    { error, timing },
    member('response', response && (withText ? textOf(response) : textlessOf(withoutPrivate(response, isPrivate)))) +
      // A truncated body may end within a key.
      member('partial', partial && textlessOf(withoutPrivate(partial, isPrivate))) +
      member('tls', tls && shared(tls)),
  );

const withheldField = '<withheld>';

/**
 * Location is kept, since redirects are followed again when a run is judged again. Values of
 * cookies are withheld already.
 */
const isNeeded = (name: string): boolean => name.toLowerCase() === 'location' || isSetCookie(name);

const withoutPrivate = (response: Response, isPrivate: IsPrivate): Response => {
  const names = new Set(response.fields?.filter(isPrivate).map(({ name }) => name));
  if (names.size === 0) return response;
  const headers = response.headers.map(
    ([name, value]): HeaderPair => [name, names.has(name.toLowerCase()) && !isNeeded(name) ? withheldField : value],
  );
  return { ...response, headers };
};

const responseText = ({ body, shape, ...head }: Response, withText: boolean): string =>
  withMembers({ ...head, ...(withText && body !== undefined ? { body } : {}) }, member('shape', shared(shape)));

const textOf = memoize((response: Response) => responseText(response, true));
const textlessOf = memoize((response: Response) => responseText(response, false));

/** Maximum size in bytes of bodies whose shapes are shared, such as refusals and pages of lists. */
const mostShared = 16_384;

const sharedShape = memoize((text: string) => JSON.parse(text) as BodyShape, 128);

const withSharedShape = (response: Response): Response =>
  response.size <= mostShared ? { ...response, shape: sharedShape(JSON.stringify(response.shape)) } : response;

/**
 * Parses the output of `storedText`. Equal shapes become one object, since judges memoize per shape
 * what they compute.
 */
export const exchangeFrom = (text: string): Exchange => {
  const exchange = JSON.parse(text) as Exchange;
  return {
    ...exchange,
    attempts: exchange.attempts.map((attempt) =>
      attempt.response ? { ...attempt, response: withSharedShape(attempt.response) } : attempt,
    ),
  };
};
