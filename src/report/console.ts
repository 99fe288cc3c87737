import pc from 'picocolors';
import { groupBy } from '../collections.js';
import { entryOf, type Outcome, outcomes } from '../engine/outcomes.js';
import type { Finding } from '../engine/results.js';
import type { Exchange } from '../wire/types.js';
import { clip, count, counted, firstOf } from '../words.js';
import { describeFinding } from './describe-finding.js';
import { driftSentence, driftSurety, driftWords } from './drift.js';
import {
  causeKey,
  contractName,
  decisiveId,
  extentOfClause,
  findingsById,
  isBroken,
  isDeviation,
  missedGroups,
  type RunSummary,
  unjudgedFindings,
  unprobedSentence,
  verdictSentence,
} from './run-summary.js';
import { capitalised, duration, visible } from './text.js';
import type { ReportPaths } from './write.js';

export interface ConsoleOptions {
  readonly color: boolean;
  /** Columns at which text is wrapped. Curl lines are never wrapped. */
  readonly width: number;
  readonly paths?: ReportPaths;
  /** Exchanges by id, for curl lines. */
  readonly decisive?: ReadonlyMap<string, Exchange>;
}

/** Longer lists are cut; the page has everything. */
const maxGroups = 20;
const maxClauses = 14;

/**
 * The console output of a run: failures with reason and curl line, then what could not be judged,
 * then clauses, counts, the verdict and the paths of the reports. Findings of one rule with the
 * same reason are one entry.
 */
export const consoleSummary = (run: RunSummary, options: ConsoleOptions): string => {
  const paint = painter(options.color);
  const out: string[] = [];
  const width = Math.max(40, Math.min(options.width, 120));
  const texts = (indent: string, text: string): void => {
    out.push(...wrapped(visible(text), width - indent.length).map((line) => indent + line));
  };
  const entries = (findings: readonly Finding[], full: boolean): void => {
    const groups = grouped(findings);
    for (const group of groups.slice(0, maxGroups)) {
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
      const { reason, expected, seen, note, known, curl } = describeFinding(first, exchange, run.options);
      texts('  ', clip(reason, 1_200));
      if (known !== undefined) texts('  ', `known and accepted: ${clip(known, 400)}`);
      if (!full) continue;
      if (note !== undefined) texts('  ', clip(note, 800));
      if (expected !== undefined) texts('  ', `expected  ${clip(expected, 400)}`);
      if (seen !== undefined) texts('  ', `seen      ${clip(seen, 400)}`);
      if (curl !== undefined) out.push(`  ${curl}`);
    }
    if (groups.length > maxGroups)
      out.push('', `… and ${counted(groups.length - maxGroups, 'more entry', 'more entries')} in the report`);
  };

  entries(run.checks.filter(isBroken), true);
  entries(run.checks.filter(isDeviation), true);
  entries(unjudgedFindings(run), false);
  const missed = missedGroups(run);
  for (const group of missed.slice(0, maxGroups)) {
    const [{ reason = '', mend = '' } = {}] = group;
    out.push(
      '',
      `${paint('inconclusive', '? not judged')}  ${firstOf(
        group.map(({ id }) => visible(id)),
        3,
      )}`,
    );
    texts('  ', clip(reason, 600));
    if (mend !== '') out.push(`  ${visible(mend)}`);
  }
  if (missed.length > maxGroups)
    out.push('', `… and ${counted(missed.length - maxGroups, 'more reason')} in the report`);

  const { drift = [] } = run;
  if (drift.length > 0) out.push('', paint('lenient', `~ ${capitalised(driftSentence(run))}`));
  for (const each of drift.slice(0, maxGroups)) {
    const surety = driftSurety(each);
    texts('  ', `${each.id}: ${driftWords(each)}${surety === '' ? '' : ` (${surety})`}`);
  }

  out.push('', ...clauseLines(run, paint, width));
  out.push('', countLine(run, paint));
  const unprobed = unprobedSentence(run);
  if (unprobed !== '') out.push(`${unprobed}${options.paths ? ': the report says why' : ''}`);
  out.push('', paint(verdictTone(run), `${verdictSentence(run)}.`));
  out.push(
    `${visible(run.target.baseUrl)} against ${visible(contractName(run.contract))}: ${counted(run.requestsSent, 'request')} in ${duration(run.durationMs)}`,
  );
  if (options.paths) out.push('', `Report   ${options.paths.page}`, `Results  ${options.paths.results}`);
  while (out[0] === '') out.shift();
  return `${out.join('\n')}\n`;
};

/** The first clauses, one a line. */
const clauseLines = (run: RunSummary, paint: Paint, width: number): string[] => {
  const shown = run.clauses.slice(0, maxClauses);
  const findings = findingsById(run);
  const lines = shown.flatMap((clause) => {
    const entry = entryOf(clause.outcome);
    const extent = extentOfClause(clause, findings);
    const text = visible(`${clause.id.padEnd(8)} ${extent === '' ? '' : `${extent}: `}${clause.text}`);
    return [
      `${paint(clause.outcome, entry.glyph)} ${text.length > width - 2 ? `${text.slice(0, width - 3)}…` : text}`,
      ...(clause.reason === undefined
        ? []
        : wrapped(visible(`left out: ${clause.reason}`), width - 4).map((line) => `    ${line}`)),
    ];
  });
  const more = run.clauses.length - shown.length;
  return more > 0 ? [...lines, `… and ${counted(more, 'more clause')} in the report`] : lines;
};

const countLine = (run: RunSummary, paint: Paint): string => {
  const parts = outcomes
    .filter(({ outcome }) => run.counts[outcome] > 0)
    .map(({ outcome }) => paint(outcome, `${count(run.counts[outcome])} ${outcome}`));
  return `${counted(run.checks.length, 'check')}: ${parts.join(', ') || 'none'}`;
};

const verdictTone = (run: RunSummary): Outcome =>
  (
    ({
      conformant: 'passed',
      deviating: 'lenient',
      drifted: 'failed',
      incomplete: 'inconclusive',
      'non-conformant': 'failed',
    }) as const
  )[run.verdict];

/**
 * Findings with the same rule, outcome and reason, in the order of first appearance. Blocked checks
 * with the same reason are one group, whatever their rule.
 */
const grouped = (findings: readonly Finding[]): readonly (readonly Finding[])[] => [
  ...groupBy(findings, (finding) =>
    JSON.stringify([finding.outcome === 'blocked' ? '' : finding.rule, finding.outcome, causeKey(finding)]),
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
