import pc from 'picocolors';
import { entryOf, type OutcomeEntry, outcomes, toneOfVerdict } from '../engine/outcomes.js';
import { visible } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { capitalised, clip, count, counted, duration, firstOf, wrapped } from '../words.js';
import { adviceFor } from './advice.js';
import { mendsOf, operationsIn, requirementOf, type ShownCause, shownCauses, waitingWords } from './causes.js';
import type { Comparison } from './compare.js';
import { accessLines, describeFinding, driftCurl, sureDriftWords } from './describe-finding.js';
import {
  contractName,
  decisiveId,
  driftSentence,
  extentOfClause,
  findingsById,
  missedBySpread,
  missedGroups,
  type RunSummary,
  unprobedSentence,
  verdictSentence,
} from './run-summary.js';
import type { ReportPaths } from './write.js';

export interface ConsoleOptions {
  readonly color: boolean;
  /** Columns at which text is wrapped. Commands are never wrapped. */
  readonly width: number;
  readonly paths?: Pick<ReportPaths, 'page' | 'results'> | undefined;
  /** Exchanges by id, for what was asked. */
  readonly decisive?: ReadonlyMap<string, Exchange>;
}

/** Longer lists are cut; the page has everything. */
const maxCauses = 20;
const maxClauses = 14;
/** Findings that are named once more in the last lines, and reasons of one cause. */
const maxRepeated = 3;

/**
 * The console output of a run: what is wrong, what could not be judged and what to do about it, the
 * clauses, and last the verdict with the top findings and the paths of the reports.
 */
