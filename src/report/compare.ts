import { driftOf, isComparable } from '../engine/facts.js';
import type { Change } from '../engine/judge-again.js';
import { type Outcome, outcomes, type Verdict } from '../engine/outcomes.js';
import type { ClauseResult, Drift, Finding } from '../engine/results.js';
import { counted, moment } from '../words.js';
import { type ComparedCause, compareCauses } from './compared-causes.js';
import { findingsById, isDeviation, type RunSummary } from './run-summary.js';

/** One clause or check over all compared runs, in their order. */
export interface ComparedRow {
  readonly id: string;
  readonly kind: 'clause' | 'check';
  readonly text: string;
  /** `undefined` where a run does not have it. */
  readonly outcomes: readonly (Outcome | undefined)[];
  readonly reasons: readonly (string | undefined)[];
  readonly differs: boolean;
}

export interface Regression extends Change {
  readonly run: number;
  /** Of the later run’s finding. */
  readonly cause?: Finding['cause'];
  /** Title of the later run’s cause that the check has, or waits for. */
  readonly under?: string;
  /** The check waits for that cause. */
  readonly waits?: true;
}

export interface ComparedRun {
  /** The target's name, with the time of the run where another run has that name too. */
  readonly name: string;
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly verdict: Verdict;
  readonly summary: RunSummary;
  readonly page?: string;
}

/** A fact that a later run saw otherwise than the first. */
export interface ComparedDrift extends Drift {
  readonly run: number;
}

/** `runs`: those that a user named. `targets`: the deployments that one command judged. */
export type ComparisonKind = 'runs' | 'targets';

export interface Comparison {
  readonly kind: ComparisonKind;
  readonly runs: readonly ComparedRun[];
  /** False when the contracts differ. Checks that only some runs have are then no regressions. */
  readonly sameContract: boolean;
  readonly causes: readonly ComparedCause[];
  /** What later runs saw otherwise than the first; empty for deployments side by side. */
  readonly drift: readonly ComparedDrift[];
  /** Differences first, otherwise in the order of the contract. */
  readonly clauses: readonly ComparedRow[];
  readonly checks: readonly ComparedRow[];
  readonly regressions: readonly Regression[];
  /** True when a later run is worse than the first: exit 1 of `compare`. */
  readonly regressed: boolean;
}

/** Higher is worse. Observed and excluded weigh the same as passed. */
const weightOf = (finding: Finding | undefined): number => {
  if (!finding) return 0;
  if (isDeviation(finding) && finding.outcome === 'failed') return 2;
  return { failed: 4, inconclusive: 3, blocked: 3, lenient: 1, passed: 0, observed: 0, excluded: 0 }[finding.outcome];
};

const worstVerdictLast: readonly Verdict[] = ['conformant', 'deviating', 'incomplete', 'drifted', 'non-conformant'];

const isWorse = (run: { readonly verdict: Verdict }, first: { readonly verdict: Verdict }): boolean =>
  worstVerdictLast.indexOf(run.verdict) > worstVerdictLast.indexOf(first.verdict);

const repeated = (labels: readonly string[]): ReadonlySet<string> =>
  new Set(labels.filter((label, at) => labels.indexOf(label) !== at));

/** Names of runs: of the target, with the run's time and a number as far as they are the same. */
const labelsOf = (runs: readonly Pick<RunSummary, 'target' | 'startedAt'>[]): readonly string[] => {
  const names = runs.map(({ target }) => target.name);
  const sameName = repeated(names);
  const timed = (seconds: boolean): readonly string[] =>
    runs.map(({ startedAt }, at) => {
      const name = names[at] ?? '';
      return sameName.has(name) ? `${name}, ${moment(startedAt, seconds)}` : name;
    });
  const short = timed(false);
  const labels = repeated(short).size === 0 ? short : timed(true);
  const sameLabel = repeated(labels);
  return labels.map((label, at) => (sameLabel.has(label) ? `${label} (${at + 1})` : label));
};

/**
 * Compares runs with the first one: production with staging, or a release with the one before.
 * With the same contract, a check that is missing in a later run counts as a regression too, unless
 * one of the two was limited to some checks.
 * @throws RangeError for fewer than two runs
 */
export const compareRuns = (
  summaries: readonly RunSummary[],
  {
    kind = 'runs',
    pages = [],
  }: { readonly kind?: ComparisonKind; readonly pages?: readonly (string | undefined)[] } = {},
): Comparison => {
  const [first, ...later] = summaries;
  if (!first || later.length === 0) throw new RangeError('comparing takes two results files or more');
  const sameContract = summaries.every(({ contract }) => contract.sha256 === first.contract.sha256);
  const before = findingsById(first);
  const regressions = later.flatMap((run, index) =>
    regressionsOf(before, findingsById(run), index + 1, sameContract && !isPart(first) && !isPart(run)).map(
      withCauseIn(run),
    ),
  );
  const labels = labelsOf(summaries);
  return {
    kind,
    runs: summaries.map((summary, at) => ({
      name: labels[at] ?? summary.target.name,
      baseUrl: summary.target.baseUrl,
      startedAt: summary.startedAt,
      verdict: summary.verdict,
      summary,
      ...(pages[at] === undefined ? {} : { page: pages[at] }),
    })),
    sameContract,
    causes: compareCauses(summaries),
    drift: kind === 'runs' ? later.flatMap((summary, index) => driftSince(first, summary, index + 1)) : [],
    clauses: comparedRows(
      'clause',
      summaries.map(({ clauses }) => clauses),
    ),
    checks: comparedRows(
      'check',
      summaries.map(({ checks }) => checks.map((check) => ({ ...check, text: check.title }))),
    ),
    // Failures first.
    regressions: [...regressions].sort((one, other) => orderOf(one.after) - orderOf(other.after)),
    regressed: regressions.length > 0 || later.some((run) => isWorse(run, first)),
  };
};

