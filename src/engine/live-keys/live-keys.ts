import { answerOf, isSuccess } from '../../rules/oracle/answers.js';
import { isSame } from '../../rules/oracle/same.js';
import { cookiePlaceholder } from '../../wire/cookies.js';
import type { Exchange, Probe, SeriesPosition, Wire } from '../../wire/types.js';
import type { Sender } from '../ask.js';
import type { Check, PlannedCheck } from '../plan.js';
import { type EndedKey, KeyEnded, requestOf, settingsCarriedBy, settingsMadeOf } from './key-watch.js';
import { type Generation, isOver, RenewedKey, type RenewedKeyParts } from './renewed-key.js';

/** No more keys are fetched after this many in a row that were refused where one was accepted. */
const mostWorthless = 2;

/** Maximum number of times that a request is sent when its key ends before each answer. */
const mostTries = 5;

type KeyState = 'alive' | 'ended' | 'unknown';

interface Held {
  readonly key: RenewedKey;
  /** The last request that the key opened. */
  good: Probe | undefined;
  /** Exchanges since then that depend on the key, with the time when each was complete. */
  readonly unconfirmed: Map<string, number>;
  /** Requests that were refused while the key was known to be alive. */
  readonly refused: Set<string>;
  /** Number of consecutive new keys that were refused where an earlier key was accepted. */
  worthless: number;
  verifying: Promise<KeyState> | undefined;
}

interface LiveKeysParts extends RenewedKeyParts {
  readonly wire: Pick<Wire, 'send'>;
  /** Called with the ids of exchanges whose key had ended; they must be forgotten. */
  readonly onStale: (ids: ReadonlySet<string>) => void;
}

/** The header field or the query that carries the key. */
const credentialIn = ({ target, headers }: Probe, setting: string): string => {
  const carries = (text: string): boolean => text.includes(`<${setting}>`) || text.includes(`<${setting}:`);
  const field = headers.find(([, value]) => carries(value));
  return field ? `${field[0]}: ${field[1]}` : (target.split('?')[1] ?? '');
};

/**
 * Keeps expiring keys usable through a run. A key with a known expiry is replaced before it, and a
 * request whose key ended before the answer is sent again. Where the expiry is not known, the last
 * request that the key opened is repeated whenever another is refused, and at the end of each pass.
 * Exchanges since the last accepted read count only if that request is still accepted.
 */
