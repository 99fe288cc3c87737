import { entryOf } from '../engine/outcomes.js';
import type { Finding, StoredExchange } from '../engine/results.js';
import { contractName, decisiveId, isDeviation, type RunHead, verdictSentence } from './sentences.js';
import { knownInWords, linesOf, toldOf } from './telling.js';
import { visible, visibleLines } from './text.js';

/** Characters that XML 1.0 cannot carry at all are made visible first, the rest is escaped. */
const attribute = (text: string): string =>
  element(visible(text))
    .replaceAll('"', '&quot;')
    .replace(/[\n\t]/g, ' ');

const element = (text: string): string =>
  visibleLines(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const seconds = (milliseconds: number): string => (Math.max(0, milliseconds) / 1000).toFixed(3);

/** How a finding stands in JUnit; a known deviation is a skipped test that says why. */
const kindOf = (finding: Finding): 'passed' | 'failure' | 'error' | 'skipped' =>
  isDeviation(finding) ? 'skipped' : entryOf(finding.outcome).junit;

/**
 * One test case a check, one suite an operation, the operation as class name: the shape that Jenkins' xUnit schema (`junit-10.xsd`),
 * GitLab and GitHub read. `decisive` are exchanges by id, for the curl line of a failure.
 */
export function* junitXml(head: RunHead, decisive: ReadonlyMap<string, StoredExchange> = new Map()): Generator<string> {
  const suites = new Map<string, Finding[]>();
  for (const finding of head.checks) {
    const suite = suites.get(finding.operation);
    if (suite) suite.push(finding);
    else suites.set(finding.operation, [finding]);
  }
  const verdict = verdictSentence(head);
  const excluded = head.clauses
    .flatMap(({ id, reason }) =>
      reason === undefined ? [] : [`<property name="left out" value="${attribute(`${id}: ${reason}`)}"/>`],
    )
    .join('');
  const kinds = (of: readonly Finding[], kind: string): number =>
    of.filter((finding) => kindOf(finding) === kind).length;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${attribute(`access conformance of ${head.target.name}`)}" tests="${head.checks.length}" failures="${kinds(head.checks, 'failure')}" errors="${kinds(head.checks, 'error')}" time="${seconds(head.durationMs)}">\n`;
  for (const [operation, findings] of suites) {
    const time = findings.reduce((sum, finding) => sum + finding.durationMs, 0);
    yield `  <testsuite name="${attribute(operation)}" tests="${findings.length}" failures="${kinds(findings, 'failure')}" errors="${kinds(findings, 'error')}" skipped="${kinds(findings, 'skipped')}" time="${seconds(time)}" timestamp="${attribute(head.startedAt.replace(/\.\d+Z?$|Z$/, ''))}">\n`;
    yield `    <properties><property name="verdict" value="${attribute(verdict)}"/><property name="contract" value="${attribute(contractName(head.contract))}"/>${excluded}</properties>\n`;
    for (const finding of findings) yield testcase(finding, head, decisive);
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

const testcase = (finding: Finding, head: RunHead, decisive: ReadonlyMap<string, StoredExchange>): string => {
  const name = `${finding.title} (${finding.rule}${finding.clauses.length > 0 ? `, ${finding.clauses.join(', ')}` : ''})`;
  const start = `    <testcase classname="${attribute(finding.operation)}" name="${attribute(name)}" time="${seconds(finding.durationMs)}"`;
  const kind = kindOf(finding);
  const note = [finding.outcome === 'passed' ? '' : `${finding.outcome}: ${finding.reason}`, finding.note ?? '']
    .filter((line) => line !== '')
    .join('\n');
  if (kind === 'passed') {
    return note === '' ? `${start}/>\n` : `${start}><system-out>${element(note)}</system-out></testcase>\n`;
  }
  if (kind === 'skipped') {
    const why = finding.deviation
      ? `known deviation: ${knownInWords(finding.deviation)} (${finding.reason})`
      : `${finding.outcome}: ${finding.reason}`;
    return `${start}><skipped message="${attribute(why)}"/></testcase>\n`;
  }
  const lines = linesOf(toldOf(finding, decisive.get(decisiveId(finding) ?? ''), head.options));
  return `${start}><${kind} type="${finding.outcome}" message="${attribute(finding.reason)}">${element(lines.join('\n'))}</${kind}></testcase>\n`;
};
