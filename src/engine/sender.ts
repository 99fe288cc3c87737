import { exchangeId } from '../wire/exchange-id.js';
import type { Exchange, Probe, SeriesPosition } from '../wire/types.js';
import type { Sender, Series } from './ask.js';
import type { Store } from './store.js';

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
      // The next probe needs the connection of this one. If this one was sent earlier, that
      // connection is gone, so it is sent again.
      if (next && keepFor && !store.has(exchangeId(next))) store.forget(exchangeId(probe));
      const id = exchangeId(probe);
      const isNew = !store.has(id);
      if (isNew)
        await send(id, probe, { priority: ahead || index > 0, follows: index > 0, keepFor, after: before, since });
      before = keepFor;
      // It is not known when a probe that was sent earlier ended.
      since = isNew ? performance.now() : undefined;
    }
  };

  return {
    get: (id) => store.get(id),
    send: async (all, ahead = false) => {
      await Promise.all(
        // Most series have one probe, and thousands wait, so single probes skip `sendSeries`.
        all.map((series) => {
          const [probe, next] = series;
          return probe && !next ? sendOne(probe, ahead) : sendSeries(series, ahead);
        }),
      );
    },
  };
};
