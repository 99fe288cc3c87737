import { canonicalText, groupBy, sum } from '../collections.js';
import { factName } from '../engine/facts.js';
import type { FactResult } from '../engine/results.js';
import type { RunSummary } from '../report/run-summary.js';
import { mergeSchemas, type Schema } from '../rules/support/body-schema.js';

/** How well the reads of a fact agree. `merged`: they differ, and one schema fits all. */
type Surety = 'same' | 'merged' | 'once' | 'differs';

export const suretyWords: Readonly<Record<Surety, string>> = {
  same: 'the same each time',
  merged: 'made of structures that differ',
  once: 'read once',
  differs: 'reads differ',
};

/** What several runs saw of one fact. */
export interface SeenInRuns extends Pick<FactResult, 'check' | 'gap' | 'id' | 'reads' | 'value' | 'words'> {
  readonly operation: string | undefined;
  readonly runs: number;
  /** When the last of the runs began, ISO 8601. */
  readonly last: string;
  readonly surety: Surety;
}

interface DatedFact {
  readonly fact: FactResult;
  readonly startedAt: string;
}

const readsOf = (shown: readonly DatedFact[]): number => sum(shown.map(({ fact }) => fact.reads));

const suretyOf = (shown: readonly DatedFact[], isSchema: boolean): Surety => {
  const differ = new Set(shown.map(({ fact }) => canonicalText(fact.value))).size > 1;
  if (shown.some(({ fact }) => fact.volatile === true) || (differ && !isSchema)) return 'differs';
  if (readsOf(shown) < 2) return 'once';
  return differ ? 'merged' : 'same';
};

/** Facts of all runs by id. */
export const seenIn = (runs: readonly RunSummary[]): ReadonlyMap<string, SeenInRuns> => {
  const seen = runs.flatMap(({ facts, startedAt }) => facts.map((fact) => ({ fact, startedAt })));
  const facts = [...groupBy(seen, ({ fact }) => fact.id)].flatMap(([id, each]): SeenInRuns[] => {
    const shown = each.filter(({ fact }) => fact.reads > 0);
    const [latest] = shown.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    if (!latest) return [];
    const values = shown.map(({ fact }) => fact.value);
    const isSchema = factName(latest.fact) === 'schema';
    const value = isSchema ? (mergeSchemas(values as readonly Schema[]) ?? null) : latest.fact.value;
    const { operation, gap, words, check } = latest.fact;
    const [reads, surety] = [readsOf(shown), suretyOf(shown, isSchema)];
    return [{ id, operation, gap, value, words, reads, runs: shown.length, last: latest.startedAt, check, surety }];
  });
  return new Map(facts.map((fact) => [fact.id, fact]));
};
