import { groupBy, sum } from '../collections.js';
import { isMissed } from '../engine/coverage.js';
import { isOpen, judges } from '../engine/outcomes.js';
import type { ClauseResult, Coverage, Finding, OperationResult, RunRecord } from '../engine/results.js';
import { connectionRules } from '../engine/unjudged.js';
import { count, counted } from '../words.js';

/** A run without its exchanges, which are too many to keep in memory. */
export type RunSummary = RunRecord['results'];

/** Title and version of the contract, with its overlays and the beginning of their digests. */
export const contractName = ({ title, version, file, overlays = [] }: RunSummary['contract']): string => {
  const name = `${title} ${version}`.trim() || file;
  return overlays.length === 0
    ? name
    : `${name} with ${overlays.length === 1 ? 'the overlay' : 'the overlays'} ${overlays.map(({ file, sha256 }) => `${file} (sha256 ${sha256.slice(0, 12)})`).join(', ')}`;
};

const isBroken = (finding: Finding): boolean => finding.outcome === 'failed' && finding.deviation === undefined;

/** Failed, or lenient under STRICT, and listed in DEVIATIONS. */
export const isDeviation = (finding: Finding): boolean => finding.deviation !== undefined;

export const isUnjudged = (finding: Finding): boolean => isOpen(finding.outcome);

/** Findings that could not be judged, blocked ones last, since others are their cause. */
export const unjudgedFindings = ({ checks }: RunSummary): readonly Finding[] => {
  const all = checks.filter(isUnjudged);
  return [...all.filter(({ outcome }) => outcome !== 'blocked'), ...all.filter(({ outcome }) => outcome === 'blocked')];
};

/** Whether lenient checks count as failures (setting STRICT). */
export const isStrict = (run: RunSummary): boolean => run.options.STRICT === true || run.options.STRICT === 'true';

/** `1 of 3` for the results of a single Playwright shard. */
export const shardOf = ({ options }: RunSummary): string | undefined =>
  typeof options.SHARD === 'string' ? options.SHARD.replace('/', ' of ') : undefined;

/** The shard, if nothing failed in it. A shard alone has no verdict. */
export const shardWithoutFailures = (run: RunSummary): string | undefined =>
  run.verdict === 'conformant' || run.verdict === 'deviating' ? shardOf(run) : undefined;

export const countClauses = (run: RunSummary) => {
  const findings = findingsById(run);
  const counts = { judged: 0, broken: 0, deviating: 0, unjudged: 0, lenient: 0 };
  for (const clause of run.clauses) {
    const own = clause.checks.flatMap((id) => findings.get(id) ?? []);
    if (clause.outcome !== 'excluded') counts.judged += 1;
    if (own.some(isBroken)) counts.broken += 1;
    else if (own.some(isUnjudged) || isOpen(clause.outcome)) counts.unjudged += 1;
    else if (own.some(isDeviation)) counts.deviating += 1;
    else if (own.some(({ outcome }) => outcome === 'lenient')) counts.lenient += 1;
  }
  return counts;
};

/**
 * `14 of 21 operations judged`, `tricks spread over 400 operations`, or both; `''` for a clause
 * that was judged in full at every operation that has a check of it.
 */
export const extentOfClause = (
  clause: Pick<ClauseResult, 'checks'>,
  checksById: ReadonlyMap<string, Finding>,
): string => {
  const checks = clause.checks
    .flatMap((id) => checksById.get(id) ?? [])
    .filter(({ operation }) => operation !== 'service');
  const byOperation = [...groupBy(checks, ({ operation }) => operation).values()];
  const isJudged = (own: readonly Finding[]): boolean =>
    own.some(({ outcome }) => outcome === 'failed') ||
    (own.some(({ outcome }) => judges(outcome)) && !own.some(isUnjudged));
  const judged = byOperation.filter(isJudged);
  if (judged.length === 0) return '';
  const operations = counted(byOperation.length, 'operation');
  const isSpread = judged.some((own) => own.some(({ tried }) => tried !== undefined));
  return [
    ...(judged.length === byOperation.length ? [] : [`${count(judged.length)} of ${operations} judged`]),
    ...(isSpread ? [`tricks spread over ${judged.length === byOperation.length ? operations : 'these'}`] : []),
  ].join(', ');
};

