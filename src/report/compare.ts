import type { Drift } from '../engine/fact-results.js';
import { driftOf, isComparable } from '../engine/facts.js';
import { type Outcome, outcomes, type Verdict } from '../engine/outcomes.js';
import type { Finding } from '../engine/results.js';
import { counted } from '../words.js';
import { type ComparedCause, compareCauses } from './compare-causes.js';
import { labelsOf } from './run-labels.js';
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

/** A check that is worse in a later run than in the first. */
export interface Regression {
  readonly check: string;
  readonly title: string;
  /** Index of the later run. */
  readonly run: number;
  readonly before: Outcome | undefined;
  readonly after: Outcome | undefined;
  readonly reason: string;
  /** Of the later run’s finding. */
  readonly cause?: Finding['cause'];
  /** Title of the later run’s cause that the check has, or waits for. */
  readonly under?: string;
  /** It waits for that cause. */
  readonly waits?: true;
}

export interface ComparedRun {
  /** The target's name, with the time of the run where another run has that name too. */
  readonly name: string;
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly verdict: Verdict;
  readonly summary: RunSummary;
  /** Path of its own report, where there is one. */
  readonly page?: string;
}

/** A fact that a later run saw otherwise than the first. */
export interface ComparedDrift extends Drift {
  /** Index of the later run. */
  readonly run: number;
}

/**
 * `runs`: of one deployment over time, or whatever was named. `targets`: deployments that one
 * command judged.
 */
export type ComparisonKind = 'runs' | 'targets';

export interface Comparison {
  readonly kind: ComparisonKind;
  readonly runs: readonly ComparedRun[];
  /** False when the contracts differ. Checks that only some runs have are then no regressions. */
  readonly sameContract: boolean;
  /** New ones first. */
  readonly causes: readonly ComparedCause[];
  /**
   * What later runs saw of the deployment otherwise than the first; empty for deployments side by
   * side.
   */
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

const verdictWeight: Readonly<Record<Verdict, number>> = {
  conformant: 0,
  deviating: 1,
  incomplete: 2,
  drifted: 3,
  'non-conformant': 4,
};

/**
 * Compares runs with the first one: production with staging, or a release with the one before.
 * With the same contract, a check that is missing in a later run counts as a regression too.
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
  const findings = summaries.map(findingsById);
  const checks = union(summaries.map((summary) => summary.checks.map(({ id }) => id))).map((id): ComparedRow => {
    const own = findings.map((byId) => byId.get(id));
    return row(
      'check',
      id,
      own.find((finding) => finding)?.title ?? id,
      own.map((finding) => finding?.outcome),
      own.map((finding) => finding?.reason),
    );
  });
  const clausesById = summaries.map((summary) => new Map(summary.clauses.map((clause) => [clause.id, clause])));
  const clauses = union(summaries.map((summary) => summary.clauses.map(({ id }) => id))).map((id): ComparedRow => {
    const own = clausesById.map((byId) => byId.get(id));
    return row(
      'clause',
      id,
      own.find((clause) => clause)?.text ?? id,
      own.map((clause) => clause?.outcome),
      [],
    );
  });
  const regressions = later.flatMap((_, index) =>
    regressionsOf(findings[0] ?? new Map(), findings[index + 1] ?? new Map(), index + 1, sameContract).map(
      withCauseIn(summaries[index + 1]),
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
    clauses: differencesFirst(clauses),
    checks: differencesFirst(checks),
    // Failures first.
    regressions: [...regressions].sort((one, other) => orderOf(one.after) - orderOf(other.after)),
    regressed:
      regressions.length > 0 || later.some((summary) => verdictWeight[summary.verdict] > verdictWeight[first.verdict]),
  };
};

/** What a run saw otherwise than the first one. */
const driftSince = (first: RunSummary, later: RunSummary, run: number): readonly ComparedDrift[] => {
  const baseline = Object.fromEntries(first.facts.filter(isComparable).map(({ id, value }) => [id, value]));
  return driftOf(baseline, {
    facts: later.facts,
    checks: later.checks,
    whole: later.complete && later.recording.part !== true,
    sameContract: first.contract.sha256 === later.contract.sha256,
  }).map((drift) => ({ ...drift, run }));
};

/**
 * Says of a check that became worse which cause it has or waits for, so that it stands under that.
 */
const withCauseIn = (run: RunSummary | undefined): ((regression: Regression) => Regression) => {
  const places = new Map<string, Pick<Regression, 'under' | 'waits'>>();
  for (const { title, checks, waiting } of run?.causes ?? []) {
    for (const check of waiting) places.set(check, { under: title, waits: true });
    for (const check of checks) places.set(check, { under: title });
  }
  return (regression) => ({ ...regression, ...places.get(regression.check) });
};

const row = (
  kind: ComparedRow['kind'],
  id: string,
  text: string,
  own: ComparedRow['outcomes'],
  reasons: ComparedRow['reasons'],
): ComparedRow => ({
  id,
  kind,
  text,
  outcomes: own,
  reasons,
  differs: new Set(own).size > 1,
});

const regressionsOf = (
  before: ReadonlyMap<string, Finding>,
  after: ReadonlyMap<string, Finding>,
  run: number,
  sameContract: boolean,
): Regression[] => {
  const worse: Regression[] = [];
  for (const [id, finding] of after) {
    const was = before.get(id);
    if ((was || sameContract) && weightOf(finding) > weightOf(was)) {
      worse.push({
        check: id,
        title: finding.title,
        run,
        before: was?.outcome,
        after: finding.outcome,
        reason: finding.reason,
        ...(finding.cause ? { cause: finding.cause } : {}),
      });
    }
  }
  if (!sameContract) return worse;
  for (const [id, was] of before) {
    if (after.has(id) || was.outcome === 'excluded' || was.outcome === 'failed') continue;
    worse.push({
      check: id,
      title: was.title,
      run,
      before: was.outcome,
      after: undefined,
      reason: 'The later run has no such check.',
    });
  }
  return worse;
};

/** Every id once, in the order of the first list that has it. */
const union = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];