/** Whether a run was limited to some checks, so that the others are missing in it. */
const isPart = ({ recording }: RunSummary): boolean => recording.part === true;

const driftSince = (first: RunSummary, later: RunSummary, run: number): readonly ComparedDrift[] => {
  const baseline = Object.fromEntries(first.facts.filter(isComparable).map(({ id, value }) => [id, value]));
  return driftOf(baseline, {
    facts: later.facts,
    checks: later.checks,
    whole: later.complete && !isPart(later),
    sameContract: first.contract.sha256 === later.contract.sha256,
  }).map((drift) => ({ ...drift, run }));
};

/** Adds to a regression the cause that its check has or waits for. */
const withCauseIn = (run: RunSummary): ((regression: Regression) => Regression) => {
  const places = new Map<string, Pick<Regression, 'under' | 'waits'>>();
  for (const { title, checks, waiting } of run.causes) {
    for (const check of waiting) places.set(check, { under: title, waits: true });
    for (const check of checks) places.set(check, { under: title });
  }
  return (regression) => ({ ...regression, ...places.get(regression.check) });
};

type Compared = Pick<ClauseResult, 'id' | 'text' | 'outcome' | 'reason'>;

/** A row for each id that any run has. Differences come first, the worst before the others. */
const comparedRows = (kind: ComparedRow['kind'], runs: readonly (readonly Compared[])[]): readonly ComparedRow[] => {
  const byId = runs.map((all) => new Map(all.map((one) => [one.id, one])));
  const ids = new Set(runs.flat().map(({ id }) => id));
  const rows = [...ids].map((id): ComparedRow => {
    const own = byId.map((known) => known.get(id));
    const text = own.find((one) => one !== undefined)?.text ?? id;
    const seen = own.map((one) => one?.outcome);
    const reasons = kind === 'check' ? own.map((one) => one?.reason) : [];
    return { id, kind, text, outcomes: seen, reasons, differs: new Set(seen).size > 1 };
  });
  const different = rows.filter(({ differs }) => differs).sort((one, other) => worstOf(one) - worstOf(other));
  return [...different, ...rows.filter(({ differs }) => !differs)];
};

const regressionsOf = (
  before: ReadonlyMap<string, Finding>,
  after: ReadonlyMap<string, Finding>,
  run: number,
  sameChecks: boolean,
): Regression[] => {
  const worse = [...after.values()].flatMap((finding): Regression[] => {
    const { id, title, outcome, reason, cause } = finding;
    const was = before.get(id);
    if ((!was && !sameChecks) || weightOf(finding) <= weightOf(was)) return [];
    return [{ check: id, title, run, before: was?.outcome, after: outcome, reason, ...(cause ? { cause } : {}) }];
  });
  const gone = [...before.values()].flatMap(({ id, title, outcome }): Regression[] => {
    if (after.has(id) || outcome === 'excluded' || outcome === 'failed') return [];
    const reason = 'The later run has no such check.';
    return [{ check: id, title, run, before: outcome, after: undefined, reason }];
  });
  return sameChecks ? [...worse, ...gone] : worse;
};

const order = outcomes.map(({ outcome }) => outcome);
const orderOf = (outcome: Outcome | undefined): number =>
  outcome === undefined ? order.length : order.indexOf(outcome);
const worstOf = (compared: ComparedRow): number => Math.min(...compared.outcomes.map(orderOf));

export const haveCommonChecks = (checks: Comparison['checks']): boolean =>
  checks.some(({ outcomes: seen }) => seen.filter((outcome) => outcome !== undefined).length > 1);

/** ` (deviating → non-conformant)` where the verdict is another one than that of the first run. */
const changeOf = (first: ComparedRun, run: ComparedRun): string =>
  run.verdict === first.verdict ? '' : ` (${first.verdict} → ${run.verdict})`;

/** `1 of 3 deployments conformant`; of runs, their differences. */
export const comparisonSentence = (comparison: Comparison): string => {
  const { kind, runs } = comparison;
  const conformant = runs.filter(({ verdict }) => verdict === 'conformant').length;
  return kind === 'targets'
    ? `${conformant} of ${counted(runs.length, 'deployment')} conformant`
    : differencesSentence(comparison);
};

/** `Worse than staging in 2 checks: production (conformant → non-conformant)`, one line. */
export const differencesSentence = ({ runs, regressions, regressed, checks }: Comparison): string => {
  const [first, ...later] = runs;
  if (first && regressed) {
    const worse =
      regressions.length > 0
        ? [...new Set(regressions.map(({ run }) => run))].flatMap((at) => runs[at] ?? [])
        : later.filter((run) => isWorse(run, first));
    const where = regressions.length > 0 ? ` in ${counted(regressions.length, 'check')}` : '';
    return `Worse than ${first.name}${where}: ${worse.map((run) => `${run.name}${changeOf(first, run)}`).join(', ')}`;
  }
  if (!first || !haveCommonChecks(checks)) return 'Nothing to compare: the runs have no check in common';
  const different = checks.filter(({ differs }) => differs).length;
  if (different === 0) return 'No difference: every check has the same outcome in all runs';
  const [second, ...others] = later;
  const change = second && others.length === 0 ? changeOf(first, second) : '';
  return `Nothing is worse than in the first run${change}; ${counted(different, 'check differs', 'checks differ')}`;
};