export const consoleSummary = (run: RunSummary, options: ConsoleOptions): string => {
  const paint = painter(options.color);
  const out: string[] = [];
  const width = Math.max(40, Math.min(options.width, 120));
  const wrap = (indent: string, text: string, then = indent): string[] =>
    wrapped(capitalised(visible(text)), width - then.length).map((line, index) => (index === 0 ? indent : then) + line);
  const texts = (text: string): void => {
    out.push(...wrap('  ', text));
  };
  const commands: string[] = [];
  const command = (line: string, label = ''): void => {
    commands.push(line);
    out.push(`  ${label}${line}`);
  };
  const headline = ({ outcome, title }: ShownCause): string[] => {
    const { glyph, tone } = entryOf(outcome);
    return wrap(`${glyph} `, title, '  ').map((line) => paint(tone, line));
  };
  const causes = shownCauses(run);

  const failure = (cause: ShownCause): void => {
    const { first } = cause;
    const { reason, expected, seen, note, known } = describeFinding(first, undefined, run.options);
    out.push('', ...headline(cause));
    texts(requirementOf(cause));
    const operations = operationsIn(cause, run);
    if (operations.length > 1) texts(firstOf(operations.map(visible), 5));
    texts(`${operations.length > 1 ? `${first.operation}: ` : ''}${clip(reason, 1_200)}`);
    if (known !== undefined) texts(`known and accepted: ${clip(known, 400)}`);
    if (note !== undefined) texts(clip(note, 800));
    if (expected !== undefined) texts(`expected  ${clip(expected, 400)}`);
    if (seen !== undefined) texts(`seen      ${clip(seen, 400)}`);
    for (const line of cause.curl) command(line);
    if (cause.waiting.length > 0) texts(waitingWords(cause));
  };
  const unjudged = (cause: ShownCause): void => {
    const { first, reasons } = cause;
    out.push('', ...headline(cause));
    const operations = operationsIn(cause, run);
    if (operations.length > 1) texts(firstOf(operations.map(visible), 3));
    for (const reason of reasons.slice(0, maxRepeated)) texts(clip(reason, 1_200));
    if (reasons.length > maxRepeated)
      texts(`and ${counted(reasons.length - maxRepeated, 'more reason')} in the report`);
    for (const line of mendsOf(cause, run).slice(0, maxRepeated)) out.push(`  ${visible(line)}`);
    const advice = adviceFor(cause, run, options.decisive?.get(decisiveId(first) ?? ''));
    if (advice) {
      texts('The most likely reasons:');
      for (const [index, reason] of advice.reasons.entries()) out.push(...wrap(`  ${index + 1}. `, reason, '     '));
      if (advice.tried !== undefined) texts(`Tried: ${advice.tried}`);
      command(advice.next, 'Try next: ');
    }
    if (cause.waiting.length > 0) texts(waitingWords(cause));
  };
  const each = (shown: readonly ShownCause[], show: (cause: ShownCause) => void, noun: string): void => {
    for (const cause of shown.slice(0, maxCauses)) show(cause);
    if (shown.length > maxCauses)
      out.push('', `and ${counted(shown.length - maxCauses, `more ${noun}`)} in the report`);
  };

  each(causes.broken, failure, 'finding');
  each(causes.accepted, failure, 'known deviation');
  each(causes.open, unjudged, 'reason');
  if (causes.lenient.length > 0) out.push('');
  each(causes.lenient, (cause) => out.push(...headline(cause)), 'leniency');
  const missed = missedGroups(run);
  for (const group of missed.slice(0, maxCauses)) {
    const [{ reason = '', mend = '' } = {}] = group;
    const ids = group.map(({ id }) => visible(id));
    out.push('', `${paint('open', '? not judged')}  ${firstOf(ids, 3)}`);
    texts(clip(reason, 600));
    if (mend !== '') out.push(`  ${visible(mend)}`);
    if (group.some((other) => (other.mend ?? '') !== mend))
      texts('Each of them lacks another value: see access-conformance plan --parameters-skeleton.');
  }
  if (missed.length > maxCauses) out.push('', `and ${counted(missed.length - maxCauses, 'more reason')} in the report`);

  const { drift } = run;
  const changed = drift !== undefined && drift.length > 0;
  if (drift)
    out.push('', paint(changed ? 'warn' : 'good', `${changed ? '~' : '✓'} ${capitalised(driftSentence(run))}`));
  for (const each of (drift ?? []).slice(0, maxCauses)) {
    texts(`${each.id}: ${sureDriftWords(each)}`);
    const curl = driftCurl(each, options.decisive, run.options);
    if (curl !== undefined) command(curl);
  }

  const variables = variablesIn(commands);
  if (variables.length > 0) {
    const named = `${variables.slice(0, -1).join(', ')}${variables.length > 1 ? ' and ' : ''}${variables.at(-1)}`;
    out.push('', ...wrap('', `The curl lines read ${named} of your shell. What .env has: set -a; . ./.env; set +a`));
  }

  out.push('', ...clauseLines(run, paint, wrap));
  out.push(...accessLines(run, paint));
  out.push('', countLine(run, paint));
  const unprobed = unprobedSentence(run);
  if (unprobed !== '') out.push(`${unprobed}${options.paths ? ': the report says why' : ''}`);
  out.push('', paint(toneOfVerdict[run.verdict], `${verdictSentence(run)}.`));
  if (missedBySpread(run) !== '') out.push(...wrap('', missedBySpread(run)));
  const top = [...causes.broken, ...(causes.broken.length > 0 ? [] : causes.open)];
  for (const cause of top.slice(0, maxRepeated)) out.push(...headline(cause));
  if (top.length > maxRepeated)
    out.push(`  and ${counted(top.length - maxRepeated, causes.broken.length > 0 ? 'more finding' : 'more reason')}`);
  const cost = `${counted(run.requestsSent, 'request')} in ${duration(run.durationMs)}`;
  out.push(...wrap('', `${run.target.baseUrl} against ${contractName(run.contract)}: ${cost}`));
  if (options.paths) out.push('', `Report   ${options.paths.page}`, `Results  ${options.paths.results}`);
  while (out[0] === '') out.shift();
  return `${out.join('\n')}\n`;
};

