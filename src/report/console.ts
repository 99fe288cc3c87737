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

interface ConsoleOptions {
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
export const consoleSummary = (run: RunSummary, options: ConsoleOptions): string =>
  new ConsoleSummary(run, options).text();

class ConsoleSummary {
  readonly #run: RunSummary;
  readonly #options: ConsoleOptions;
  readonly #paint: Paint;
  readonly #width: number;
  readonly #out: string[] = [];
  readonly #commands: string[] = [];

  constructor(run: RunSummary, options: ConsoleOptions) {
    this.#run = run;
    this.#options = options;
    this.#paint = painter(options.color);
    this.#width = Math.max(40, Math.min(options.width, 120));
  }

  text(): string {
    const out = this.#out;
    const causes = shownCauses(this.#run);
    this.#each(causes.broken, (cause) => this.#failure(cause), 'finding');
    this.#each(causes.accepted, (cause) => this.#failure(cause), 'known deviation');
    this.#each(causes.open, (cause) => this.#unjudged(cause), 'reason');
    if (causes.lenient.length > 0) out.push('');
    this.#each(causes.lenient, (cause) => this.#headline(cause), 'leniency');
    this.#missed();
    this.#drift();
    this.#variables();
    out.push('', ...clauseLines(this.#run, this.#paint, this.#wrap));
    out.push(...accessLines(this.#run, this.#paint));
    this.#verdict();
    this.#topCauses(causes);
    this.#cost();
    while (out[0] === '') out.shift();
    return `${out.join('\n')}\n`;
  }

  readonly #wrap = (indent: string, text: string, then = indent): string[] =>
    wrapped(capitalised(visible(text)), this.#width - then.length).map(
      (line, index) => (index === 0 ? indent : then) + line,
    );

  #say(text: string): void {
    this.#out.push(...this.#wrap('  ', text));
  }

  #command(line: string, label = ''): void {
    this.#commands.push(line);
    this.#out.push(`  ${label}${line}`);
  }

  #headline({ outcome, title }: ShownCause): void {
    const { glyph, tone } = entryOf(outcome);
    this.#out.push(...this.#wrap(`${glyph} `, title, '  ').map((line) => this.#paint(tone, line)));
  }

  #each(shown: readonly ShownCause[], show: (cause: ShownCause) => void, noun: string): void {
    for (const cause of shown.slice(0, maxCauses)) show(cause);
    this.#more(shown.length, `more ${noun}`);
  }

  /** @param length of a list of which no more than `maxCauses` are shown */
  #more(length: number, noun: string): void {
    if (length > maxCauses) this.#out.push('', `and ${counted(length - maxCauses, noun)} in the report`);
  }

