import { memoize } from '../collections.js';
import type { Deployment } from '../rules/rule.js';
import { authorityOf, endpointOf } from '../wire/addresses.js';
import type { BodyShape } from '../wire/body-shape.js';
import { carriesSecret } from '../wire/cookies.js';
import type { KeyRing } from '../wire/keyring.js';
import type { Exchange, Response } from '../wire/types.js';
import { base64urlNumber, DigestIndex } from './store/digest-index.js';

/** Digests of data that only the key's owner may see, collected during the run. */
export class PrivateValues {
  readonly #keys: KeyRing;
  readonly #values = new DigestIndex(base64urlNumber);
  readonly #bodies = new Set<string>();
  readonly #opened = new Set<string>();

  readonly #protectedOperations: ReadonlySet<string>;

  constructor(keys: KeyRing, protectedOperations: ReadonlySet<string>) {
    this.#keys = keys;
    this.#protectedOperations = protectedOperations;
  }

  /** Records the values in an answer to a request with the key. */
  note(exchange: Exchange): void {
    if (!this.carriesKey(exchange)) return;
    for (const response of answersIn(exchange)) {
      if (response.status >= 400) continue;
      if (response.shape.size > 2) this.#bodies.add(response.shape.digest);
      for (const value of response.shape.values) if (this.#values.size < 200_000) this.#values.set(value, 1);
    }
  }

  /** Records exchanges that opened an operation without its key. */
  opened(exchanges: readonly Exchange[]): void {
    for (const { id } of exchanges) this.#opened.add(id);
  }

  carriesKey({ probe }: Exchange): boolean {
    return (
      this.#protectedOperations.has(probe.operation) &&
      carriesSecret(probe, (template) => this.#keys.isRealKey(template))
    );
  }

  /**
   * Whether a request to any operation carries a key or a text derived from one: a faulty service
   * may accept it as the key.
   */
  madeOfKey({ probe }: Exchange): boolean {
    return carriesSecret(probe, (template) => this.#keys.isMadeOfKey(template));
  }

  holds(exchange: Exchange): boolean {
    return (
      this.#opened.has(exchange.id) ||
      answersIn(exchange).some(
        ({ shape, fields = [] }) =>
          this.#bodies.has(shape.digest) || this.occursIn(shape) || fields.some((field) => this.occursIn(field)),
      )
    );
  }

  /** Whether a body or a header field contains a private value. */
  occursIn({ values, parts = [] }: Pick<BodyShape, 'values' | 'parts'>): boolean {
    const isKnown = (value: string): boolean => this.#values.has(value);
    return values.some(isKnown) || parts.some(isKnown);
  }
}

const answersIn = ({ attempts }: Exchange): readonly Response[] =>
  attempts.flatMap(({ response, partial }) => response ?? partial ?? []);

/** Whether a body is the owner's data: an answer to the key, or any body with the same values. */
export const isOwnersData = (exchange: Exchange, values: PrivateValues): boolean =>
  values.carriesKey(exchange) || values.madeOfKey(exchange) || values.holds(exchange);

/**
 * Returns a predicate for exchanges with another origin than the target, after a redirect. It is
 * unknown whose data they contain.
 */
export const fromElsewhere = ({ origin, httpBaseUrl }: Pick<Deployment, 'origin' | 'httpBaseUrl'>) => {
  const own = new Set([origin, ...(httpBaseUrl?.startsWith('http') ? [httpBaseUrl] : [])].map((url) => placeName(url)));
  const isElsewhere = memoize((url: string) => !own.has(placeName(url)));
  return ({ probe }: Exchange): boolean => isElsewhere(probe.origin);
};

/** Host and port, whatever the scheme. */
const placeName = (url: string): string => authorityOf(endpointOf(url));
