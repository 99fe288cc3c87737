import { memoizePerObject } from '../collections.js';
import type { Ask, Judgement } from '../rules/rule.js';
import { exchangeId } from '../wire/exchange-id.js';
import type { Exchange, Probe } from '../wire/types.js';

export { exchangeId };

/**
 * Thrown when a judge asks for probes that were not sent yet; the judge is called again afterwards.
 * It is no Error, since it needs no stack.
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
   * Sends every series, side by side; what was sent before is not sent again.
   * @param ahead before all that waits to be sent
   */
  send(series: readonly Series[], ahead?: boolean): Promise<void>;
}

const askThrough = memoizePerObject((sender: Sender): Ask => {
  const get = (probe: Probe): Exchange | undefined => sender.get(exchangeId(probe));
  /**
   * @throws NotSentYet for every series of which something was not sent, at once: they go side by
   * side
   */
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

/** Upper bound of rounds of one judge; a rule that exceeds it never ends. */
const mostRounds = 100;

/**
 * Calls the judge again until all probes that it asks for were sent.
 * @param goesAhead what it has begun comes before what others begin: its answers follow one another
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