/** The variables of the shell that commands read, without those that a note explains. */
const variablesIn = (commands: readonly string[]): readonly string[] => {
  const names = commands.flatMap((line) =>
    [...line.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)]
      .map(([, name]) => `$${name}`)
      .filter((name) => !line.includes(`${name} is `)),
  );
  return [...new Set(names)];
};

const clauseLines = (
  run: RunSummary,
  paint: Paint,
  wrap: (indent: string, text: string, then?: string) => string[],
): string[] => {
  const shown = run.clauses.slice(0, maxClauses);
  const findings = findingsById(run);
  const lines = shown.flatMap((clause) => {
    const extent = extentOfClause(clause, findings);
    const { glyph, tone } = entryOf(clause.outcome);
    const text = `${clause.id.padEnd(8)} ${extent === '' ? '' : `${extent}: `}${clause.text}`;
    const indent = ' '.repeat(11);
    const [first = '', ...rest] = wrap('  ', text, indent);
    const why = clause.reason === undefined ? [] : wrap(indent, `left out: ${clause.reason}`);
    return [`${paint(tone, glyph)}${first.slice(1)}`, ...rest, ...why];
  });
  const more = run.clauses.length - shown.length;
  return more > 0 ? [...lines, `and ${counted(more, 'more clause')} in the report`] : lines;
};

const countLine = (run: RunSummary, paint: Paint): string => {
  const parts = outcomes
    .filter(({ outcome }) => run.counts[outcome] > 0)
    .map(({ outcome, tone }) => paint(tone, `${count(run.counts[outcome])} ${outcome}`));
  return `${counted(run.checks.length, 'check')}: ${parts.join(', ') || 'none'}`;
};

type Paint = (tone: OutcomeEntry['tone'], text: string) => string;

const painter = (color: boolean): Paint => {
  const colours = pc.createColors(color);
  return (tone, text) => colours[tones[tone]](tone === 'bad' ? colours.bold(text) : text);
};

type Colours = ReturnType<typeof pc.createColors>;

const maxRows = 30;
/** Width of a column, in characters. */
const minWidth = 14;
const maxWidth = 40;

const shortened = (name: string): string => (name.length > maxWidth ? `${name.slice(0, maxWidth - 1)}…` : name);

const tones = { good: 'green', bad: 'red', warn: 'yellow', open: 'magenta', quiet: 'dim' } as const;

/**
 * A table for the console: the verdicts, then a clause a line, differences first:
 * `AUTH-3   ✓ passed     ✗ failed`.
 */
export const comparisonTable = ({ runs, clauses }: Comparison, colours: Colours): string => {
  if (clauses.length === 0) return '';
  const names = runs.map(({ name }) => shortened(visible(name)));
  const first = Math.max(...clauses.map(({ id }) => visible(id).length), 'verdict'.length);
  const widths = names.map((name) => Math.max(name.length, minWidth));
  const line = (head: string, cell: (run: number, width: number) => string): string =>
    `${head.padEnd(first)}  ${widths.map((width, run) => cell(run, width)).join('  ')}`.trimEnd();
  const rows = clauses.slice(0, maxRows).map(({ id, outcomes, differs }) =>
    line(visible(id), (run, width) => {
      const outcome = outcomes[run];
      if (outcome === undefined) return '-'.padEnd(width);
      const { glyph, tone } = entryOf(outcome);
      return colours[differs ? tones[tone] : 'dim'](`${glyph} ${outcome}`.padEnd(width));
    }),
  );
  const head = line('', (run, width) => (names[run] ?? '').padEnd(width));
  const verdicts = line('verdict', (run, width) => {
    const { verdict = 'incomplete' } = runs[run] ?? {};
    return colours[tones[toneOfVerdict[verdict]]](verdict.padEnd(width));
  });
  const rest = clauses.length > maxRows ? [colours.dim(`… and ${clauses.length - maxRows} more in the report`)] : [];
  return `${[colours.bold(head), verdicts, ...rows, ...rest].join('\n')}\n`;
};
