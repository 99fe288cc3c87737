import type { Finding, RunRecord } from '../engine/results.js';
import type { BodyShape } from '../wire/body-shape.js';
import type { Exchange } from '../wire/types.js';
import { decisiveId, type RunSummary, unjudgedFindings } from './run-summary.js';

/** An answer without its text, for comparing it with another one. */
export interface NamedAnswer {
  readonly name: string;
  readonly status: number;
  readonly shape: BodyShape;
}

/** Number of findings that are shown with a curl line. */
const maxDecisive = 2_000;
/** Number of findings whose comparison is described. */
const maxCompared = 60;
/** Exchanges in the page. In longer runs it has only those of checks that did not pass. */
const maxInPage = 20_000;

/** Keeps the few exchanges that reports need in memory, while all are read once. */
export class Evidence {
  /** The decisive exchanges of findings that did not pass and of drift, by id, without bodies. */
  readonly decisive = new Map<string, Exchange>();
  readonly answers = new Map<string, NamedAnswer>();
  /** Ids of the exchanges in the page; `undefined` when it has all of them. */
  readonly inPage: ReadonlySet<string> | undefined;
  readonly #decisive: ReadonlySet<string>;
  readonly #compared: ReadonlySet<string>;

  constructor(run: RunSummary) {
    const failed = run.checks.filter((finding) => finding.outcome === 'failed');
    const lenient = run.checks.filter((finding) => finding.outcome === 'lenient');
    const shown = [...failed, ...lenient, ...unjudgedFindings(run)].slice(0, maxDecisive);
    const drifted = (run.drift ?? []).slice(0, maxDecisive).flatMap(({ exchanges: [id] }) => id ?? []);
    this.inPage = run.requestsSent > maxInPage ? new Set([...exchangeIdsOf(shown), ...drifted]) : undefined;
    this.#decisive = new Set([...shown.flatMap((finding) => decisiveId(finding) ?? []), ...drifted]);
    this.#compared = new Set(
      [...failed, ...lenient]
        .slice(0, maxCompared)
        .flatMap((finding) => [decisiveId(finding) ?? '', ...finding.comparedWith]),
    );
  }

  take(exchange: Exchange): void {
    if (this.#decisive.has(exchange.id)) this.decisive.set(exchange.id, withoutBodies(exchange));
    const response = exchange.attempts.at(-1)?.response;
    if (response && this.#compared.has(exchange.id)) {
      this.answers.set(exchange.id, { name: exchange.probe.name, status: response.status, shape: response.shape });
    }
  }
}

const exchangeIdsOf = (findings: readonly Finding[]): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const { exchanges, comparedWith } of findings) {
    if (ids.size > maxInPage) break;
    for (const id of [...exchanges, ...comparedWith]) ids.add(id);
  }
  return ids;
};

const withoutBodies = (exchange: Exchange): Exchange => ({
  ...exchange,
  attempts: exchange.attempts.slice(-1).map((attempt) => {
    if (!attempt.response) return attempt;
    const { body: _body, shape, ...response } = attempt.response;
    const { shape: _shape, pieces: _pieces, ...outline } = shape;
    return { ...attempt, response: { ...response, headers: [], shape: { ...outline, values: [] } } };
  }),
});

/** The exchanges behind the curl lines of console and CI formats, by id. */
export const decisiveExchanges = async (record: RunRecord): Promise<ReadonlyMap<string, Exchange>> => {
  const evidence = new Evidence(record.results);
  for await (const exchange of record.exchanges()) evidence.take(exchange);
  return evidence.decisive;
};
