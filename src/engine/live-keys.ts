import { type FetchedKey, KeyFetchError, type KeySupply } from '../keys/fetched-key.js';
import { answerOf, isSuccess } from '../rules/oracle/answers.js';
import { isSame } from '../rules/oracle/same.js';
import type { KeyRing } from '../wire/keyring.js';
import type { Exchange, Probe, SeriesPosition, Wire } from '../wire/types.js';
import { type EndedKey, KeyEnded, type KeyWatch, settingsMadeOf, settingsOf } from './key-watch.js';

/**
 * A key is fetched anew so long before its end: milliseconds, and at most this part of its life.
 */
const mostMargin = 30_000;
const marginPart = 0.5;

/** Milliseconds between two fetches of one key, at least. */
const shortestPause = 250;

/** Milliseconds until the next attempt where none gave a new key. */
const failurePause = 1_000;

/** Fetches of one key within a run. */
const mostFetches = 1_000;

/** Keys in a row that open nothing which an earlier one had opened. */
const mostWorthless = 2;

/** Times that one request is sent, where its key ends on the way each time. */
const mostTries = 5;

/** Fetches in a row that give no new key. */
const mostFailures = 3;

/** A key for as long as it is held. */
interface Generation {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  endsAt: number | undefined;
  /** What it had opened was refused, and opened again with the next one. */
  hasEnded: boolean;
}

interface Held {
  readonly setting: string;
  current: Generation;
  /** The last request that it opened. */
  good: Probe | undefined;
  /** Exchanges since then that rest on the key, with the time when each was complete. */
  readonly unconfirmed: Map<string, number>;
  /** Requests that were refused while the key was alive. */
  readonly refused: Set<string>;
  fetches: number;
  worthless: number;
  /** When another attempt makes sense; milliseconds since the epoch. */
  notBefore: number;
  /** Why there is no new key, and how many times in a row. */
  failure: string | undefined;
  failures: number;
  /** When it was fetched last; milliseconds since the epoch. */
  lastFetch: number;
  renewing: Promise<void> | undefined;
  verifying: Promise<Verdict> | undefined;
}

type Verdict = 'alive' | 'ended' | 'unknown';

export interface LiveKeysParts {
  readonly supply: KeySupply;
  readonly ring: KeyRing;
  readonly wire: Pick<Wire, 'send'>;
  readonly watch: KeyWatch;
  /** Told of exchanges that rest on a key which had ended: they must be forgotten. */
  readonly onStale: (ids: ReadonlySet<string>) => void;
}

const requestOf = ({ method, origin, target, headers }: Probe): string =>
  JSON.stringify([method, origin, target, headers]);

/** The field, or the query, that carries the key. */
const credentialIn = ({ target, headers }: Probe, setting: string): string => {
  const carries = (text: string): boolean => text.includes(`<${setting}>`) || text.includes(`<${setting}:`);
  const field = headers.find(([, value]) => carries(value));
  return field ? `${field[0]}: ${field[1]}` : (target.split('?')[1] ?? '');
};

/**
 * Keeps keys that end alive through a run. A key whose end is known is fetched anew before it, and
 * a request whose key ended on the way is sent again. Where the end is not known, the last request
 * that the key opened is asked again when another one is refused, and at the end of each pass: what
 * was seen since the last good read counts only when the key still opens it.
 */
