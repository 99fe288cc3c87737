import { hash } from 'node:crypto';
import { groupBy } from '../../collections.js';
import { equalReads } from '../../rules/bypass/opens-now-and-then.js';
import { rules as shippedRules } from '../../rules/index.js';
import type { Rule } from '../../rules/rule.js';
import { severities, withoutCause } from '../../rules/support/headlines.js';
import { cookieEngine, curlLine, noteStart } from '../curl-line.js';
import type { CauseResult, Finding, OperationResult, Results } from '../results.js';
import { type ExchangeOf, explanationOf, waitingIn } from './explained.js';
import {
  type CauseGroup,
  familyOf,
  type GroupingContext,
  operationNames,
  sameCause,
  sentenceOf,
  waysOf,
} from './same-cause.js';

/** Groups findings by cause, so that a report says once what is wrong at many operations. */

export interface CausesInput {
  readonly checks: readonly Finding[];
  readonly operations: readonly OperationResult[];
  readonly options: Results['options'];
  /** Looks up an exchange of the run, for the curl lines. */
  readonly exchange: ExchangeOf;
  /** The shipped rules when absent. */
  readonly rules?: readonly Rule[] | undefined;
}

type CauseOutcome = CauseResult['outcome'];

const outcomes: readonly CauseOutcome[] = ['failed', 'lenient', 'inconclusive', 'blocked'];

/** Whether a finding needs a cause, because its outcome may call for action. */
const hasCause = (finding: Finding): finding is Finding & { outcome: CauseOutcome } =>
  (outcomes as readonly string[]).includes(finding.outcome);

/** The findings that make causes, and by their ids those that each of them settles. */
interface ArrangedFindings {
  readonly shown: readonly (Finding & { outcome: CauseOutcome })[];
  readonly explained: ReadonlyMap<string, readonly Finding[]>;
  readonly waiting: ReadonlyMap<string, readonly Finding[]>;
}

/** Finds the findings that others explain, and the blocked ones that wait for others. */
const arrange = (checks: readonly Finding[], rules: readonly Rule[], exchange: ExchangeOf): ArrangedFindings => {
  const byId = new Map(checks.map((finding) => [finding.id, finding]));
  const explanations = new Map(checks.map((finding) => [finding, explanationOf(finding, byId, rules, exchange)]));
  const rootOf = waitingIn(checks);
  const waitsFor = new Map(
    checks.flatMap((finding) => {
      const root = finding.outcome === 'blocked' ? rootOf(finding) : undefined;
      return root ? [[finding, root] as const] : [];
    }),
  );
  return {
    shown: checks
      .filter(hasCause)
      .filter((finding) => !waitsFor.has(finding) && explanations.get(finding) === undefined),
    explained: groupBy(checks, (finding) => explanations.get(finding)?.id ?? ''),
    waiting: groupBy([...waitsFor.keys()], (finding) => waitsFor.get(finding)?.id ?? ''),
  };
};

/**
 * Groups findings by their cause, worst first: what is wrong with the deployment, and what could
 * not be judged. Pure: derived from findings and rules alone.
 */
export const causesOf = ({
  checks,
  operations,
  options,
  exchange,
  rules = shippedRules,
}: CausesInput): readonly CauseResult[] => {
  const demanding = new Set(rules.flatMap(({ id, demandsKey }) => (demandsKey ? [id] : [])));
  const names = operationNames(operations);
  const refusing = new Set(
    checks.filter(({ rule, outcome }) => outcome === 'passed' && demanding.has(rule)).map(({ operation }) => operation),
  );
  const isAnyJudged = operations.some(({ judged }) => judged === true);
  const context: GroupingContext = { names, refusing, isAnyJudged };
  const isPublic = new Set(operations.filter(({ access }) => access === 'public').map(({ id }) => id));
  const { shown, explained, waiting } = arrange(checks, rules, exchange);
  const families = groupBy(
    shown,
    (finding) => `${finding.outcome} ${finding.deviation !== undefined} ${familyOf(finding)}`,
  );

  const causes = [...families.values()].flatMap((family) =>
    sameCause(family, context).map((each): CauseResult => {
      const group = { ...each, findings: plainestFirst(each) };
      const [first] = group.findings;
      if (!first || !hasCause(first)) throw new TypeError('a group has findings with a cause');
      const ids = [...new Set(group.findings.map(({ operation }) => operation))].filter((id) => names.has(id));
      const settled = group.findings.flatMap(({ id }) => [id, ...(explained.get(id) ?? []).map((each) => each.id)]);
      const headline = first.headline ?? withoutCause(first.title, first.outcome);
      const exposesNobody = headline.severity === 'exposed' && ids.length > 0 && ids.every((id) => isPublic.has(id));
      return {
        id: idOf(group),
        title: sentenceOf(headline, {
          ids: ids.length > 0 ? ids : [first.operation],
          names,
          place: group.place,
          ...wayOf(group),
        }),
        severity: exposesNobody ? 'form' : headline.severity,
        outcome: first.outcome,
        ...(first.deviation === undefined ? {} : { accepted: true as const }),
        clauses: [...new Set(group.findings.flatMap(({ clauses }) => clauses))],
        operations: ids,
        checks: settled,
        waiting: settled.flatMap((id) => (waiting.get(id) ?? []).map((each) => each.id)),
        curl: curlOf(first, exchange, options),
      };
    }),
  );
  return causes.sort(byRank).map(withUniqueId());
};

