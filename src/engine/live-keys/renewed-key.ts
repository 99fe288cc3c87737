import { setTimeout as pause } from 'node:timers/promises';
import { type FetchedKey, KeyFetchError, type KeySupply } from '../../keys/fetched-key.js';
import type { KeyRing } from '../../wire/keyring.js';
import { KeyEnded, type KeyWatch } from './key-watch.js';

/** One key that is fetched again before it ends. */

/** Milliseconds before its expiry at which a key is replaced; at most a share of its lifetime. */
const mostMargin = 30_000;
const marginPart = 0.5;

/** Minimum number of milliseconds between two fetches of a key. */
const shortestPause = 250;

/** Milliseconds to wait after a failed fetch; doubled with each further one, up to a maximum. */
const failurePause = 1_000;
const mostFailurePause = 8_000;

/** Maximum number of fetches of a key in a run. */
const mostFetches = 1_000;

/**
 * Maximum number of consecutive failed fetches while the key opens nothing. With the pauses, the
 * source has at least seven seconds to recover.
 */
const mostFailures = 4;

/** One value of a key that is replaced during a run. */
export interface Generation {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  endsAt: number | undefined;
  /** The key was refused where it had been accepted, and the next key was accepted there. */
  hasEnded: boolean;
}

const generationOf = ({ key, endsAt }: FetchedKey): Generation => ({
  key,
  endsAt,
  fetchedAt: Date.now(),
  hasEnded: false,
});

export const isOver = ({ endsAt, hasEnded }: Generation): boolean =>
  hasEnded || (endsAt !== undefined && Date.now() >= endsAt);

export interface RenewedKeyParts {
  readonly supply: KeySupply;
  readonly ring: KeyRing;
  readonly watch: KeyWatch;
}

/** A key that is fetched again: before its expiry where that is known, else on request. */
export class RenewedKey {
  readonly setting: string;
  readonly #parts: RenewedKeyParts;
  #current: Generation;
  #fetches = 1;
  /** Earliest time of the next fetch; milliseconds since the epoch. */
  #notBefore = 0;
  /** Earliest time of the next fetch after a failed one; milliseconds since the epoch. */
  #retryAt = 0;
  /** Why the last fetch failed, and the number of consecutive failures. */
  #failure: string | undefined;
  #failures = 0;
  /** How many of these failures came before the key last opened a request. */
  #failuresBefore = 0;
  /** Time of the last fetch; milliseconds since the epoch. */
  #lastFetch = Date.now();
  #renewing: Promise<void> | undefined;

  constructor(setting: string, first: FetchedKey, parts: RenewedKeyParts) {
    this.setting = setting;
    this.#parts = parts;
    this.#current = generationOf(first);
    for (const secret of first.secrets) parts.ring.learn(secret, '<secret>');
  }

  get current(): Generation {
    return this.#current;
  }

  get fetches(): number {
    return this.#fetches;
  }

  /** Too many consecutive fetches failed, and the key opened nothing since, so no more are made. */
  get isGivenUp(): boolean {
    return this.#failures - this.#failuresBefore >= mostFailures;
  }

  /** The key has opened a request: failures to replace it did no harm so far. */
  noteOpened(): void {
    if (!isOver(this.#current)) this.#failuresBefore = this.#failures;
  }

  /**
   * Replaces the key if its expiry is near or past.
   * @throws {KeyEnded} where it is past and no new key can be fetched
   */
  async freshen(): Promise<void> {
    while (this.#isDue()) {
      if (!this.isGivenUp) await this.renew();
      if (!isOver(this.#current)) return;
      if (this.isGivenUp) throw this.ended(this.#failure ?? 'none is given');
    }
  }

  /** Creates the error to throw when the key has ended and cannot be replaced. */
  ended(why: string): KeyEnded {
    const { endsAt = Date.now() } = this.#current;
    return new KeyEnded(this.#parts.watch.end(this.setting, new Date(endsAt), why));
  }

  /** Fetches a new key. The old one stays if that fails. */
  renew(): Promise<void> {
    this.#renewing ??= this.#fetch().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  #isDue(): boolean {
    const { endsAt, fetchedAt } = this.#current;
    if (endsAt === undefined) return false;
    const margin = Math.min(mostMargin, (endsAt - fetchedAt) * marginPart);
    return Date.now() >= Math.min(endsAt, Math.max(endsAt - margin, this.#notBefore));
  }

  #fail(why: string): void {
    this.#failure = why;
    this.#failures += 1;
    this.#retryAt = Date.now() + Math.min(mostFailurePause, failurePause * 2 ** (this.#failures - 1));
    this.#notBefore = this.#retryAt;
  }

  #succeed(): void {
    this.#failure = undefined;
    this.#failures = 0;
    this.#failuresBefore = 0;
    this.#retryAt = 0;
  }

  async #fetch(): Promise<void> {
    const { ring, supply } = this.#parts;
    if (this.#fetches >= mostFetches) return this.#fail(`${mostFetches} keys were fetched, and each ended`);
    const wait = Math.max(this.#lastFetch + shortestPause, this.#retryAt) - Date.now();
    if (wait > 0) await pause(wait);
    this.#fetches += 1;
    this.#lastFetch = Date.now();
    try {
      const fetched = await supply.renew(this.setting, this.#current.key);
      for (const secret of fetched.secrets) ring.learn(secret, '<secret>');
      this.#take(fetched);
    } catch (error) {
      if (!(error instanceof KeyFetchError)) throw error;
      for (const secret of error.secrets) ring.learn(secret, '<secret>');
      this.#fail(`${error.from}: ${error.message}`);
    }
  }

  #take(fetched: FetchedKey): void {
    const { ring, watch } = this.#parts;
    if (fetched.key === this.#current.key) {
      this.#current.endsAt = fetched.endsAt;
      if (isOver(this.#current)) {
        this.#fail('it is given again although it has ended');
        return;
      }
      // The source returns the same key until it ends.
      this.#notBefore = fetched.endsAt ?? 0;
      this.#succeed();
      return;
    }
    if (!ring.isAlike(this.setting, fetched.key)) {
      ring.learn(fetched.key, `<${this.setting}:former>`);
      this.#fail('the new key is of another kind than the one before');
      return;
    }
    ring.replace(this.setting, fetched.key);
    watch.renewed(this.setting);
    this.#current = generationOf(fetched);
    this.#notBefore = 0;
    this.#succeed();
  }
}