const order = outcomes.map(({ outcome }) => outcome);
const orderOf = (outcome: Outcome | undefined): number =>
  outcome === undefined ? order.length : order.indexOf(outcome);
const worstOf = (compared: ComparedRow): number => Math.min(...compared.outcomes.map(orderOf));

const differencesFirst = (rows: readonly ComparedRow[]): readonly ComparedRow[] => [
  ...rows.filter(({ differs }) => differs).sort((one, other) => worstOf(one) - worstOf(other)),
  ...rows.filter(({ differs }) => !differs),
];

/** Whether any check is in more than one of the runs. */
export const haveCommonChecks = (checks: Comparison['checks']): boolean =>
  checks.some(({ outcomes: seen }) => seen.filter((outcome) => outcome !== undefined).length > 1);

/** `1 of 3 deployments conformant` */
const deploymentsSentence = ({ runs }: Comparison): string =>
  `${runs.filter(({ verdict }) => verdict === 'conformant').length} of ${counted(runs.length, 'deployment')} conformant`;

/** ` (deviating → non-conformant)` where the verdict is another one than that of the first run. */
const changeOf = (first: ComparedRun | undefined, run: ComparedRun | undefined): string =>
  !first || !run || run.verdict === first.verdict ? '' : ` (${first.verdict} → ${run.verdict})`;

/**
 * The comparison in one line: `1 of 3 deployments conformant` of targets, `differencesSentence` of
 * runs.
 */
export const comparisonSentence = (comparison: Comparison): string =>
  comparison.kind === 'targets' ? deploymentsSentence(comparison) : differencesSentence(comparison);

/** `Worse than staging in 2 checks: production (conformant → non-conformant)`, one line. */
export const differencesSentence = ({ runs, regressions, regressed, checks }: Comparison): string => {
  const different = checks.filter(({ differs }) => differs).length;
  const [first, ...later] = runs;
  if (regressed && regressions.length === 0) {
    const worse = later.filter(({ verdict }) => first && verdictWeight[verdict] > verdictWeight[first.verdict]);
    return `Worse than ${first?.name ?? 'the first run'}: ${worse.map((run) => `${run.name}${changeOf(first, run)}`).join(', ')}`;
  }
  if (regressed) {
    const which = [...new Set(regressions.map(({ run }) => run))].map(
      (at) => `${runs[at]?.name ?? `run ${at + 1}`}${changeOf(first, runs[at])}`,
    );
    return `Worse than ${first?.name ?? 'the first run'} in ${counted(regressions.length, 'check')}: ${which.join(', ')}`;
  }
  if (!haveCommonChecks(checks)) return 'Nothing to compare: the runs have no check in common';
  if (different === 0) return 'No difference: every check has the same outcome in all runs';
  const change = later.length === 1 ? changeOf(first, later[0]) : '';
  return `Nothing is worse than in the first run${change}; ${counted(different, 'check differs', 'checks differ')}`;
};