export const findingsById = ({ checks }: Pick<RunSummary, 'checks'>): ReadonlyMap<string, Finding> =>
  new Map(checks.map((finding) => [finding.id, finding]));

/** Whether no request was answered. An untrusted certificate counts as an answer. */
export const isUnreachable = ({ checks }: RunSummary): boolean =>
  checks.some(
    ({ rule, outcome, cause }) =>
      connectionRules.includes(rule) && outcome === 'inconclusive' && cause?.id === 'no-answer',
  ) &&
  checks.every(
    ({ rule, outcome, blockedBy = [] }) =>
      outcome === 'excluded' ||
      connectionRules.includes(rule) ||
      (outcome === 'blocked' && blockedBy.some((id) => connectionRules.includes(id.replace(/@service$/, '')))),
  );

const are = (value: number): string => (value === 1 ? 'is' : 'are');

/**
 * The verdict as one sentence without a full stop: `Not conformant: 2 of 10 clauses are broken`. It
 * counts clauses, or checks if they belong to no clause.
 */
export const verdictSentence = (run: RunSummary): string => {
  const green = shardWithoutFailures(run);
  if (green)
    return `Shard ${green}: nothing is broken in this part${run.verdict === 'deviating' ? ' except known deviations' : ''}; access-conformance merge gives the verdict`;
  const shard = shardOf(run);
  return `${shard ? `Shard ${shard}. ` : ''}${wholeSentence(run)}`;
};

const wholeSentence = (run: RunSummary): string => {
  const { judged, broken, deviating, unjudged, lenient } = countClauses(run);
  const of = (value: number): string => `${value} of ${counted(judged, 'clause')}`;
  const cut = run.complete ? '' : ', and the run was cut short';
  const left = unprobedSentence(run);
  const extent = left && `; ${left}`;
  switch (run.verdict) {
    case 'non-conformant': {
      if (broken > 0) return `Not conformant: ${of(broken)} ${are(broken)} broken${cut}${extent}`;
      if (isStrict(run) && lenient > 0)
        return `Not conformant: strict mode, and ${of(lenient)} ${are(lenient)} lenient${cut}${extent}`;
      return `Not conformant: ${counted(run.counts.failed, 'check')} failed${cut}${extent}`;
    }
    case 'drifted':
      return `Drifted: ${driftSentence(run)}${cut}${extent}`;
    case 'incomplete': {
      if (run.checks.length === 0) return 'Not judged: no check was run';
      if (isUnreachable(run)) return `Not judged: the deployment gave no answer${cut}`;
      // A clause is open where one of its operations is: the others were judged all the same.
      const part = coverageInPart(run);
      if (part)
        return `Not judged in full${partOf(run)}: ${coverageSentence(part)}; nothing is broken in what was judged`;
      if (unjudged > 0)
        return `Not judged in full: ${of(unjudged)} could not be judged${run.coverage.judged > 0 ? ' in full' : ''}, none is broken${cut}`;
      if (!run.complete) return 'Not judged in full: the run was cut short; nothing was broken until then';
      if (run.counts.inconclusive + run.counts.blocked === 0)
        return run.coverage.missed > 0
          ? `Not judged in full: ${coverageSentence(run.coverage)}; nothing is broken in what was judged`
          : `Not judged: nothing that was selected can pass or fail${whyLeftOut(run)}`;
      return `Not judged in full: ${counted(run.counts.inconclusive + run.counts.blocked, 'check')} could not be judged, none failed`;
    }
    case 'deviating':
      if (deviating === 0)
        return `Deviating${spreadOf(run)}: nothing is broken in what was judged, and DEVIATIONS leaves a protected operation out${extent}`;
      return `Deviating${spreadOf(run)}: ${of(deviating)} ${are(deviating)} broken in a way that is known and accepted, the rest ${judged - deviating === 1 ? 'holds' : 'hold'}${extent}`;
    case 'conformant':
      return `Conformant${partOf(run)}${spreadOf(run)}: ${isBesideAccess(run) ? `${counted(run.counts.passed, 'check')} passed` : coverageSentence(run.coverage)}`;
  }
};

/** The reason of all checks that were left out, if they have one and the same. */
const whyLeftOut = ({ checks }: RunSummary): string => {
  const reasons = new Set(checks.flatMap(({ outcome, reason }) => (outcome === 'excluded' ? [reason] : [])));
  const [reason = ''] = reasons;
  return reasons.size === 1 ? ` (${reason.replace(/\.$/, '')})` : '';
};

