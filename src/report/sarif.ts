import { hash } from 'node:crypto';
import { groupBy, present } from '../collections.js';
import type { CauseResult } from '../engine/results.js';
import { tool } from '../package.js';
import { visible } from '../visible.js';
import { capitalised, clip, counted, firstOf } from '../words.js';
import { type ShownCause, shownCauses } from './causes.js';
import { type Explain, type Explanation, explanationParts } from './describe-finding.js';
import { parsePosition, pathOrName, type WorkTree } from './repository.js';
import { type RunSummary, verdictSentence } from './run-summary.js';

/** Locations of a result; GitHub shows the first. */
const mostLocations = 100;
const mostText = 4_000;

interface SeverityInSarif {
  readonly level: 'error' | 'warning' | 'note';
  /** Of GitHub: above 9 is critical, from 7 high. Absent where it is no matter of security. */
  readonly score?: string;
}

const severityOf: Readonly<Record<CauseResult['severity'], SeverityInSarif>> = {
  open: { level: 'error', score: '9.3' },
  exposed: { level: 'error', score: '8.1' },
  bypassed: { level: 'error', score: '8.8' },
  form: { level: 'warning' },
  document: { level: 'warning' },
  suspected: { level: 'note' },
  unjudged: { level: 'note' },
};

/** Weaknesses that broken clauses are, by the numbers of CWE (https://cwe.mitre.org). */
const weaknesses: Readonly<Record<string, number>> = {
  'HTTPS-1': 295,
  'HTTPS-2': 319,
  'AUTH-3': 306,
  'AUTH-5': 862,
  'AUTH-6': 639,
};

/** Where the form that other clauses ask for is described. */
const specifications: Readonly<Record<string, string>> = {
  PATH: 'https://spec.openapis.org/oas/v3.1.1.html#paths-object',
  AUTH: 'https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.2',
  DOC: 'https://spec.openapis.org/oas/v3.1.1.html#responses-object',
};

/** Id of a cause's rule in SARIF: with the severity, which GitHub takes of rules alone. */
const ruleIdOf = ({ first, severity }: ShownCause): string => `${first.rule}/${severity}`;

/**
 * The run as SARIF 2.1.0 (OASIS), one result for each cause that fails. What could not be judged is
 * a notification of the invocation.
 */
export const sarifLog = (run: RunSummary, tree: WorkTree, explain: Explain = () => undefined): object => {
  const { broken, accepted, open } = shownCauses(run);
  const wrong = [...broken, ...accepted];
  const byRule = [...groupBy(wrong, ruleIdOf)];
  const indexOf = new Map(byRule.map(([ruleId], index) => [ruleId, index]));
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: tool.name,
            version: tool.version,
            semanticVersion: tool.version,
            rules: byRule.map(([ruleId, causes]) => ruleOf(ruleId, causes, explain)),
          },
        },
        // Code scanning keeps the results of each target apart by it.
        automationDetails: { id: `${tool.name}/${visible(run.target.name)}/` },
        invocations: [
          {
            executionSuccessful: run.complete && run.verdict !== 'incomplete',
            startTimeUtc: run.startedAt,
            endTimeUtc: new Date(Date.parse(run.startedAt) + run.durationMs).toISOString(),
            toolExecutionNotifications: open.map(({ title, first }) => ({
              level: 'warning',
              message: { text: visible(clip(`${sentence(title)} ${first.reason}`, mostText)) },
            })),
          },
        ],
        originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The root of the repository.' } } },
        columnKind: 'utf16CodeUnits',
        results: wrong.map((cause) => resultOf(cause, indexOf.get(ruleIdOf(cause)) ?? 0, run, tree)),
        properties: { verdict: run.verdict, sentence: visible(verdictSentence(run)), target: run.target.baseUrl },
      },
    ],
  };
};

const sentence = (title: string): string => `${capitalised(title)}.`;

const asList = (text: string | readonly string[]): readonly string[] => (typeof text === 'string' ? [text] : text);

const helpOf = (explanation: Explanation): { text: string; markdown: string } => {
  const parts = explanationParts(explanation).map(([title, of]) => {
    const items = asList(of).map((line) => `- ${line}`);
    return [title, items.join('\n')] as const;
  });
  return {
    text: parts.map(([title, items]) => `${title}:\n${items}`).join('\n\n'),
    markdown: parts.map(([title, items]) => `## ${title}\n\n${items}`).join('\n\n'),
  };
};