export class LiveKeys {
  readonly #parts: LiveKeysParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: LiveKeysParts) {
    this.#parts = parts;
    for (const [setting, fetched] of parts.supply.first) {
      for (const secret of fetched.secrets) parts.ring.learn(secret, '<secret>');
      this.#held.set(setting, {
        setting,
        current: generationOf(fetched),
        good: undefined,
        unconfirmed: new Map(),
        refused: new Set(),
        fetches: 1,
        worthless: 0,
        notBefore: 0,
        failure: undefined,
        failures: 0,
        lastFetch: Date.now(),
        renewing: undefined,
        verifying: undefined,
      });
    }
  }

  /** Whether it is not known yet that the key of an exchange was alive. */
  isUnconfirmed(id: string): boolean {
    return [...this.#held.values()].some(({ unconfirmed }) => unconfirmed.has(id));
  }

  /**
   * Sends a probe whose keys are alive when it is answered. Calls `keep` with the exchange at once,
   * so that none is kept that rests on a key which is known to have ended.
   * @throws {KeyEnded} where the key has ended and there is no new one
   */
  async send(probe: Probe, place: SeriesPosition, keep: (exchange: Exchange) => void): Promise<void> {
    const held = this.#behind(probe, place);
    if (held.length === 0) return keep(await this.#parts.wire.send(probe, place));
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const { exchange, carried, filledAt } = await this.#sendOnce(probe, place, held);
      // A key that opens is alive when it is read, however long the answer takes.
      if (carried.some(isOver) && this.#read(exchange) !== 'opens') continue;
      const isStale = await this.#hasEndedBy(exchange, held, filledAt);
      if (isStale || carried.some(({ hasEnded }) => hasEnded)) continue;
      return keep(exchange);
    }
    const [first] = held;
    if (first) this.#giveUp(first, 'it ends before requests with it are answered');
  }

  /**
   * Asks each key for the last thing that it opened, where exchanges rest on it that nothing
   * confirms.
   */
  async confirm(): Promise<void> {
    for (const held of this.#held.values()) {
      if (held.unconfirmed.size === 0) continue;
      await this.#verify(held).catch((error: unknown) => {
        // What rests on it says so.
        if (!(error instanceof KeyEnded)) throw error;
      });
    }
  }

  /** The key that ended again and again before it was confirmed. */
  endless(): EndedKey | undefined {
    const [held] = [...this.#held.values()].toSorted((a, b) => b.fetches - a.fetches);
    return held && this.#parts.watch.end(held.setting, new Date(), 'each ended before what it opened could be judged');
  }

  /** Keys that a probe is made of; what follows another probe of a series may rest on any. */
  #behind(probe: Probe, { priority }: SeriesPosition): readonly Held[] {
    const made = settingsMadeOf(probe).flatMap((setting) => this.#held.get(setting) ?? []);
    if (made.length > 0 || (!priority && !probe.headers.some(([, value]) => value.includes('<COOKIES>')))) return made;
    return [...this.#held.values()];
  }

  async #sendOnce(probe: Probe, place: SeriesPosition, held: readonly Held[]) {
    let carried: readonly Generation[] = [];
    let filledAt = Date.now();
    await this.#freshen(held);
    const exchange = await this.#parts.wire.send(probe, {
      ...place,
      keys: {
        ready: () => this.#freshen(held).catch(() => undefined),
        filled: () => {
          carried = held.map(({ current }) => current);
          filledAt = Date.now();
        },
      },
    });
    return { exchange, carried, filledAt };
  }

  /** @throws {KeyEnded} */
  async #freshen(held: readonly Held[]): Promise<void> {
    for (const one of held) {
      const { current } = one;
      while (isDue(one)) {
        if (one.failures < mostFailures) await this.#renew(one);
        if (!isOver(one.current)) break;
        if (one.failures >= mostFailures) this.#giveUp(one, one.failure ?? 'none is given');
      }
      // It was alive until now, by its own word.
      if (one.current !== current && !one.verifying) one.unconfirmed.clear();
    }
  }

  /** @throws {KeyEnded} */
  #giveUp({ setting, current }: Held, why: string): never {
    throw new KeyEnded(this.#parts.watch.end(setting, new Date(current.endsAt ?? Date.now()), why));
  }

  #renew(held: Held): Promise<void> {
    held.renewing ??= this.#fetch(held).finally(() => {
      held.renewing = undefined;
    });
    return held.renewing;
  }

  async #fetch(held: Held): Promise<void> {
    const { ring, supply, watch } = this.#parts;
    const { setting, current } = held;
    const fail = (why: string): void => {
      held.failure = why;
      held.failures += 1;
      held.notBefore = Date.now() + failurePause;
    };
    if (held.fetches >= mostFetches) return fail(`${mostFetches} keys were fetched, and each ended`);
    const wait = held.lastFetch + shortestPause - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    held.fetches += 1;
    held.lastFetch = Date.now();
    try {
      const fetched = await supply.renew(setting, current.key);
      for (const secret of fetched.secrets) ring.learn(secret, '<secret>');
      if (fetched.key === current.key) {
        current.endsAt = fetched.endsAt;
        if (isOver(current)) return fail('it is given again although it has ended');
        // It is given until it ends.
        held.notBefore = fetched.endsAt ?? 0;
        return;
      }
      if (!ring.isAlike(setting, fetched.key)) {
        ring.learn(fetched.key, `<${setting}:former>`);
        return fail('the new key is of another kind than the one before');
      }
      ring.replace(setting, fetched.key);
      watch.renewed(setting);
      held.current = generationOf(fetched);
      held.notBefore = 0;
      held.failure = undefined;
      held.failures = 0;
    } catch (error) {
      if (!(error instanceof KeyFetchError)) throw error;
      for (const secret of error.secrets) ring.learn(secret, '<secret>');
      fail(`${error.from}: ${error.message}`);
    }
  }

  /** Whether an answer came since a key has ended, so that the request has to be sent again. */
  async #hasEndedBy(exchange: Exchange, held: readonly Held[], filledAt: number): Promise<boolean> {
    const whole = settingsOf(exchange.probe);
    let isStale = false;
    for (const one of held) {
      const { good, setting } = one;
      const isDocumented =
        whole.includes(setting) &&
        (good === undefined || credentialIn(good, setting) === credentialIn(exchange.probe, setting));
      const reading = isDocumented ? this.#read(exchange) : 'unclear';
      if (reading === 'opens') this.#opened(one, exchange.probe, filledAt);
      else one.unconfirmed.set(exchange.id, Date.now());
      const request = requestOf(exchange.probe);
      if (reading !== 'refuses' || one.refused.has(request)) continue;
      const verdict = await this.#verify(one);
      if (verdict === 'alive') one.refused.add(request);
      if (verdict === 'ended') isStale = true;
    }
    return isStale;
  }

  #opened(held: Held, probe: Probe, filledAt: number): void {
    held.good = probe;
    held.worthless = 0;
    for (const [id, at] of held.unconfirmed) if (at <= filledAt) held.unconfirmed.delete(id);
  }

  #read(exchange: Exchange): 'opens' | 'refuses' | 'unclear' {
    const answer = answerOf(exchange);
    const invalid = this.#parts.watch.invalidAt(exchange.probe);
    if (!answer || !invalid) return 'unclear';
    if (isSame(answer, invalid)) return 'refuses';
    if (isSuccess(answer)) return 'opens';
    return answer.status === invalid.status && answer.status < 429 ? 'refuses' : 'unclear';
  }

  #verify(held: Held): Promise<Verdict> {
    held.verifying ??= this.#askAgain(held).finally(() => {
      held.verifying = undefined;
    });
    return held.verifying;
  }

  /** Asks what the key opened last: with the key, and with a new one where that is refused. */
  async #askAgain(held: Held): Promise<Verdict> {
    const { good } = held;
    if (held.failures >= mostFailures || held.worthless >= mostWorthless) return 'unknown';
    if (!good) return this.#tryAnother(held);
    const first = await this.#askFor(good, held);
    if (first.reading === 'opens') {
      this.#opened(held, good, first.filledAt);
      return 'alive';
    }
    const { carried } = first;
    if (first.reading !== 'refuses' || !carried) return 'unknown';
    if (held.current === carried) await this.#renew(held);
    if (held.current === carried) return 'unknown';
    const second = await this.#askFor(good, held);
    if (second.reading === 'opens') return this.#end(held, carried);
    held.worthless += 1;
    return 'unknown';
  }

  /** Asks what the key opened last, with a key that has not ended by its own word. */
  async #askFor(good: Probe, held: Held) {
    for (let tries = 1; ; tries += 1) {
      const { exchange, carried, filledAt } = await this.#sendOnce(good, { priority: true }, [held]);
      const reading = this.#read(exchange);
      if (reading === 'opens' || tries >= mostTries || !carried.some(isOver))
        return { reading, carried: carried[0], filledAt };
    }
  }

  /**
   * A key that has opened nothing may have ended before it was used: another one is tried, once.
   */
  async #tryAnother(held: Held): Promise<Verdict> {
    const { current } = held;
    if (held.worthless > 0 || current.endsAt !== undefined) return 'unknown';
    held.worthless += 1;
    await this.#renew(held);
    return held.current === current ? 'unknown' : this.#end(held, current);
  }

  #end(held: Held, generation: Generation): Verdict {
    generation.hasEnded = true;
    const stale = new Set(held.unconfirmed.keys());
    held.unconfirmed.clear();
    this.#parts.onStale(stale);
    return 'ended';
  }
}

const generationOf = ({ key, endsAt }: FetchedKey): Generation => ({
  key,
  endsAt,
  fetchedAt: Date.now(),
  hasEnded: false,
});

/** Whether a key is to be fetched anew, since its end is near or past. */
const isDue = ({ current: { endsAt, fetchedAt }, notBefore }: Held): boolean => {
  if (endsAt === undefined) return false;
  const margin = Math.min(mostMargin, (endsAt - fetchedAt) * marginPart);
  return Date.now() >= Math.min(endsAt, Math.max(endsAt - margin, notBefore));
};

const isOver = ({ endsAt, hasEnded }: Generation): boolean =>
  hasEnded || (endsAt !== undefined && Date.now() >= endsAt);
