import type { Deployment } from '../rules/rule.js';
import { endpointOf } from '../wire/connect.js';
import type { KeyRing } from '../wire/keyring.js';
import type { Exchange, Response } from '../wire/types.js';
import { base64urlNumber, DigestIndex } from './digest-index.js';

/** Digests of what the key's owner alone may see, gathered while the run goes on. */
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

  /** Takes note of what an answer to a request with the key holds. */
  note(exchange: Exchange): void {
    if (!this.carriesKey(exchange) || !this.#protectedOperations.has(exchange.probe.operation)) return;
    for (const response of answersIn(exchange)) {
      if (response.status >= 400) continue;
      if (response.facts.size > 2) this.#bodies.add(response.facts.digest);
      for (const value of response.facts.values) if (this.#values.size < 200_000) this.#values.set(value, 1);
    }
  }

  /** Exchanges that were found to open an operation without its key, once or each time. */
  opened(exchanges: readonly Exchange[]): void {
    for (const { id } of exchanges) this.#opened.add(id);
  }

  carriesKey({ probe }: Exchange): boolean {
    if (!this.#protectedOperations.has(probe.operation)) return false;
    return this.#isKey(probe.target) || probe.headers.some(([, value]) => this.#isKey(value));
  }

  #isKey(text: string): boolean {
    return text.includes('<COOKIES>') || this.#keys.isRealKey(text);
  }

  /** A request that carries a key or anything made of one, whatever it asks for: a careless service takes it for the key. */
  madeOfKey({ probe }: Exchange): boolean {
    const holds = (text: string): boolean => text.includes('<COOKIES>') || this.#keys.isMadeOfKey(text);
    return holds(probe.target) || probe.headers.some(([, value]) => holds(value));
  }

  holds(exchange: Exchange): boolean {
    return (
      this.#opened.has(exchange.id) ||
      answersIn(exchange).some(
        ({ facts }) =>
          this.#bodies.has(facts.digest) ||
          facts.values.some((value) => this.#values.has(value)) ||
          facts.parts?.some((value) => this.#values.has(value)) === true,
      )
    );
  }
}

const answersIn = ({ attempts }: Exchange): readonly Response[] =>
  attempts.flatMap(({ response, partial }) => response ?? partial ?? []);

/** Whether the text of a body is somebody's data: what the key opens, and any body that carries the same values. */
export const isOwnersData = (exchange: Exchange, values: PrivateValues): boolean =>
  values.carriesKey(exchange) || values.madeOfKey(exchange) || values.holds(exchange);

/** Tells what came from another origin than the target's: a server sent us there, and whose it is nobody knows. */
export const fromElsewhere = ({ origin, httpBaseUrl }: Pick<Deployment, 'origin' | 'httpBaseUrl'>) => {
  const own = new Set([origin, ...(httpBaseUrl?.startsWith('http') ? [httpBaseUrl] : [])].map((url) => placeName(url)));
  return ({ probe }: Exchange): boolean => !own.has(placeName(probe.origin));
};

/** Host and port, whether they are spoken to over TLS or not. */
const placeName = (url: string): string => {
  const { host, port } = endpointOf(url);
  return `${host} ${port}`;
};