export class LiveKeys {
  readonly #parts: LiveKeysParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: LiveKeysParts) {
    this.#parts = parts;
    for (const [setting, fetched] of parts.supply.first)
      this.#held.set(setting, {
        key: new RenewedKey(setting, fetched, parts),
        good: undefined,
        unconfirmed: new Map(),
        refused: new Set(),
        worthless: 0,
        verifying: undefined,
      });
  }

  /** Whether the key of an exchange has not been confirmed as alive yet. */
  isUnconfirmed(id: string): boolean {
    return [...this.#held.values()].some(({ unconfirmed }) => unconfirmed.has(id));
  }

  /**
   * Sends a probe, and repeats it until its keys were alive when it was answered. Calls `keep` with
   * the exchange synchronously, so that no exchange of an ended key is kept. Does not call `keep`
   * where a request that reuses a connection was too late: the request before it has to be repeated
   * too.
   * @throws {KeyEnded} where the key has ended and cannot be replaced
   */
  async send(probe: Probe, place: SeriesPosition, keep: (exchange: Exchange) => void): Promise<void> {
    const held = this.#behind(probe, place);
    if (held.length === 0) return keep(await this.#parts.wire.send(probe, place));
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const { exchange, carried, filledAt } = await this.#sendOnce(probe, place, held);
      // An accepted key was alive when the server read it, however long the answer took.
      const isOverByNow = carried.some(isOver) && this.#read(exchange) !== 'opens';
      const isStale = isOverByNow || (await this.#hasEndedBy(exchange, held, filledAt));
      if (!isStale && !carried.some(({ hasEnded }) => hasEnded)) return keep(exchange);
      // The connection is used up: the request before it has to be repeated too.
      if (place.after) return;
    }
    const [first] = held;
    if (first) throw first.key.ended('it ends before requests with it are answered');
  }

  /** Repeats the last request that each key opened, if unconfirmed exchanges depend on the key. */
  async confirm(): Promise<void> {
    for (const held of this.#held.values()) {
      if (held.unconfirmed.size === 0) continue;
      await this.#verify(held).catch((error: unknown) => {
        // The checks that depend on the key report its end.
        if (!(error instanceof KeyEnded)) throw error;
      });
    }
  }

  /** Marks the most often replaced key as ended: it ended repeatedly before it was confirmed. */
  endless(): EndedKey | undefined {
    const [key] = [...this.#held.values()].map((held) => held.key).toSorted((a, b) => b.fetches - a.fetches);
    return key && this.#parts.watch.end(key.setting, new Date(), 'each ended before what it opened could be judged');
  }

  /** The keys that a probe depends on. With cookies or in a series, it may depend on any key. */
  #behind(probe: Probe, { follows }: SeriesPosition): readonly Held[] {
    const made = settingsMadeOf(probe).flatMap((setting) => this.#held.get(setting) ?? []);
    if (made.length > 0 || (!follows && !probe.headers.some(([, value]) => value.includes(cookiePlaceholder))))
      return made;
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
          carried = held.map(({ key }) => key.current);
          filledAt = Date.now();
        },
      },
    });
    return { exchange, carried, filledAt };
  }

  /** @throws {KeyEnded} */
  async #freshen(held: readonly Held[]): Promise<void> {
    for (const one of held) {
      const { current } = one.key;
      await one.key.freshen();
      // The key was replaced because of its stated expiry, so it was alive until now.
      if (one.key.current !== current && !one.verifying) one.unconfirmed.clear();
    }
  }

  /** Whether the key of an exchange had ended before the answer, so it must be sent again. */
  async #hasEndedBy(exchange: Exchange, held: readonly Held[], filledAt: number): Promise<boolean> {
    const whole = settingsCarriedBy(exchange.probe);
    let isStale = false;
    for (const one of held) {
      const {
        good,
        key: { setting },
      } = one;
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
    held.key.noteOpened();
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

  #verify(held: Held): Promise<KeyState> {
    held.verifying ??= this.#askAgain(held).finally(() => {
      held.verifying = undefined;
    });
    return held.verifying;
  }

  /** Repeats the last opened request with the current key, and with a new key if it is refused. */
  async #askAgain(held: Held): Promise<KeyState> {
    const { good, key } = held;
    if (key.isGivenUp || held.worthless >= mostWorthless) return 'unknown';
    if (!good) return this.#tryAnother(held);
    const first = await this.#askFor(good, held);
    if (first.reading === 'opens') {
      this.#opened(held, good, first.filledAt);
      return 'alive';
    }
    const { carried } = first;
    if (first.reading !== 'refuses' || !carried) return 'unknown';
    if (key.current === carried) await key.renew();
    if (key.current === carried) return 'unknown';
    const second = await this.#askFor(good, held);
    if (second.reading === 'opens') return this.#end(held, carried);
    held.worthless += 1;
    return 'unknown';
  }

  /** Repeats the last opened request, with a key that has not reached its expiry. */
  async #askFor(good: Probe, held: Held) {
    for (let tries = 1; ; tries += 1) {
      const { exchange, carried, filledAt } = await this.#sendOnce(good, { priority: true }, [held]);
      const reading = this.#read(exchange);
      if (reading === 'opens' || tries >= mostTries || !carried.some(isOver))
        return { reading, carried: carried[0], filledAt };
    }
  }

  /** Fetches one other key: a key that has opened nothing may have ended before its first use. */
  async #tryAnother(held: Held): Promise<KeyState> {
    const { key } = held;
    const { current } = key;
    if (held.worthless > 0 || current.endsAt !== undefined) return 'unknown';
    held.worthless += 1;
    await key.renew();
    return key.current === current ? 'unknown' : this.#end(held, current);
  }

  #end(held: Held, generation: Generation): KeyState {
    generation.hasEnded = true;
    const stale = new Set(held.unconfirmed.keys());
    held.unconfirmed.clear();
    this.#parts.onStale(stale);
    return 'ended';
  }
}

/** Maximum number of times that a check is judged again. */
const mostRounds = 10;

/** Tracks which checks looked at exchanges whose key may have ended before the answer. */
export class RestedOn {
  readonly #looked = new Map<Check, Set<string>>();
  readonly #again = new Set<Check>();
  readonly #rounds = new Map<Check, number>();
  readonly #lost = new Set<PlannedCheck>();

  /**
   * Wraps the sender of one judgement, and records which unconfirmed exchanges it looks up.
   * @param isOpen whether the key of an exchange is unconfirmed
   */
  noting(check: Check, sender: Sender, isOpen: (id: string) => boolean): Sender {
    const looked = new Set<string>();
    this.#looked.set(check, looked);
    return {
      get: (id) => {
        if (isOpen(id)) looked.add(id);
        return sender.get(id);
      },
      send: (series, ahead) => sender.send(series, ahead),
    };
  }

  /** Schedules the checks that looked up any of these exchanges to be judged again. */
  forget(ids: ReadonlySet<string>): void {
    for (const [check, looked] of this.#looked) {
      if (![...looked].some((id) => ids.has(id))) continue;
      if ((this.#rounds.get(check) ?? 0) < mostRounds) this.#again.add(check);
      else this.#lost.add(check);
    }
  }

  /** Whether the evidence of a check was discarded in each of the allowed rounds. */
  hasLost(check: PlannedCheck): boolean {
    return this.#lost.has(check);
  }

  /**
   * Removes and returns the checks to judge again. If some were judged again before, returns only
   * half: with fewer checks per key, the key is more likely to last until they are confirmed.
   */
  take(): readonly Check[] {
    const all = [...this.#again];
    const isInVain = all.some((check) => this.#rounds.has(check));
    const again = isInVain ? all.slice(0, Math.ceil(all.length / 2)) : all;
    for (const check of again) {
      this.#again.delete(check);
      this.#rounds.set(check, (this.#rounds.get(check) ?? 0) + 1);
    }
    return again;
  }
}
