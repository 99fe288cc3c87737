import pc from 'picocolors';
import { groupBy } from '../collections.js';
import { entryOf, type Outcome, outcomes } from '../engine/outcomes.js';
import type { Finding, StoredExchange } from '../engine/results.js';
import { clip, count, counted, firstOf } from '../words.js';
import {
  contractName,
  decisiveId,
  isBroken,
  isDeviation,
  openFindings,
  type RunHead,
  sayingOf,
  unprobedSentence,
  verdictSentence,
} from './sentences.js';
import { toldOf } from './telling.js';
import { capitalised, duration, visible } from './text.js';
import type { ReportPaths } from './write.js';

export interface ConsoleOptions {
  readonly color: boolean;
  /** Columns; text is wrapped there, curl lines never. */
  readonly width: number;
  readonly paths?: ReportPaths;
  /** Exchanges by id, for curl lines. */
  readonly decisive?: ReadonlyMap<string, StoredExchange>;
}

/** Rules shown at length; the page has all. */
const mostGroups = 20;
/** Clauses that have a line. */
const mostClauses = 14;

/**
 * What a person reads after a run: failures first, each with its sentence, reason and curl line; then what could not be judged and what
 * would make it judgeable; then counts, the verdict, and where the reports are. Findings that say the same of several operations are one entry.
 */
export const consoleSummary = (head: RunHead, options: ConsoleOptions): string => {
  const paint = painter(options.color);
  const out: string[] = [];
  const width = Math.max(40, Math.min(options.width, 120));
  const texts = (indent: string, text: string): void => {
    out.push(...wrapped(visible(text), width - indent.length).map((line) => indent + line));
  };
  const entries = (findings: readonly Finding[], full: boolean): void => {
    const groups = grouped(findings);
    for (const group of groups.slice(0, mostGroups)) {
      const [first] = group;
      if (!first) continue;
      const ids = [...new Set(group.flatMap(({ clauses }) => clauses))];
      const clauses = ids.length > 0 ? `${ids.join(', ')}  ` : '';
      const rules = new Set(group.map(({ rule }) => rule)).size;
      const title = rules > 1 ? `${counted(group.length, 'check')} of ${counted(rules, 'rule')}` : first.title;
      out.push(
        '',
        `${paint(first.outcome, `${entryOf(first.outcome).glyph} ${visible(clauses + title)}`)}  ${operationsOf(group)}`,
      );
      const exchange = options.decisive?.get(decisiveId(first) ?? '');
      const { reason, expected, seen, note, known, curl } = toldOf(first, exchange, head.options);
      texts('  ', clip(reason, 1_200));
      if (known !== undefined) texts('  ', `known and accepted: ${clip(known, 400)}`);
      if (!full) continue;
      if (note !== undefined) texts('  ', clip(note, 800));
      if (expected !== undefined) texts('  ', `expected  ${clip(expected, 400)}`);
      if (seen !== undefined) texts('  ', `seen      ${clip(seen, 400)}`);
      if (curl !== undefined) out.push(`  ${curl}`);
    }
    if (groups.length > mostGroups)
      out.push('', `… and ${counted(groups.length - mostGroups, 'more entry', 'more entries')} in the report`);
  };

  entries(head.checks.filter(isBroken), true);
  entries(head.checks.filter(isDeviation), true);
  entries(openFindings(head), false);

  out.push('', ...clauseLines(head, paint, width));
  out.push('', countLine(head, paint));
  const unprobed = unprobedSentence(head);
  if (unprobed !== '') out.push(`${unprobed}${options.paths ? ': the report says why' : ''}`);
  out.push('', paint(verdictTone(head), `${verdictSentence(head)}.`));
  out.push(
    `${visible(head.target.baseUrl)} against ${visible(contractName(head.contract))}: ${counted(head.requestsSent, 'request')} in ${duration(head.durationMs)}`,
  );
  if (options.paths) out.push('', `Report   ${options.paths.page}`, `Results  ${options.paths.results}`);
  while (out[0] === '') out.shift();
  return `${out.join('\n')}\n`;
};

/** One line a clause on a small contract; on a large one the counts have to do. */
const clauseLines = (head: RunHead, paint: Paint, width: number): string[] => {
  const shown = head.clauses.slice(0, mostClauses);
  const lines = shown.flatMap((clause) => {
    const entry = entryOf(clause.outcome);
    const text = visible(`${clause.id.padEnd(8)} ${clause.text}`);
    return [
      `${paint(clause.outcome, entry.glyph)} ${text.length > width - 2 ? `${text.slice(0, width - 3)}…` : text}`,
      ...(clause.reason === undefined
        ? []
        : wrapped(visible(`left out: ${clause.reason}`), width - 4).map((line) => `    ${line}`)),
    ];
  });
  const more = head.clauses.length - shown.length;
  return more > 0 ? [...lines, `… and ${counted(more, 'more clause')} in the report`] : lines;
};

const countLine = (head: RunHead, paint: Paint): string => {
  const parts = outcomes
    .filter(({ outcome }) => head.counts[outcome] > 0)
    .map(({ outcome }) => paint(outcome, `${count(head.counts[outcome])} ${outcome}`));
  return `${counted(head.checks.length, 'check')}: ${parts.join(', ') || 'none'}`;
};

const verdictTone = (head: RunHead): Outcome =>
  (({ conformant: 'passed', deviating: 'lenient', incomplete: 'inconclusive', 'non-conformant': 'failed' }) as const)[
    head.verdict
  ];

/**
 * The same rule with the same reason, whatever the operation, in the order of first appearance. What is blocked for one reason is one
 * entry, whatever the rule: that reason is what to do something about.
 */
const grouped = (findings: readonly Finding[]): readonly (readonly Finding[])[] => [
  ...groupBy(findings, (finding) =>
    JSON.stringify([finding.outcome === 'blocked' ? '' : finding.rule, finding.outcome, sayingOf(finding)]),
  ).values(),
];

const operationsOf = (group: readonly Finding[]): string => {
  return firstOf([...new Set(group.map(({ operation }) => visible(operation)))], 3);
};

type Paint = (outcome: Outcome, text: string) => string;

const painter = (color: boolean): Paint => {
  const colors = pc.createColors(color);
  const tones = {
    good: colors.green,
    bad: colors.red,
    warn: colors.yellow,
    open: colors.magenta,
    quiet: colors.dim,
  } as const;
  return (outcome, text) => tones[entryOf(outcome).tone](outcome === 'failed' ? colors.bold(text) : text);
};

const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of capitalised(text).split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines;
};
