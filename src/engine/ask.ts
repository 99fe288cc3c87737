import { memoizePerObject } from '../collections.js';
import type { Ask, Judgement } from '../rules/rule.js';
import { exchangeId } from '../wire/exchange-id.js';
import type { Exchange, Probe } from '../wire/types.js';

export { exchangeId };

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
  /** @throws NotSentYet with every series that has an unsent probe, to send all in parallel */
  const find = (all: readonly Series[]): readonly Exchange[] => {
    const found: Exchange[] = [];
    const open: Series[] = [];
    for (const series of all) {
      for (const probe of series) {
        const exchange = get(probe);
        if (exchange) found.push(exchange);
        else if (open.at(-1) !== series) open.push(series);
      }
    }
    if (open.length > 0) throw new NotSentYet(open);
    return found;
  };
  const one = (probe: Probe): Exchange => {
    const exchange = get(probe);
    if (!exchange) throw new NotSentYet([[probe]]);
    return exchange;
  };
  const each = <Item, Done>(items: readonly Item[], work: (item: Item, index: number) => Done): readonly Done[] => {
    const open: Series[] = [];
    const done = items.flatMap((item, index) => {
      try {
        return [work(item, index)];
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
    all: ((probes: readonly Probe[]) => find(probes.map((probe) => [probe]))) as Ask['all'],
    inSeries: (...series: readonly Series[]) => find(series),
  });
});

/** Maximum number of calls of one judge; protects against a rule that always asks for more. */
const mostRounds = 100;

/**
 * Calls the judge until all probes that it asks for were sent.
 * @param goesAhead queue follow-up requests before those of other checks, so that the exchanges of
 * one check are close in time
 */
export const judgeThrough = async (
  judge: (ask: Ask) => Judgement,
  sender: Sender,
  goesAhead = true,
): Promise<Judgement> => {
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
