import { groupBy } from '../collections.js';
import { differs } from '../engine/access-matrix.js';
import { entryOf, outcomes } from '../engine/outcomes.js';
import type { Drift } from '../engine/results.js';
import { visible } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { capitalised, clip, count, counted, duration, moment } from '../words.js';
import { adviceFor } from './advice.js';
import { operationsIn, requirementOf, type ShownCause, shownCauses, waitingWords } from './causes.js';
import {
  cellWords,
  describeFinding,
  differingSentence,
  documentWords,
  driftCurl,
  matrixLegendLine,
  sureDriftWords,
} from './describe-finding.js';
import {
  contractName,
  decisiveId,
  extentOfClause,
  findingsById,
  missedBySpread,
  type RunSummary,
  unprobedSentence,
  verdictSentence,
} from './run-summary.js';

/** Bytes. GitHub refuses a step summary above 1 MiB, and the user's own text shares it. */
const limit = 900_000;

/** Escapes text of a server: no markup, mention or link. */
const plain = (text: string): string =>
  visible(text)
    .replace(/[\\`*_{}[\]()#+!|~$^=-]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replace(/(https?)(:)/gi, '$1&#58;')
    .replace(/www\./gi, 'www&#46;');

/** Backticks: at least so many, and more than any run of them in the text. */
const fenceFor = (text: string, least: number): string =>
  '`'.repeat(Math.max(least - 1, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);

/** A code span; `|` is escaped for tables. */
const code = (text: string): string => {
  const shown = visible(text).replaceAll('|', '\\|');
  const fence = fenceFor(shown, 1);
  const pad = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
};

const block = (text: string): string => {
  const fence = fenceFor(text, 3);
  return `${fence}sh\n${text}\n${fence}`;
};

/**
 * The run as GitHub Markdown below 900 kB, each cause once, worst first, with a count of the rest.
 * @param decisive exchanges by id, for curl lines
 * @param stale entries of DEVIATIONS that accept nothing any more
 */
export const markdownSummary = (
  run: RunSummary,
  decisive: ReadonlyMap<string, Exchange> = new Map(),
  stale: readonly string[] = [],
): string => {
  const parts: string[] = [];
  let size = 0;
  let left = 0;
  const add = (part: string): void => {
    const length = Buffer.byteLength(part) + 2;
    // Room for the tables at the end: a run has few clauses, but may have very many findings.
    if (size + length > limit - 100_000) left += 1;
    else {
      parts.push(part);
      size += length;
    }
  };

  add(`## ${plain(verdictSentence(run))}`);
  add(
    `${plain(run.target.name)} (${code(run.target.baseUrl)}) judged against ${plain(contractName(run.contract))} (${code(run.contract.sha256.slice(0, 12))}), ${plain(moment(run.startedAt))} UTC, ${counted(run.requestsSent, 'request')} in ${duration(run.durationMs)}.`,
  );
  if (missedBySpread(run) !== '') add(plain(missedBySpread(run)));
  if (stale.length > 0) add(`### Stale deviations\n\n${stale.map((each) => `- ${plain(each)}`).join('\n')}`);
  const causes = shownCauses(run);
  const section = (title: string, shown: readonly ShownCause[], body: (cause: ShownCause) => string): void => {
    if (shown.length === 0) return;
    add(`### ${title}`);
    for (const cause of shown) add(body(cause));
  };
  const full = (cause: ShownCause): string => failureText(cause, run);
  section('What is broken', causes.broken, full);
  section('Known deviations', causes.accepted, full);
  section('What could not be judged', causes.open, (cause) => openText(cause, run, decisive));
  section('More than the contract describes', causes.lenient, ({ title }) => `- ${plain(title)}`);
  const { drift = [] } = run;
  if (drift.length > 0)
    add(`### Drift\n\n${drift.map((each) => driftText(each, driftCurl(each, decisive, run.options))).join('\n')}`);
  if (left > 0) parts.push(`*${count(left)} more did not fit here. \`results.json\` and the page have all of them.*`);

  const unprobed = unprobedSentence(run);
  parts.push(...accessTable(run), clauseTable(run), countLine(run), unprobed && `${plain(unprobed)}.`);
  return `${paragraphs(...parts)}\n`;
};

const driftText = (drift: Drift, curl: string | undefined): string => {
  const said = `- ${code(drift.id)}: ${plain(sureDriftWords(drift))}`;
  return curl === undefined ? said : `${said}\n\n${block(curl).replace(/^/gm, '  ')}\n`;
};

/** Operations that are named; the page has all of them. */
const maxNamed = 20;
const maxReasons = 5;

const operationList = (cause: ShownCause, run: RunSummary): readonly string[] => {
  const names = operationsIn(cause, run);
  if (names.length < 2) return [];
  const more = names.length - maxNamed;
  const lines = names.slice(0, maxNamed).map((name) => `- ${code(name)}`);
  return [[...lines, ...(more > 0 ? [`- ${count(more)} more`] : [])].join('\n')];
};

const failureText = (cause: ShownCause, run: RunSummary): string => {
  const { first, operations } = cause;
  const { reason, expected, seen, note, known } = describeFinding(first, undefined, run.options);
  const of = operations.length > 1 ? `${code(first.operation)}: ` : '';
  const versus = [expected && `- expected: ${plain(clip(expected, 500))}`, seen && `- seen: ${plain(clip(seen, 500))}`];
  return paragraphs(
    `**${plain(cause.title)}**  \n<sub>${plain(requirementOf(cause))}</sub>`,
    ...operationList(cause, run),
    `${of}${plain(clip(capitalised(reason), 2_000))}`,
    note && plain(clip(note, 1_000)),
    known && `Known and accepted: ${plain(known)}`,
    versus.filter(Boolean).join('\n'),
    cause.curl.length > 0 ? block(cause.curl.join('\n')) : '',
    waitingWords(cause),
  );
};

const openText = (cause: ShownCause, run: RunSummary, decisive: ReadonlyMap<string, Exchange>): string => {
  const advice = adviceFor(cause, run, decisive.get(decisiveId(cause.first) ?? ''));
  const likely = advice?.reasons.map((reason, index) => `${index + 1}. ${plain(reason)}`).join('\n');
  return paragraphs(
    `**${plain(cause.title)}**`,
    ...cause.reasons.slice(0, maxReasons).map((reason) => plain(clip(capitalised(reason), 1_000))),
    ...operationList(cause, run),
    likely && `The most likely reasons:\n\n${likely}`,
    advice?.tried && `Tried: ${plain(advice.tried)}`,
    advice && `Try next:\n\n${block(advice.next)}`,
    waitingWords(cause),
  );
};

const paragraphs = (...texts: readonly (string | undefined)[]): string => texts.filter(Boolean).join('\n\n');

/** Operations in the table; of more, only those that differ. */
const mostOperations = 50;

const accessTable = ({ matrix, identities, operations, checks }: RunSummary): readonly string[] => {
  if (matrix.length === 0) return [];
  const byId = findingsById({ checks });
  const cells = groupBy(matrix, ({ operation }) => operation);
  const isLarge = operations.length > mostOperations;
  const differing = operations.filter(({ id }) => cells.get(id)?.some(differs));
  const shown = (isLarge ? differing : operations).slice(0, mostOperations);
  const left = (isLarge ? differing : operations).length - shown.length;
  const rows = shown.map(({ id, method, path, access }) => {
    const own = (cells.get(id) ?? []).map((cell) => {
      const { glyph, text } = cellWords(cell, byId.get(cell.check ?? ''));
      return ` ${glyph} ${text} |`;
    });
    return `| ${code(`${method} ${path}`)} | ${documentWords[access]} |${own.join('')}`;
  });
  const names = identities.map(({ name }) => ` ${plain(name)} |`).join('');
  return [
    '### Who gets what',
    ...(isLarge ? [differingSentence(differing.length, operations.length)] : []),
    ...(rows.length === 0
      ? []
      : [`| operation | document |${names}\n|---|---|${'---|'.repeat(identities.length)}\n${rows.join('\n')}`]),
    ...(left > 0 ? [`*${count(left)} more.*`] : []),
    matrixLegendLine,
  ];
};

const clauseTable = (run: RunSummary): string => {
  const findings = findingsById(run);
  const rows = run.clauses.slice(0, 300).map((clause) => {
    const { id, outcome, text, reason } = clause;
    const extent = extentOfClause(clause, findings);
    const words = `${entryOf(outcome).glyph} ${outcome}${extent === '' ? '' : ` (${extent})`}`;
    const why = reason === undefined ? '' : ` ${plain(clip(reason, 250))}`;
    return `| ${plain(id)} | ${words} | ${plain(clip(text, 250))}${why} |`;
  });
  const left = run.clauses.length - rows.length;
  const more = left > 0 ? `\n\n*${counted(left, 'more clause')}.*` : '';
  return `### The contract\n\n| clause | outcome | |\n|---|---|---|\n${rows.join('\n')}${more}`;
};

const countLine = (run: RunSummary): string =>
  `${counted(run.checks.length, 'check')}: ${outcomes
    .filter(({ outcome }) => run.counts[outcome] > 0)
    .map(({ outcome, glyph }) => `${glyph} ${count(run.counts[outcome])} ${outcome}`)
    .join(' · ')}`;