  #failure(cause: ShownCause): void {
    const { first } = cause;
    const { reason, expected, seen, note, known } = describeFinding(first, undefined, this.#run.options);
    this.#out.push('');
    this.#headline(cause);
    this.#say(requirementOf(cause));
    const operations = operationsIn(cause, this.#run);
    if (operations.length > 1) this.#say(firstOf(operations.map(visible), 5));
    this.#say(`${operations.length > 1 ? `${first.operation}: ` : ''}${clip(reason, 1_200)}`);
    if (known !== undefined) this.#say(`known and accepted: ${clip(known, 400)}`);
    if (note !== undefined) this.#say(clip(note, 800));
    if (expected !== undefined) this.#say(`expected  ${clip(expected, 400)}`);
    if (seen !== undefined) this.#say(`seen      ${clip(seen, 400)}`);
    for (const line of cause.curl) this.#command(line);
    if (cause.waiting.length > 0) this.#say(waitingWords(cause));
  }

  #unjudged(cause: ShownCause): void {
    const { first, reasons } = cause;
    this.#out.push('');
    this.#headline(cause);
    const operations = operationsIn(cause, this.#run);
    if (operations.length > 1) this.#say(firstOf(operations.map(visible), 3));
    for (const reason of reasons.slice(0, maxRepeated)) this.#say(clip(reason, 1_200));
    if (reasons.length > maxRepeated)
      this.#say(`and ${counted(reasons.length - maxRepeated, 'more reason')} in the report`);
    for (const line of mendsOf(cause, this.#run).slice(0, maxRepeated)) this.#out.push(`  ${visible(line)}`);
    const advice = adviceFor(cause, this.#run, this.#options.decisive?.get(decisiveId(first) ?? ''));
    if (advice) {
      this.#say('The most likely reasons:');
      for (const [index, reason] of advice.reasons.entries())
        this.#out.push(...this.#wrap(`  ${index + 1}. `, reason, '     '));
      if (advice.tried !== undefined) this.#say(`Tried: ${advice.tried}`);
      this.#command(advice.next, 'Try next: ');
    }
    if (cause.waiting.length > 0) this.#say(waitingWords(cause));
  }

  /** Operations that no check could judge. */
  #missed(): void {
    const missed = missedGroups(this.#run);
    for (const group of missed.slice(0, maxCauses)) {
      const [{ reason = '', mend = '' } = {}] = group;
      const ids = group.map(({ id }) => visible(id));
      this.#out.push('', `${this.#paint('open', '? not judged')}  ${firstOf(ids, 3)}`);
      this.#say(clip(reason, 600));
      if (mend !== '') this.#out.push(`  ${visible(mend)}`);
      if (group.some((other) => (other.mend ?? '') !== mend))
        this.#say('Each of them lacks another value: see access-conformance plan --parameters-skeleton.');
    }
    this.#more(missed.length, 'more reason');
  }

  #drift(): void {
    const { drift, options } = this.#run;
    if (!drift) return;
    const [tone, glyph] = drift.length > 0 ? (['warn', '~'] as const) : (['good', '✓'] as const);
    this.#out.push('', this.#paint(tone, `${glyph} ${capitalised(driftSentence(this.#run))}`));
    for (const each of drift.slice(0, maxCauses)) {
      this.#say(`${each.id}: ${sureDriftWords(each)}`);
      const curl = driftCurl(each, this.#options.decisive, options);
      if (curl !== undefined) this.#command(curl);
    }
  }

  #variables(): void {
    const variables = variablesIn(this.#commands);
    if (variables.length === 0) return;
    const named = `${variables.slice(0, -1).join(', ')}${variables.length > 1 ? ' and ' : ''}${variables.at(-1)}`;
    const note = `The curl lines read ${named} of your shell. What .env has: set -a; . ./.env; set +a`;
    this.#out.push('', ...this.#wrap('', note));
  }

  #verdict(): void {
    const run = this.#run;
    this.#out.push('', countLine(run, this.#paint));
    const unprobed = unprobedSentence(run);
    if (unprobed !== '') this.#out.push(`${unprobed}${this.#options.paths ? ': the report says why' : ''}`);
    this.#out.push('', this.#paint(toneOfVerdict[run.verdict], `${verdictSentence(run)}.`));
    if (missedBySpread(run) !== '') this.#out.push(...this.#wrap('', missedBySpread(run)));
  }

  #topCauses({ broken, open }: ReturnType<typeof shownCauses>): void {
    const [top, noun] = broken.length > 0 ? [broken, 'more finding'] : [open, 'more reason'];
    for (const cause of top.slice(0, maxRepeated)) this.#headline(cause);
    if (top.length > maxRepeated) this.#out.push(`  and ${counted(top.length - maxRepeated, noun)}`);
  }

  #cost(): void {
    const { requestsSent, durationMs, target, contract } = this.#run;
    const cost = `${counted(requestsSent, 'request')} in ${duration(durationMs)}`;
    this.#out.push(...this.#wrap('', `${target.baseUrl} against ${contractName(contract)}: ${cost}`));
    const { paths } = this.#options;
    if (paths) this.#out.push('', `Report   ${paths.page}`, `Results  ${paths.results}`);
  }
}

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

/** Colours by tone. */
const tones = { good: 'green', bad: 'red', warn: 'yellow', open: 'magenta', quiet: 'dim' } as const;

const maxRows = 30;
/** Width of a column, in characters. */
const minWidth = 14;
const maxWidth = 40;

const shortened = (name: string): string => (name.length > maxWidth ? `${name.slice(0, maxWidth - 1)}…` : name);

/**
 * A table for the console: the verdicts, then a clause a line, differences first:
 * `AUTH-3   ✓ passed     ✗ failed`.
 */
export const comparisonTable = ({ runs, clauses }: Comparison, colours: ReturnType<typeof pc.createColors>): string => {
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
