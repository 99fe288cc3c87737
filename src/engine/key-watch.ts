import { memoize } from '../collections.js';
import { endedKeyFact } from '../rules/facts/ended-key.js';
import { answerOf, isSuccess } from '../rules/oracle/answers.js';
import { isSame } from '../rules/oracle/same.js';
import type { Judgement } from '../rules/rule.js';
import { because } from '../rules/support/causes.js';
import { exchangeId } from '../wire/exchange-id.js';
import type { Exchange, Probe, Response } from '../wire/types.js';
import type { Sender } from './ask.js';
import type { Finding } from './results.js';
import type { Store } from './store.js';

/** A key that opened operations, and is refused by them since then. */
export interface EndedKey {
  readonly setting: string;
  /** When the first refusal came; ISO 8601, UTC, to the second. */
  readonly at: string;
  /** Why no new one was got, where keys are fetched. */
  readonly why?: string;
}

/** Thrown where something is to be asked with a key that has ended. */
export class KeyEnded {
  readonly key: EndedKey;
  constructor(key: EndedKey) {
    this.key = key;
  }
}

/**
 * Operations that refuse what they had opened before a key counts as ended; all of them if there
 * are fewer.
 */
const enough = 3;

/** The texts of a probe that name a key, joined; `''` for most probes. */
const fieldsOf = ({ target, headers }: Probe): string => {
  let fields = target.includes('<API_KEY') ? target : '';
  for (const field of headers) if (field[1].includes('<API_KEY')) fields += `\n${field[1]}`;
  return fields;
};

/** The settings that a text names; the same few texts come again and again. */
const namedBy = (placeholder: RegExp) =>
  memoize((fields: string): readonly string[] => [
    ...new Set([...fields.matchAll(placeholder)].map(([, setting = '']) => setting)),
  ]);

const wholeIn = namedBy(/<(API_KEY(?:_[A-Z0-9_]+)?)(?::base64)?>/g);
const randomIn = namedBy(/<(API_KEY(?:_[A-Z0-9_]+)?):random(?::base64)?>/g);
const madeOfIn = namedBy(/<(API_KEY(?:_[A-Z0-9_]+)?)(?!:random|:long)(?::[a-z0-9-]+)*>/g);

/** Settings whose whole keys a probe carries. */
export const settingsOf = (probe: Probe): readonly string[] => wholeIn(fieldsOf(probe));

/** Settings of which a probe carries the key, a part of it or an altered copy. */
export const settingsMadeOf = (probe: Probe): readonly string[] => madeOfIn(fieldsOf(probe));

/** The same request, whenever and for whatever check it is sent. */
export const requestOf = ({ method, origin, target, headers, protocol }: Probe): string =>
  JSON.stringify([method, origin, target, headers, protocol]);

const requestLineOf = ({ method, origin, target }: Probe): string => `${method} ${origin}${target}`;

interface Seen {
  /** Requests that the key has opened. */
  readonly opened: Set<string>;
  /** Those that were refused since anything opened, with the number of refusals. */
  readonly refused: Map<string, number>;
  /** Ids of exchanges with the key since anything opened. */
  readonly since: Set<string>;
  firstRefusal: Date | undefined;
  /** The first refusal of each operation since anything opened. */
  readonly refusals: Map<string, Exchange>;
}

/**
 * Notices when a key ends in the middle of a run: requests that it had opened are refused exactly
 * as an invalid key is, one operation after the other, and nothing opens any more. A ban or an
 * outage is answered in another way.
 */
export class KeyWatch {
  readonly #stored: Pick<Store, 'get' | 'has'>;
  readonly #seen = new Map<string, Seen>();
  /** Ids of exchanges with an invalid key, by place. */
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
    if (answer && isSuccess(answer)) {
      if (this.#ended.has(setting)) return;
      seen.opened.add(request);
      seen.refused.clear();
      seen.since.clear();
      seen.refusals.clear();
      seen.firstRefusal = undefined;
      return;
    }
    seen.since.add(id);
    if (!answer || !seen.opened.has(request)) return;
    const invalid = this.invalidAt(probe);
    if (!invalid || !isSame(answer, invalid)) return;
    seen.firstRefusal ??= new Date();
    if (!seen.refusals.has(probe.operation)) seen.refusals.set(probe.operation, exchange);
    seen.refused.set(request, (seen.refused.get(request) ?? 0) + 1);
    const refusals = [...seen.refused.values()].reduce((sum, count) => sum + count, 0);
    if (seen.refused.size >= Math.min(enough, seen.opened.size) && refusals > 1 && !this.#ended.has(setting))
      this.#ended.set(setting, { setting, at: `${seen.firstRefusal.toISOString().slice(0, 19)}Z` });
  }

  /** What an invalid key got where this probe goes. */
  invalidAt(probe: Probe): Response | undefined {
    const id = this.#invalid.get(requestLineOf(probe));
    const exchange = id === undefined ? undefined : this.#stored.get(id);
    return exchange && answerOf(exchange);
  }

  /** Another key was put in the place of one that ended. */
  renewed(setting: string): void {
    this.#seen.delete(setting);
    this.#ended.delete(setting);
  }

  /** A fetched key has ended, and there is no new one. */
  end(setting: string, at: Date, why: string): EndedKey {
    const ended = this.#ended.get(setting) ?? { setting, at: `${at.toISOString().slice(0, 19)}Z`, why };
    this.#ended.set(setting, ended);
    return ended;
  }

  /** Whether any key has. */
  get hasEnded(): boolean {
    return this.#ended.size > 0;
  }

  /** The key that a probe would carry and that has ended. */
  endedIn(probe: Probe): EndedKey | undefined {
    return settingsOf(probe).flatMap((setting) => this.#ended.get(setting) ?? [])[0];
  }

  /** How each operation answered a key that has ended, by operation. */
  refusals(): ReadonlyMap<string, Exchange> {
    return new Map([...this.#ended.keys()].flatMap((setting) => [...(this.#seen.get(setting)?.refusals ?? [])]));
  }

  /**
   * The key whose end a finding rests on, where it looked at requests that came too late for it.
   */
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

/** Sends nothing more with a key that has ended. */
export const sparingEndedKeys = (sender: Sender, watch: KeyWatch): Sender => ({
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

/** The judgement of what could not be asked any more. */
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

/** What the refusal of a key that has ended shows. */
export const endedKeySeen = (exchange: Exchange): Pick<Judgement, 'facts'> => ({ facts: [endedKeyFact([exchange])] });
