import type { Finding, RunRecord, StoredExchange } from '../engine/results.js';
import type { BodyFacts } from '../wire/body-facts.js';
import { decisiveId, openFindings, type RunHead } from './sentences.js';

/** What an answer was, without its text: enough to say why two answers count as the same. */
export interface Answer {
  readonly name: string;
  readonly status: number;
  readonly facts: BodyFacts;
}

/** As many findings have their curl line in front; the others have it in their place further down. */
const mostDecisive = 2_000;
/** As many findings have their comparison spelled out. */
const mostCompared = 60;
/** As many exchanges are in the page; of a longer run those of the checks that did not pass, the rest is in `results.json` alone. */
const mostInPage = 20_000;

/** The few exchanges that reports need at hand, picked out while all of them stream past once. */
export class Evidence {
  /** The exchanges that show what failed, was lenient or open, by id, without bodies. */
  readonly decisive = new Map<string, StoredExchange>();
  /** Answers to compare, by exchange id. */
  readonly answers = new Map<string, Answer>();
  /** Ids of the exchanges that the page keeps, where it cannot keep all of them. */
  readonly inPage: ReadonlySet<string> | undefined;
  readonly #decisive: ReadonlySet<string>;
  readonly #compared: ReadonlySet<string>;

  constructor(head: RunHead) {
    const failed = head.checks.filter((finding) => finding.outcome === 'failed');
    const lenient = head.checks.filter((finding) => finding.outcome === 'lenient');
    const shown = [...failed, ...lenient, ...openFindings(head)].slice(0, mostDecisive);
    this.inPage = head.requestsSent > mostInPage ? firstOf(shown) : undefined;
    this.#decisive = new Set(shown.flatMap((finding) => decisiveId(finding) ?? []));
    this.#compared = new Set(
      [...failed, ...lenient]
        .slice(0, mostCompared)
        .flatMap((finding) => [decisiveId(finding) ?? '', ...finding.comparedWith]),
    );
  }

  take(exchange: StoredExchange): void {
    if (this.#decisive.has(exchange.id)) this.decisive.set(exchange.id, withoutBodies(exchange));
    const response = exchange.attempts.at(-1)?.response;
    if (response && this.#compared.has(exchange.id)) {
      this.answers.set(exchange.id, { name: exchange.probe.name, status: response.status, facts: response.shape });
    }
  }
}

const firstOf = (findings: readonly Finding[]): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const { exchanges, comparedWith } of findings) {
    if (ids.size > mostInPage) break;
    for (const id of [...exchanges, ...comparedWith]) ids.add(id);
  }
  return ids;
};

const withoutBodies = (exchange: StoredExchange): StoredExchange => ({
  ...exchange,
  attempts: exchange.attempts.slice(-1).map((attempt) => {
    if (!attempt.response) return attempt;
    const { body: _body, shape, ...response } = attempt.response;
    const { shape: _shape, pieces: _pieces, ...facts } = shape;
    return { ...attempt, response: { ...response, headers: [], shape: { ...facts, values: [] } } };
  }),
});

/** The exchanges that show what failed, was lenient or open, by id: what the console and the CI formats print a curl line of. */
export const decisiveExchanges = async (record: RunRecord): Promise<ReadonlyMap<string, StoredExchange>> => {
  const evidence = new Evidence(record.results);
  for await (const exchange of record.exchanges()) evidence.take(exchange);
  return evidence.decisive;
};
