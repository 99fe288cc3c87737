import type { Judgement, Look } from '../rules/rule.js';
import { exchangeId } from '../wire/identity.js';
import type { Exchange, Probe } from '../wire/types.js';

export { exchangeId };

/** Thrown by a look at probes that were not sent yet: a judge is called again when they were. No error: it needs no stack. */
class NotSentYet {
  readonly probes: readonly Probe[];
  readonly inTurn: boolean;
  constructor(probes: readonly Probe[], inTurn: boolean) {
    this.probes = probes;
    this.inTurn = inTurn;
  }
}

export interface Sender {
  get(id: string): Exchange | undefined;
  send(probes: readonly Probe[], inTurn: boolean): Promise<void>;
}

const lookThrough = (sender: Sender): Look => {
  const find = (probes: readonly Probe[], inTurn: boolean): readonly Exchange[] => {
    const found: Exchange[] = [];
    const open: Probe[] = [];
    for (const probe of probes) {
      const exchange = sender.get(exchangeId(probe));
      if (exchange) found.push(exchange);
      else open.push(probe);
    }
    if (open.length > 0) throw new NotSentYet(inTurn ? probes : open, inTurn);
    return found;
  };
  const one = (probe: Probe): Exchange => {
    const [exchange] = find([probe], false);
    if (!exchange) throw new TypeError('a look finds an exchange or throws');
    return exchange;
  };
  return Object.assign(one, {
    all: (probes: readonly Probe[]) => find(probes, false),
    inTurn: (probes: readonly Probe[]) => find(probes, true),
  });
};

/** Far more than any judge asks in turn; past it a rule asks for ever. */
const mostRounds = 100;

/** Calls the judge until everything it looks at was sent. */
export const judgeThrough = async (judge: (look: Look) => Judgement, sender: Sender): Promise<Judgement> => {
  const look = lookThrough(sender);
  for (let round = 0; round < mostRounds; round += 1) {
    try {
      return judge(look);
    } catch (error) {
      if (!(error instanceof NotSentYet)) throw error;
      await sender.send(error.probes, error.inTurn);
    }
  }
  throw new Error('a rule looked at ever more probes');
};