const helpUri = (clauses: readonly string[]): string | undefined => {
  for (const clause of clauses) {
    const weakness = weaknesses[clause];
    if (weakness !== undefined) return `https://cwe.mitre.org/data/definitions/${weakness}.html`;
    const specification = specifications[clause.replace(/-\d+$/, '')];
    if (specification !== undefined) return specification;
  }
  return undefined;
};

const ruleOf = (id: string, causes: readonly ShownCause[], explain: Explain): object => {
  const [first] = causes;
  const clauses = first?.first.clauses ?? [];
  const severity = severityOf[first?.severity ?? 'form'];
  const explanation = first && explain(first.first.rule);
  const uri = helpUri(clauses);
  const title = capitalised(first?.first.title ?? id);
  return present({
    id,
    name: id.replace(/(?:^|[-/])(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: visible(title) },
    fullDescription: { text: visible(clip(asList(explanation?.asks ?? title).join(' '), 1_000)) },
    help: explanation && helpOf(explanation),
    helpUri: uri,
    defaultConfiguration: { level: severity.level },
    properties: {
      tags: [
        ...(severity.score === undefined ? [] : ['security']),
        ...clauses,
        ...clauses.flatMap((clause) =>
          weaknesses[clause] === undefined ? [] : [`external/cwe/cwe-${weaknesses[clause]}`],
        ),
      ],
      precision: 'very-high',
      'problem.severity': severity.level === 'note' ? 'recommendation' : severity.level,
      ...(severity.score === undefined ? {} : { 'security-severity': severity.score }),
    },
  });
};

const resultOf = (cause: ShownCause, ruleIndex: number, run: RunSummary, tree: WorkTree): object => {
  const { id, title, severity, operations, checks, curl, accepted, first } = cause;
  const text = [
    sentence(title),
    capitalised(first.reason),
    ...(operations.length > 1 ? [`${counted(operations.length, 'operation')}: ${firstOf(operations, 20)}.`] : []),
    ...(curl.length > 0 ? [`Try it: ${curl.join('\n')}`] : []),
  ].join('\n');
  const justification = visible(first.deviation?.reason ?? '');
  return {
    ruleId: ruleIdOf(cause),
    ruleIndex,
    level: severityOf[severity].level,
    message: { text: plainText(clip(text, mostText)) },
    locations: positionsOf(cause, run)
      .slice(0, mostLocations)
      .map((position) => sarifLocation(position, tree)),
    partialFingerprints: {
      // The one that GitHub compares. It does not move with the lines of the document.
      primaryLocationLineHash: `${hash('sha256', id).slice(0, 16)}:1`,
      'accessConformanceCause/v1': id,
    },
    ...(accepted ? { suppressions: [{ kind: 'external', status: 'accepted', justification }] } : {}),
    properties: { severity, clauses: cause.clauses, checks: checks.slice(0, mostLocations) },
  };
};

/** `[text](target)` would be a link (SARIF 2.1.0, section 3.11.6). */
const plainText = (text: string): string => text.split('\n').map(visible).join('\n').replaceAll('](', '] (');

/** `file:line` of each operation; else of the clauses; else the document. */
const positionsOf = ({ operations, clauses }: CauseResult, run: RunSummary): readonly string[] => {
  const of = (
    ids: readonly string[],
    all: readonly { readonly id: string; readonly position?: string }[],
  ): string[] => {
    const positions = new Map(all.map(({ id, position }) => [id, position]));
    return [...new Set(ids.flatMap((id) => positions.get(id) ?? []))];
  };
  const own = of(operations, run.operations);
  if (own.length > 0) return own;
  const stated = of(clauses, run.clauses);
  return stated.length > 0 ? stated : [run.contract.file];
};

const sarifLocation = (position: string, tree: WorkTree): object => {
  const { file, line, column } = parsePosition(position);
  return {
    physicalLocation: {
      artifactLocation: {
        // Relative: GitHub refuses other schemes than that of the checkout.
        uri: pathOrName(file, tree).split('/').map(encodeURIComponent).join('/'),
        uriBaseId: '%SRCROOT%',
      },
      region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) },
    },
  };
};