/** Lines of the oracle's table that grant, by how plainly they show what was opened. */
const byPlainness: readonly (readonly number[])[] = [[1], [5, 6], [9, 10], [0]];

const plainnessOf = ({ readings = [] }: Finding): number => {
  const lines = new Set(readings.flatMap(({ line, verdict }) => (verdict === 'granted' ? [line] : [])));
  const rank = byPlainness.findIndex((of) => of.some((line) => lines.has(line)));
  return rank < 0 ? byPlainness.length : rank;
};

/** Whether the API only refuses over plain HTTP, which shows that it answers there. */
const isRefusal = ({ cause }: Finding): boolean =>
  cause?.id === 'served-over-plain-http' && cause.values?.[0] === 'refused-by-api';

/**
 * Sorts the findings of a cause. The first one speaks for it, with its curl line: one whose first
 * way is that of the cause. A record of the key's owner convinces a reader more than an empty
 * answer, and what plain HTTP serves more than what it refuses.
 */
const plainestFirst = ({ findings, way }: CauseGroup): readonly Finding[] => {
  const leadsElsewhere = (finding: Finding): number => Number(way !== undefined && waysOf(finding)[0] !== way);
  return findings.toSorted(
    (a, b) =>
      leadsElsewhere(a) - leadsElsewhere(b) ||
      plainnessOf(a) - plainnessOf(b) ||
      Number(isRefusal(a)) - Number(isRefusal(b)),
  );
};

/** Maximum number of ways that the title of a lenient finding names. */
const maxWays = 3;

/** A single lenient finding names the forms that the server accepts. */
const wayOf = ({ findings: [first, ...others], way }: CauseGroup): { readonly way?: string } => {
  if (way === undefined) return {};
  const taken = first?.outcome === 'lenient' && others.length === 0 ? waysOf(first) : [way];
  const more = taken.length - maxWays;
  return { way: [...taken.slice(0, maxWays), ...(more > 0 ? [`${more} more`] : [])].join('; ') };
};

/**
 * curl keeps connections and cookies only within one command, so such requests are joined by
 * `--next`.
 */
const curlOf = (
  { cause, exchanges, steps = exchanges.slice(0, 1) }: Finding,
  exchange: CausesInput['exchange'],
  options: Results['options'],
): readonly string[] => {
  const found = steps.flatMap((id) => exchange(id) ?? []);
  if (found.length < steps.length) return [];
  const lines = found.map((each) => curlLine(each, options));
  if (cause?.id === 'opens-now-and-then') return lines.map(repeatedly);
  const isOneConnection = found.at(-1)?.probe.connection === 'keyed';
  const keepsCookies = lines.at(-1)?.includes(cookieEngine) === true;
  if (found.length < 2 || !(isOneConnection || keepsCookies)) return lines;
  if (lines.slice(0, -1).some((line) => line.includes(noteStart))) return lines;
  const start = keepsCookies ? `curl ${cookieEngine}` : 'curl';
  return [lines.map((line, index) => line.replace(/^curl/, index === 0 ? start : '--next')).join(' ')];
};

/** A single request may be refused. */
const repeatedly = (line: string): string => {
  const [command = line, ...note] = line.split(noteStart);
  return [`for _ in $(seq ${equalReads}); do ${command}; done`, ...note].join(noteStart);
};

const longestSlug = 40;

/**
 * `the path with //` → `the-path-with-b0793622`. The digest keeps slugs distinct where characters
 * were dropped or the text was cut.
 */
const slugOf = (text: string): string => {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  if (slug === text && slug.length <= longestSlug) return slug;
  const digest = hash('sha256', text).slice(0, 8);
  return [slug.slice(0, longestSlug), digest].filter((part) => part !== '').join('-');
};

/**
 * The id does not depend on how many operations a cause has, so that fixing one does not change it.
 */
const idOf = ({ findings, trait, place }: CauseGroup): string => {
  const [first] = findings;
  // Without a cause, the id of the check is used, which names its operation.
  if (first?.cause === undefined) return first?.id ?? '';
  return `${familyOf(first)}${trait === '' ? '' : `:${slugOf(trait)}`}${place === undefined ? '' : `@${place}`}`;
};

/**
 * Makes ids unique: one cause may appear with several outcomes, or both accepted and not. All but
 * the most urgent one get a suffix.
 */
const withUniqueId = (): ((cause: CauseResult) => CauseResult) => {
  const taken = new Map<string, number>();
  return (cause) => {
    const before = taken.get(cause.id) ?? 0;
    taken.set(cause.id, before + 1);
    return before === 0 ? cause : { ...cause, id: `${cause.id}~${before + 1}` };
  };
};

const rankOf = ({ outcome, severity, accepted }: CauseResult): number =>
  outcomes.indexOf(outcome) * 100 + (accepted ? 50 : 0) + severities.findIndex((each) => each.severity === severity);

/** Of equal rank, the cause comes first whose repair settles most checks. */
const settledBy = ({ checks, waiting }: CauseResult): number => checks.length + waiting.length;

const byRank = (a: CauseResult, b: CauseResult): number =>
  rankOf(a) - rankOf(b) || settledBy(b) - settledBy(a) || b.operations.length - a.operations.length;
