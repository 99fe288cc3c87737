import { memoize } from '../../collections.js';
import type { BodyShape, FieldFacts } from '../../wire/body-shape.js';
import { isSetCookie } from '../../wire/cookies.js';
import type { Attempt, Exchange, HeaderPair, Response, TlsFacts } from '../../wire/types.js';

/** An exchange as a JSON text. */

/** Caches the JSON of shared parts: certificate chains, structures, repeated answers. */
const shared = memoize((value: object) => JSON.stringify(value));

/**
 * TLS facts, most of which are a certificate chain, by number: thousands of exchanges share them.
 */
export class SharedTlsFacts {
  readonly #all: TlsFacts[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(facts: TlsFacts): number {
    const text = shared(facts);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#all.push(facts) - 1);
    return this.#all.length - 1;
  }

  /** The exchange with the facts that its attempts name by number. */
  restored(exchange: StoredExchange): Exchange {
    return { ...exchange, attempts: exchange.attempts.map((attempt) => this.#restored(attempt)) };
  }

  #restored(attempt: StoredAttempt): Attempt {
    if (isWithoutTls(attempt)) return attempt;
    const facts = this.#all[attempt.tls ?? -1];
    if (!facts) throw new RangeError('a stored exchange names TLS facts that are not there');
    return { ...attempt, tls: facts };
  }
}

interface StoredAttempt extends Omit<Attempt, 'tls'> {
  readonly tls?: number;
}

const isWithoutTls = (attempt: StoredAttempt): attempt is StoredAttempt & Attempt => attempt.tls === undefined;

/** An exchange whose attempts name their TLS facts by number. */
export interface StoredExchange extends Omit<Exchange, 'attempts'> {
  readonly attempts: readonly StoredAttempt[];
}

const member = (name: string, json: string | undefined): string => (json === undefined ? '' : `,"${name}":${json}`);

/** The JSON of an object that has members, with further members appended. */
const withMembers = (object: object, members: string): string => `${JSON.stringify(object).slice(0, -1)}${members}}`;

/** Whether a header field contains somebody's data. */
export type IsPrivate = (field: FieldFacts) => boolean;

interface StoredParts {
  readonly withText: boolean;
  /** Which header fields are left out. Default: all that may contain data. */
  readonly isPrivate?: IsPrivate | undefined;
  /** Where the TLS facts are kept. Default: in the text. */
  readonly tls?: SharedTlsFacts;
}

export const storedText = ({ id, probe, connection, request, attempts }: Exchange, parts: StoredParts): string =>
  withMembers(
    { id, probe, connection, request },
    member('attempts', `[${attempts.map((attempt) => attemptText(attempt, parts)).join(',')}]`),
  );

const attemptText = (
  { response, error, partial, tls, timing }: Attempt,
  { withText, isPrivate = () => true, tls: known }: StoredParts,
): string =>
  withMembers(
    { error, timing },
    member(
      'response',
      response && (withText ? memoizedText(response) : textlessOf(withoutPrivate(response, isPrivate))),
    ) +
      // A truncated body may end within a key.
      member('partial', partial && textlessOf(withoutPrivate(partial, isPrivate))) +
      member('tls', tls && (known ? `${known.numberOf(tls)}` : shared(tls))),
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

const memoizedText = memoize((response: Response) => responseText(response, true));
const textlessOf = memoize((response: Response) => responseText(response, false));

/** Maximum size in bytes of bodies whose shapes are shared, such as refusals and pages of lists. */
const mostShared = 16_384;

const sharedShape = memoize((text: string) => JSON.parse(text) as BodyShape, 64);

const withSharedShape = (response: Response): Response =>
  response.size <= mostShared ? { ...response, shape: sharedShape(JSON.stringify(response.shape)) } : response;

/** Makes equal shapes one object, since judges memoize per shape what they compute. */
export const withSharedShapes = (exchange: StoredExchange): StoredExchange => ({
  ...exchange,
  attempts: exchange.attempts.map((attempt) =>
    attempt.response ? { ...attempt, response: withSharedShape(attempt.response) } : attempt,
  ),
});
