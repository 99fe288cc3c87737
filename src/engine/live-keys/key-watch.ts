import { memoize, sum } from '../../collections.js';
import { answerOf, isSuccess } from '../../rules/oracle/answers.js';
import { isSame } from '../../rules/oracle/same.js';
import type { Judgement } from '../../rules/rule.js';
import { because } from '../../rules/support/judgement.js';
import { endedKeyFact } from '../../rules/support/observation.js';
import { type Exchange, exchangeId, type Probe, type Response } from '../../wire/types.js';
import { toTheSecond } from '../../words.js';
import type { Sender } from '../ask.js';
import type { Finding } from '../results.js';
import type { Store } from '../store/store.js';

/** Notices keys that end during a run. */

/** A key that used to open operations, and is now refused by them. */
export interface EndedKey {
  readonly setting: string;
  /** Time of the first refusal: ISO 8601, UTC, to the second. */
  readonly at: string;
  /** Why no new key could be fetched, where keys are fetched. */
  readonly why?: string;
}

/** Thrown when a probe needs a key that has ended. */
export class KeyEnded {
  readonly key: EndedKey;
  constructor(key: EndedKey) {
    this.key = key;
  }
}

/**
 * A key counts as ended when this many requests that it had opened (or all of them) are refused.
 */
const minRefused = 3;

/** The parts of a probe that contain key placeholders, joined; `''` for most probes. */
const fieldsOf = ({ target, headers }: Probe): string => {
  let fields = target.includes('<API_KEY') ? target : '';
  for (const field of headers) if (field[1].includes('<API_KEY')) fields += `\n${field[1]}`;
  return fields;
};

/** Whether a probe carries a key, a part of it, an altered copy or a random one. */
export const carriesKey = (probe: Probe): boolean => fieldsOf(probe) !== '';

/** Extracts the settings that a text names. Memoized, since few distinct texts exist. */
const namedBy = (placeholder: RegExp) =>
  memoize((fields: string): readonly string[] => [
    ...new Set([...fields.matchAll(placeholder)].map(([, setting = '']) => setting)),
  ]);

const wholeIn = namedBy(/<(API_KEY(?:_[A-Z0-9_]+)?)(?::base64|:urlencoded)?>/g);
const randomIn = namedBy(/<(API_KEY(?:_[A-Z0-9_]+)?):random(?::base64|:urlencoded)?>/g);
const madeOfIn = namedBy(/<(API_KEY(?:_[A-Z0-9_]+)?)(?!:random|:long)(?::[a-z0-9-]+)*>/g);

export const settingsCarriedBy = (probe: Probe): readonly string[] => wholeIn(fieldsOf(probe));

/** Settings of which a probe carries the key, a part of it or an altered copy. */
export const settingsMadeOf = (probe: Probe): readonly string[] => madeOfIn(fieldsOf(probe));

/** Identifies the HTTP request of a probe, whatever check or occasion it is sent for. */
export const requestOf = ({ method, origin, target, headers, protocol }: Probe): string =>
  JSON.stringify([method, origin, target, headers, protocol]);

const requestLineOf = ({ method, origin, target }: Probe): string => `${method} ${origin}${target}`;

interface KeyHistory {
  /** Requests that the key has opened. */
  readonly opened: Set<string>;
  /** Requests that were refused since the key last opened one, with the number of refusals. */
  readonly refused: Map<string, number>;
  /** Ids of exchanges with the key since it last opened a request. */
  readonly since: Set<string>;
  firstRefusal: Date | undefined;
  /** The first refusal of each operation since the key last opened a request. */
  readonly refusals: Map<string, Exchange>;
}

/**
 * Detects a key that ends during a run: requests that it had opened are now refused exactly as an
 * invalid key is, at several operations, and nothing opens any more. A ban or an outage is answered
 * differently.
 */
export class KeyWatch {
  readonly #stored: Pick<Store, 'get' | 'has'>;
  readonly #seen = new Map<string, KeyHistory>();
  /** Ids of exchanges with an invalid key, by request line. */
  readonly #invalid = new Map<string, string>();
  readonly #ended = new Map<string, EndedKey>();

  constructor(stored: Pick<Store, 'get' | 'has'>) {
    this.#stored = stored;
  }

