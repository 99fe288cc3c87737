import { memoizePerObject } from '../collections.js';
import type { Ask } from '../rules/rule.js';
import { type Exchange, exchangeId, type Probe, type SeriesPosition } from '../wire/types.js';
import type { Store } from './store/store.js';

/**
 * Lets a judge ask for exchanges as if all were there: what was not sent yet is sent, and the judge
 * is called again.
 */

/**
 * Thrown when a judge asks for probes that were not sent yet. The probes are sent, and the judge is
 * called again. It does not extend Error, to avoid the cost of a stack trace.
 */
class NotSentYet {
  readonly series: readonly Series[];
  constructor(series: readonly Series[]) {
    this.series = series;
  }
}

/** Probes that are sent one after the other. */
export type Series = readonly Probe[];

export interface Sender {
  get(id: string): Exchange | undefined;
  /**
   * Sends all series in parallel. Probes that were sent before are not repeated.
   * @param ahead queue them before all requests that already wait
   */
  send(series: readonly Series[], ahead?: boolean): Promise<void>;
}

const askThrough = memoizePerObject((sender: Sender): Ask => {
  const get = (probe: Probe): Exchange | undefined => sender.get(exchangeId(probe));
  /** @throws NotSentYet with every unsent probe, to send all in parallel */
  const all = (probes: readonly Probe[]): readonly Exchange[] => {
    const found: Exchange[] = [];
    const open: Series[] = [];
    for (const probe of probes) {
      const exchange = get(probe);
      if (exchange) found.push(exchange);
      else open.push([probe]);
    }
    if (open.length > 0) throw new NotSentYet(open);
    return found;
  };
  const one = (probe: Probe): Exchange => {
    const exchange = get(probe);
    if (!exchange) throw new NotSentYet([[probe]]);
    return exchange;
  };
  /** @throws NotSentYet with every series that has an unsent probe, to send all in parallel */
  const inSeries = (...series: readonly Series[]): readonly Exchange[] => {
    const open = series.filter((probes) => !probes.every(get));
    if (open.length > 0) throw new NotSentYet(open);
    return all(series.flat());
  };
  const each = <Item, Done>(items: readonly Item[], work: (item: Item) => Done): readonly Done[] => {
    const open: Series[] = [];
    const done = items.flatMap((item) => {
      try {
        return [work(item)];
      } catch (error) {
        if (!(error instanceof NotSentYet)) throw error;
        open.push(...error.series);
        return [];
      }
    });
    if (open.length > 0) throw new NotSentYet(open);
    return done;
  };
  return Object.assign(one, {
    each,
    all: all as Ask['all'],
    inSeries,
  });
});

/** Maximum number of calls of one judge; protects against a rule that always asks for more. */
const mostRounds = 100;

/**
 * Calls the judge until all probes that it asks for were sent.
 * @param goesAhead queue follow-up requests before those of other checks, so that the exchanges of
 * one check are close in time
 */
export const judgeThrough = async <T>(judge: (ask: Ask) => T, sender: Sender, goesAhead = true): Promise<T> => {
  const ask = askThrough(sender);
  for (let round = 0; round < mostRounds; round += 1) {
    try {
      return judge(ask);
    } catch (error) {
      if (!(error instanceof NotSentYet)) throw error;
      await sender.send(error.series, goesAhead && round > 0);
    }
  }
  throw new Error('a rule asked for ever more probes');
};

/** Sends a probe, and passes the exchange to `keep` as soon as it is complete. */
export type Transmit = (probe: Probe, place: SeriesPosition, keep: (exchange: Exchange) => void) => Promise<void>;

/** Creates a sender that sends each probe once, and stores the exchange after `onExchange`. */
export const createSender = (transmit: Transmit, store: Store, onExchange: (exchange: Exchange) => void): Sender => {
  const underWay = new Map<string, Promise<void>>();

  const exchange = async (id: string, probe: Probe, place: SeriesPosition): Promise<void> => {
    try {
      await transmit(probe, place, (seen) => {
        onExchange(seen);
        store.add(seen);
      });
    } finally {
      underWay.delete(id);
    }
  };

  const send = (id: string, probe: Probe, place: SeriesPosition): Promise<void> => {
    const known = underWay.get(id);
    if (known) return known;
    const sent = exchange(id, probe, place);
    underWay.set(id, sent);
    return sent;
  };

  const sendOne = (probe: Probe, ahead: boolean): Promise<void> | undefined => {
    const id = exchangeId(probe);
    return store.has(id) ? undefined : send(id, probe, { priority: ahead });
  };

  const sendSeries = async (series: Series, ahead: boolean): Promise<void> => {
    let before: object | undefined;
    let since: number | undefined;
    for (const [index, probe] of series.entries()) {
      const next = series[index + 1];
      const keepFor = next?.connection === 'keyed' ? {} : undefined;
      // The next probe needs the connection of this one. If this one was sent earlier, its
      // connection is gone, so it is sent again.
      if (next && keepFor && !store.has(exchangeId(next))) store.forget(exchangeId(probe));
      const id = exchangeId(probe);
      const isNew = !store.has(id);
      if (isNew)
        await send(id, probe, { priority: ahead || index > 0, follows: index > 0, keepFor, after: before, since });
      before = keepFor;
      // The end of a probe that was sent earlier is not known.
      since = isNew ? performance.now() : undefined;
    }
  };

  return {
    get: (id) => store.get(id),
    send: async (all, ahead = false) => {
      await Promise.all(
        // Single probes skip `sendSeries`: most series have one probe, and thousands may wait.
        all.map((series) => {
          const [probe, next] = series;
          return probe && !next ? sendOne(probe, ahead) : sendSeries(series, ahead);
        }),
      );
    },
  };
};
