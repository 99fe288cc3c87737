import { buildResults } from './build-results.js';
import type { JournalEntry, JournalHead } from './journal.js';
import { chunksOf, linesOf } from './json-lines.js';
import type { Finding, Observation, RunRecord } from './results.js';

/** Removes ids of exchanges, which are in the memory of the hanging thread and cannot be read. */
const withoutExchanges = ({ readings: _, steps: _steps, ...finding }: Finding): Finding => ({
  ...finding,
  exchanges: [],
  comparedWith: [],
});

/** The parsed lines of a journal. A full disk may have truncated the last one. */
async function* valuesIn(descriptor: number): AsyncGenerator<unknown> {
  for await (const line of linesOf(chunksOf(descriptor))) {
    try {
      yield JSON.parse(line);
    } catch (error) {
      if (error instanceof SyntaxError) return;
      throw error;
    }
  }
}

/** Builds the results of a killed run from its journal; `undefined` without a first line. */
export const unfinishedRun = async (descriptor: number): Promise<RunRecord | undefined> => {
  let head: JournalHead | undefined;
  const findings = new Map<string, Finding>();
  const observations: Observation[] = [];
  let requestsSent = 0;
  for await (const value of valuesIn(descriptor)) {
    if (!head) {
      head = value as JournalHead;
      continue;
    }
    const entry = value as JournalEntry;
    // A `Map` keeps the position of a key that is set again.
    findings.set(entry.finding.id, withoutExchanges(entry.finding));
    observations.push(...entry.observations.map((one) => ({ ...one, exchanges: [] })));
    requestsSent = Math.max(requestsSent, entry.requestsSent);
  }
  if (!head) return undefined;
  return {
    results: buildResults(head.results, head, {
      checks: [...findings.values()],
      observations,
      strict: head.strict,
      complete: false,
      durationMs: Math.max(0, Date.now() - Date.parse(head.results.startedAt)),
      requestsSent,
      exchange: () => undefined,
    }),
    async *exchanges() {},
    async dispose() {},
  };
};