export const decisiveId = (finding: Finding): string | undefined => finding.exchanges[0];

/**
 * `41 of 58 operations judged, 7 of them by their refusal alone, 15 left out on purpose, 2 missed`
 */
export const coverageSentence = ({ operations, judged, leftOut, missed, byRefusal = 0 }: Coverage): string =>
  [
    `${count(judged)} of ${counted(operations, 'operation')} judged`,
    ...(byRefusal > 0 ? [`${count(byRefusal)} of them by ${byRefusal === 1 ? 'its' : 'their'} refusal alone`] : []),
    ...(leftOut > 0 ? [`${count(leftOut)} left out on purpose`] : []),
    ...(missed > 0 ? [`${count(missed)} missed`] : []),
  ].join(', ');

/** Whether the selected checks are about the access of no operation. Coverage says nothing then. */
const isBesideAccess = ({ coverage, recording }: RunSummary): boolean =>
  recording.part === true && coverage.leftOut === coverage.operations;

/** The coverage of a run that did not judge every operation. */
export const partlyJudged = (run: RunSummary): Coverage | undefined =>
  run.coverage.judged < run.coverage.operations && !isBesideAccess(run) ? run.coverage : undefined;

/** The coverage of a run that came to its end and judged some operations and missed others. */
export const coverageInPart = ({ complete, coverage }: RunSummary): Coverage | undefined =>
  complete && coverage.judged > 0 && coverage.missed > 0 ? coverage : undefined;

const partOf = ({ recording }: RunSummary): string => (recording.part === true ? ' in the selected checks' : '');

/** How likely a trick is seen that opens one operation alone; `''` where everything was sent. */
export const missedBySpread = ({ verdict, gates = [] }: Pick<RunSummary, 'verdict' | 'gates'>): string => {
  if (verdict !== 'conformant' && verdict !== 'deviating') return '';
  const [of, tried] = [sum(gates.map(({ places }) => places.of)), sum(gates.map(({ places }) => places.tried))];
  if (of === 0 || tried === of) return '';
  const percent = Math.floor((100 * tried) / of);
  return `A hole that one trick opens at one operation alone is found in ${percent === 0 ? 'under 1' : percent}\u00a0% of cases; PROBES=extended tries everything.`;
};

/** `3 facts are not as the baseline says`. */
export const driftSentence = ({ drift = [] }: Pick<RunSummary, 'drift'>): string =>
  drift.length === 0
    ? 'all facts that were compared are as the baseline says'
    : `${counted(drift.length, 'fact')} ${are(drift.length)} not as the baseline says`;

const spreadOf = ({ gates }: RunSummary): string => {
  if (!gates) return '';
  const [tricks, tried] = [sum(gates.map((gate) => gate.tricks)), sum(gates.map((gate) => gate.tricksTried))];
  const each = counted(gates.length, 'gate');
  return tried === tricks
    ? ` (spread: every trick at some operations of ${gates.length === 1 ? 'the one gate' : `each of ${each}`})`
    : ` (spread: ${count(tried)} of ${counted(tricks, 'trick')} tried at ${each})`;
};

/** Operations that were missed before anything was sent, by reason; any lacking value is one. */
export const missedGroups = ({
  operations,
}: Pick<RunSummary, 'operations'>): readonly (readonly OperationResult[])[] => [
  ...groupBy(
    operations.filter((operation) => !operation.probed && isMissed(operation)),
    ({ why, reason = '', id }) => (why === 'no-value' ? why : reason.replaceAll(id, '')),
  ).values(),
];

/** Operations that were left out, those with the same reason together, in document order. */
export const byReason = <
  T extends { readonly id: string; readonly why?: string; readonly details?: readonly string[] },
>(
  left: readonly T[],
): readonly (readonly T[])[] => [
  ...groupBy(left, ({ why, details = [], id }) => JSON.stringify(why === undefined ? id : [why, ...details])).values(),
];

/** How much of the document was judged, as a sentence; empty when everything was, and in full. */
export const unprobedSentence = (run: RunSummary): string =>
  (run.coverage.judged === run.coverage.operations && run.coverage.byRefusal === undefined) || isBesideAccess(run)
    ? ''
    : coverageSentence(run.coverage);
