import { groupBy, sum } from '../collections.js';
import { type OperationNames, operationNames, titleOfFinding } from '../engine/causes/same-cause.js';
import { entryOf, type Verdict } from '../engine/outcomes.js';
import type { Coverage, Finding } from '../engine/results.js';
import { visible, visibleLines } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { counted } from '../words.js';
import { shownCauses } from './causes.js';
import { clauseSentences, describeFinding, deviationText, findingLines } from './describe-finding.js';
import {
  contractName,
  countClauses,
  coverageInPart,
  decisiveId,
  isDeviation,
  isStrict,
  isUnjudged,
  partlyJudged,
  type RunSummary,
  shardWithoutFailures,
  verdictSentence,
} from './run-summary.js';

/** Characters that XML 1.0 does not allow become visible escapes; the rest is escaped as XML. */
const attribute = (text: string): string =>
  element(visible(text))
    .replaceAll('"', '&quot;')
    .replace(/[\n\t]/g, ' ');

const element = (text: string): string =>
  visibleLines(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const seconds = (milliseconds: number): string => (Math.max(0, milliseconds) / 1000).toFixed(3);

/** The JUnit result of a finding. A known deviation is a skipped test with its reason. */
const junitElementOf = (finding: Finding): 'passed' | 'failure' | 'error' | 'skipped' =>
  isDeviation(finding) ? 'skipped' : entryOf(finding.outcome).junit;

/**
 * A test case for each check, named by its requirement, and a suite for each operation, as Jenkins'
 * xUnit schema (`junit-10.xsd`), GitLab and GitHub expect.
 * @param decisive exchanges by id, for the curl lines of failures
 */
export function* junitXml(run: RunSummary, decisive: ReadonlyMap<string, Exchange> = new Map()): Generator<string> {
  const suites = groupBy(run.checks, ({ operation }) => operation);
  const verdict = verdictSentence(run);
  const names = operationNames(run.operations);
  const excluded = run.clauses
    .flatMap(({ id, reason }) =>
      reason === undefined ? [] : [`<property name="left out" value="${attribute(`${id}: ${reason}`)}"/>`],
    )
    .join('');
  const kinds = (of: readonly Finding[], kind: string): number =>
    of.filter((finding) => junitElementOf(finding) === kind).length;
  const { broken } = shownCauses(run);
  /** The findings that the checks of an operation have a part in. */
  const found = (ids: ReadonlySet<string>): string =>
    broken
      .filter(({ checks }) => checks.some((id) => ids.has(id)))
      .map(({ id, title }) => `<property name="finding" value="${attribute(`${title} [${id}]`)}"/>`)
      .join('');
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${attribute(`access conformance of ${run.target.name}`)}" tests="${run.checks.length}" failures="${kinds(run.checks, 'failure')}" errors="${kinds(run.checks, 'error')}" time="${seconds(run.durationMs)}">\n`;
  for (const [operation, findings] of suites) {
    const time = sum(findings.map(({ durationMs }) => durationMs));
    yield `  <testsuite name="${attribute(operation)}" tests="${findings.length}" failures="${kinds(findings, 'failure')}" errors="${kinds(findings, 'error')}" skipped="${kinds(findings, 'skipped')}" time="${seconds(time)}" timestamp="${attribute(run.startedAt.replace(/\.\d+Z?$|Z$/, ''))}">\n`;
    yield `    <properties><property name="verdict" value="${attribute(verdict)}"/><property name="contract" value="${attribute(contractName(run.contract))}"/>${excluded}${found(new Set(findings.map(({ id }) => id)))}</properties>\n`;
    for (const finding of findings) yield testcase(finding, { run, decisive, names });
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

interface Context {
  readonly run: RunSummary;
  readonly decisive: ReadonlyMap<string, Exchange>;
  readonly names: OperationNames;
}

const testcase = (finding: Finding, { run, decisive, names }: Context): string => {
  const name = `${finding.title} (${finding.rule}${finding.clauses.length > 0 ? `, ${finding.clauses.join(', ')}` : ''})`;
  const start = `    <testcase classname="${attribute(finding.operation)}" name="${attribute(name)}" time="${seconds(finding.durationMs)}"`;
  const kind = junitElementOf(finding);
  const note = [finding.outcome === 'passed' ? '' : `${finding.outcome}: ${finding.reason}`, finding.note ?? '']
    .filter((line) => line !== '')
    .join('\n');
  if (kind === 'passed') {
    return note === '' ? `${start}/>\n` : `${start}><system-out>${element(note)}</system-out></testcase>\n`;
  }
  if (kind === 'skipped') {
    const why = finding.deviation
      ? `known deviation: ${deviationText(finding.deviation)} (${finding.reason})`
      : `${finding.outcome}: ${finding.reason}`;
    return `${start}><skipped message="${attribute(why)}"/></testcase>\n`;
  }
  const title = finding.headline ? titleOfFinding(finding, names) : finding.reason;
  const texts = findingLines(describeFinding(finding, decisive.get(decisiveId(finding) ?? ''), run.options));
  const clauses = clauseSentences(finding, run.clauses);
  const lines = finding.headline ? [title, ...clauses, ...texts] : [...clauses, ...texts];
  return `${start}><${kind} type="${finding.outcome}" message="${attribute(title)}">${element(lines.join('\n'))}</${kind}></testcase>\n`;
};

/** The JSON that a Shields endpoint badge reads: https://shields.io/badges/endpoint-badge */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isError?: true;
}

const colours: Readonly<Record<Verdict, string>> = {
  conformant: 'brightgreen',
  deviating: 'yellow',
  drifted: 'orange',
  incomplete: 'lightgrey',
  'non-conformant': 'red',
};

const labelOf = ({ contract: { overlays = [] } }: RunSummary): string =>
  overlays.length === 0 ? 'access contract' : `access contract with ${counted(overlays.length, 'overlay')}`;

const operationsOf = ({ judged, operations }: Coverage): string => `${judged} of ${counted(operations, 'operation')}`;

const extentOf = ({ coverage, recording }: RunSummary): string =>
  `${recording.part === true ? 'selected checks alone, ' : ''}${operationsOf(coverage)}`;

/** Said where not every operation was judged. */
const inPart = (run: RunSummary): string => {
  const part = partlyJudged(run);
  return part ? `, ${operationsOf(part)}` : '';
};

/** The badge counts clauses. A percentage would hide clauses that were not judged. */
export const badgeOf = (run: RunSummary): Badge => {
  const badge = { schemaVersion: 1, label: labelOf(run) } as const;
  const { judged, broken, deviating, unjudged, lenient } = countClauses(run);
  const open = unjudged || run.checks.filter(isUnjudged).length;
  if (judged === 0) return { ...badge, message: 'nothing judged', color: colours.incomplete };
  const shard = shardWithoutFailures(run);
  if (shard) return { ...badge, message: `shard ${shard} alone`, color: colours.incomplete };
  const message: Readonly<Record<Verdict, string>> = {
    conformant: `conformant, ${extentOf(run)}`,
    deviating: `deviating, ${deviating} known${inPart(run)}`,
    drifted: `drifted, ${counted((run.drift ?? []).length, 'fact')}`,
    incomplete: coverageInPart(run)
      ? `not judged in full, ${extentOf(run)}`
      : run.complete && open > 0
        ? `not judged: ${open} of ${judged}`
        : 'run cut short',
    'non-conformant':
      broken > 0
        ? `${broken} of ${counted(judged, 'clause')} broken${inPart(run)}`
        : isStrict(run)
          ? `${lenient} of ${counted(judged, 'clause')} lenient${inPart(run)}`
          : 'not conformant',
  };
  const isError = run.verdict === 'non-conformant' ? ({ isError: true } as const) : {};
  return { ...badge, message: message[run.verdict], color: colours[run.verdict], ...isError };
};
