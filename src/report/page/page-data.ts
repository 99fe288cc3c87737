import { groupBy } from '../../collections.js';
import { nameOfOperation } from '../../engine/causes/titles.js';
import { outcomes } from '../../engine/outcomes.js';
import type { Finding } from '../../engine/results.js';
import type { RunSummary } from '../run-summary.js';
import { capitalised, visible } from '../text.js';

/**
 * What the page's script makes rows of when somebody opens, searches or sorts: JSON in a script
 * element, which browsers do not run. All texts are visible ones; the script inserts them as text.
 */

/** A clause or a gap, with the checks that are listed under it. */
export interface CheckGroup {
  /** `''` for checks of neither. */
  readonly id: string;
  readonly checks: readonly Finding[];
  /** Ids of its checks that are listed under another clause. */
  readonly elsewhere: readonly string[];
  /** What was observed of a gap, with the ids of the checks that saw it. */
  readonly facts: readonly (readonly [fact: string, checks: readonly string[]])[];
}

/** Places of a run, each check in one of them. */
export interface Places {
  readonly clauses: readonly CheckGroup[];
  readonly gaps: readonly CheckGroup[];
  /** Checks of no clause and no gap. */
  readonly rest: CheckGroup;
}

export const placesOf = (run: RunSummary): Places => {
  const known = new Set(run.clauses.map(({ id }) => id));
  // Of several gaps that a check observes, the first one lists it.
  const gapOf = new Map(
    [...run.gaps].reverse().flatMap((gap) => gap.observations.map(({ check }) => [check, gap.id] as const)),
  );
  const under = groupBy(
    run.checks,
    ({ id, clauses }) => clauses.find((clause) => known.has(clause)) ?? gapOf.get(id) ?? '',
  );
  const checksOf = (id: string): readonly Finding[] => under.get(id) ?? [];
  return {
    clauses: run.clauses.map(({ id, checks }) => {
      const own = new Set(checksOf(id).map((check) => check.id));
      return { id, checks: checksOf(id), elsewhere: checks.filter((check) => !own.has(check)), facts: [] };
    }),
    gaps: run.gaps.map(({ id, observations }) => ({
      id,
      checks: checksOf(id),
      elsewhere: [],
      facts: [...groupBy(observations, ({ fact }) => fact)].map(
        ([fact, seen]) => [fact, seen.map(({ check }) => check)] as const,
      ),
    })),
    rest: { id: '', checks: checksOf(''), elsewhere: [], facts: [] },
  };
};

/** Checks written at a time. */
const atATime = 1_024;

const json = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** Numbers strings in the order of their first appearance. */
const numbering = (): { readonly texts: string[]; readonly of: (text: string) => number } => {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    texts,
    of: (text) => {
      const before = numbers.get(text);
      if (before !== undefined) return before;
      numbers.set(text, texts.length);
      texts.push(text);
      return texts.length - 1;
    },
  };
};

interface PageData {
  readonly run: RunSummary;
  readonly places: readonly CheckGroup[];
  /** HTML of a rule's explanation. */
  readonly explanation: (rule: string) => string;
  readonly checksInBlock: number;
}

/**
 * The data in pieces:
 * - `outcomes`: name, sign and colour family;
 * - `operations`: id, name, access and cells of the matrix, each `[documented, seen, check]`;
 * - `rules`: id, title, clauses and explanation;
 * - `checks`: numbers of rule, operation, outcome and reason;
 * - `places`: the clauses and gaps, with their checks and facts.
 */
export function* pageData({ run, places, explanation, checksInBlock }: PageData): Generator<string> {
  const reasons = numbering();
  const operations = numbering();
  for (const { id } of run.operations) operations.of(id);
  const rules = numbering();
  const numbers = new Map(run.checks.map(({ id }, number) => [id, number]));
  const cells = groupBy(run.matrix, ({ operation }) => operation);
  const known = new Map(run.operations.map((operation) => [operation.id, operation]));

  yield '<script type="application/json" id="data">{';
  yield `"checksInBlock":${checksInBlock},`;
  yield `"outcomes":${json(outcomes.map(({ outcome, glyph, tone }) => [outcome, glyph, tone]))},`;
  yield '"checks":[';
  for (let from = 0; from < run.checks.length; from += atATime) {
    const rows = run.checks
      .slice(from, from + atATime)
      .map(({ rule, operation, outcome, reason }) =>
        json([
          rules.of(rule),
          operations.of(operation),
          outcomes.findIndex((each) => each.outcome === outcome),
          reasons.of(reason),
        ]),
      );
    yield `${from > 0 ? ',' : ''}${rows.join()}`;
  }
  yield '],"operations":[';
  for (const [number, id] of operations.texts.entries()) {
    const operation = known.get(id);
    const row = [
      visible(id),
      visible(nameOfOperation(id, known)),
      operation?.access ?? '',
      (cells.get(id) ?? []).map(({ documented, seen, check }) => [documented, seen, numbers.get(check ?? '') ?? -1]),
    ];
    yield `${number > 0 ? ',' : ''}${json(row)}`;
  }
  yield '],"reasons":[';
  for (const [number, reason] of reasons.texts.entries())
    yield `${number > 0 ? ',' : ''}${json(capitalised(visible(reason)))}`;
  yield '],';
  yield `"rules":${json(rulesOf(run.checks, rules.texts, explanation))},`;
  yield '"places":[';
  for (const [at, { id, checks, elsewhere, facts }] of places.entries())
    yield `${at > 0 ? ',' : ''}${json({
      id: visible(id),
      checks: checks.map((check) => numbers.get(check.id) ?? -1),
      elsewhere: elsewhere.map((check) => numbers.get(check) ?? -1),
      facts: facts.map(([fact, seen]) => [
        capitalised(visible(fact)),
        seen.map((check) => numbers.get(check) ?? -1).filter((number) => number >= 0),
      ]),
    })}`;
  yield ']}</script>\n';
}

const rulesOf = (
  checks: readonly Finding[],
  ids: readonly string[],
  explanation: (rule: string) => string,
): readonly (readonly [string, string, readonly string[], string])[] => {
  const clauses = new Map<string, Set<string>>();
  const titles = new Map<string, string>();
  for (const { rule, title, clauses: own } of checks) {
    titles.set(rule, title);
    const all = clauses.get(rule) ?? new Set();
    for (const clause of own) all.add(visible(clause));
    clauses.set(rule, all);
  }
  return ids.map((id) => [
    visible(id),
    capitalised(visible(titles.get(id) ?? id)),
    [...(clauses.get(id) ?? [])],
    explanation(id),
  ]);
};