  note(exchange: Exchange): void {
    const { id, probe } = exchange;
    const fields = fieldsOf(probe);
    if (fields === '') return;
    const answer = answerOf(exchange);
    if (answer && randomIn(fields).length > 0 && !this.#stored.has(this.#invalid.get(requestLineOf(probe)) ?? id))
      this.#invalid.set(requestLineOf(probe), id);
    for (const setting of wholeIn(fields)) this.#noteOf(setting, exchange, answer);
  }

  #noteOf(setting: string, exchange: Exchange, answer: Response | undefined): void {
    const { id, probe } = exchange;
    const seen = this.#seen.get(setting) ?? {
      opened: new Set(),
      refused: new Map(),
      since: new Set(),
      firstRefusal: undefined,
      refusals: new Map(),
    };
    this.#seen.set(setting, seen);
    const request = requestOf(probe);
    if (isSuccess(answer)) {
      if (this.#ended.has(setting)) return;
      seen.opened.add(request);
      seen.refused.clear();
      seen.since.clear();
      seen.refusals.clear();
      seen.firstRefusal = undefined;
      return;
    }
    seen.since.add(id);
    // A new connection may lead to another of several servers, which may not know the key.
    if (!answer || probe.connection === 'fresh' || !seen.opened.has(request)) return;
    const invalid = this.invalidAt(probe);
    if (!invalid || !isSame(answer, invalid)) return;
    seen.firstRefusal ??= new Date();
    if (!seen.refusals.has(probe.operation)) seen.refusals.set(probe.operation, exchange);
    seen.refused.set(request, (seen.refused.get(request) ?? 0) + 1);
    const refusals = sum(seen.refused.values());
    if (seen.refused.size >= Math.min(minRefused, seen.opened.size) && refusals > 1 && !this.#ended.has(setting))
      this.#ended.set(setting, { setting, at: toTheSecond(seen.firstRefusal) });
  }

  /** The answer that an invalid key got for the same request line. */
  invalidAt(probe: Probe): Response | undefined {
    const id = this.#invalid.get(requestLineOf(probe));
    const exchange = id === undefined ? undefined : this.#stored.get(id);
    return exchange && answerOf(exchange);
  }

  /** Forgets a key that was replaced by a new one. */
  renewed(setting: string): void {
    this.#seen.delete(setting);
    this.#ended.delete(setting);
  }

  /** Records the end of a fetched key that cannot be replaced. */
  end(setting: string, at: Date, why: string): EndedKey {
    const ended = this.#ended.get(setting) ?? { setting, at: toTheSecond(at), why };
    this.#ended.set(setting, ended);
    return ended;
  }

  get hasEnded(): boolean {
    return this.#ended.size > 0;
  }

  /** The ended key that a probe would carry, if any. */
  endedIn(probe: Probe): EndedKey | undefined {
    return settingsCarriedBy(probe).flatMap((setting) => this.#ended.get(setting) ?? [])[0];
  }

  /** The first answer of each operation to an ended key, by operation id. */
  refusals(): ReadonlyMap<string, Exchange> {
    return new Map([...this.#ended.keys()].flatMap((setting) => [...(this.#seen.get(setting)?.refusals ?? [])]));
  }

  /** The ended key that a finding depends on: one of its exchanges was sent too late. */
  behind({
    outcome,
    exchanges,
    comparedWith,
  }: Pick<Finding, 'outcome' | 'exchanges' | 'comparedWith'>): EndedKey | undefined {
    if (outcome === 'excluded' || outcome === 'observed') return undefined;
    return [...this.#ended.values()].find(({ setting }) => {
      const since = this.#seen.get(setting)?.since;
      return [...exchanges, ...comparedWith].some((id) => since?.has(id));
    });
  }
}

/** Wraps a sender so that it sends nothing more with an ended key. */
export const withoutEndedKeys = (sender: Sender, watch: KeyWatch): Sender => ({
  get: (id) => sender.get(id),
  send: async (series, ahead) => {
    if (watch.hasEnded)
      for (const probe of series.flat()) {
        const ended = watch.endedIn(probe);
        if (ended && sender.get(exchangeId(probe)) === undefined) throw new KeyEnded(ended);
      }
    await sender.send(series, ahead);
  },
});

/** The judgement of a check that could not be completed because its key has ended. */
export const keyEnded = ({ setting, at, why }: EndedKey): Judgement => ({
  outcome: 'inconclusive',
  cause: because('key-ended', setting, at),
  reason:
    why === undefined
      ? `The key ended at ${at} (${setting}): since then what it had opened is refused as with an invalid key, so nothing more was asked with it. Run again with a key that lasts.`
      : `The key ended at ${at} (${setting}), and there is no new one: ${why}. Nothing more was asked with it.`,
  exchanges: [],
});

export const isKeyEnded = (finding: Pick<Finding, 'cause'> | undefined): boolean => finding?.cause?.id === 'key-ended';

/** The observation that a refused ended key allows. */
export const endedKeySeen = (exchange: Exchange): Pick<Judgement, 'facts'> => ({ facts: [endedKeyFact([exchange])] });
