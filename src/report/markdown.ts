import { entryOf, outcomes } from '../engine/outcomes.js';
import type { Finding, StoredExchange } from '../engine/results.js';
import { clip, count, counted } from '../words.js';
import {
  contractName,
  decisiveId,
  isBroken,
  isDeviation,
  openFindings,
  type RunHead,
  unprobedSentence,
  verdictSentence,
} from './sentences.js';
import { toldOf } from './telling.js';
import { duration, visible } from './text.js';

/** GitHub refuses a step summary above 1 MiB; below this there is room for the user's own. */
const limit = 900_000;

/** Text as text: no markup, no mention, no link comes out of what a server sent. */
export const plain = (text: string): string =>
  visible(text)
    .replace(/[\\`*_{}[\]()#+!|~$^=-]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replace(/(https?)(:)/gi, '$1&#58;')
    .replace(/www\./gi, 'www&#46;');

/** A code span whose fence is longer than any run of backticks inside. Inside a table, `|` needs its backslash even there. */
const code = (text: string): string => {
  const shown = visible(text).replaceAll('|', '\\|');
  const fence = '`'.repeat(Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  const pad = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
};

const block = (text: string): string => {
  const fence = '`'.repeat(Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  return `${fence}sh\n${text}\n${fence}`;
};

/** The run as GitHub Markdown, failures first, below 900 kB: what does not fit is counted. `decisive` are exchanges by id. */
export const markdownSummary = (
  head: RunHead,
  decisive: ReadonlyMap<string, StoredExchange> = new Map(),
  stale: readonly string[] = [],
): string => {
  const parts: string[] = [];
  let size = 0;
  let left = 0;
  const add = (part: string): void => {
    const length = Buffer.byteLength(part) + 2;
    // The tables at the end need their room; a run has few clauses, but may have very many findings.
    if (size + length > limit - 100_000) left += 1;
    else {
      parts.push(part);
      size += length;
    }
  };

  add(`## ${plain(verdictSentence(head))}`);
  add(
    `${plain(head.target.name)} (${code(head.target.baseUrl)}) judged against ${plain(contractName(head.contract))} (${code(head.contract.sha256.slice(0, 12))}), ${plain(head.startedAt)}, ${counted(head.requestsSent, 'request')} in ${duration(head.durationMs)}.`,
  );
  if (stale.length > 0)
    add(`### Deviations that accept nothing any more\n\n${stale.map((each) => `- ${plain(each)}`).join('\n')}`);
  const section = (title: string, findings: readonly Finding[], body: (finding: Finding) => string): void => {
    if (findings.length === 0) return;
    add(`### ${title}`);
    for (const finding of findings) add(body(finding));
  };
  const full = (finding: Finding): string => failureText(finding, head, decisive);
  section('What is broken', head.checks.filter(isBroken), full);
  section('Broken, known and accepted', head.checks.filter(isDeviation), full);
  section('What could not be judged', openFindings(head), line);
  section(
    'More than the contract describes',
    head.checks.filter(({ outcome }) => outcome === 'lenient'),
    line,
  );
  if (left > 0) parts.push(`*${count(left)} more did not fit here; \`results.json\` and the page have them all.*`);

  const unprobed = unprobedSentence(head);
  parts.push(clauseTable(head), countLine(head), ...(unprobed === '' ? [] : [`${plain(unprobed)}.`]));
  return `${parts.join('\n\n')}\n`;
};

const failureText = (finding: Finding, head: RunHead, decisive: ReadonlyMap<string, StoredExchange>): string => {
  const { reason, expected, seen, note, restsOn, known, curl } = toldOf(
    finding,
    decisive.get(decisiveId(finding) ?? ''),
    head.options,
  );
  const lines = [
    `**${plain(`${finding.clauses.join(', ')} · ${finding.title}`)}** (${code(finding.operation)})`,
    plain(clip(reason, 2_000)),
  ];
  if (note !== undefined) lines.push(plain(clip(note, 1_000)));
  if (restsOn !== undefined) lines.push(`Rests on ${restsOn.map(code).join(', ')}.`);
  if (known !== undefined) lines.push(`Known and accepted: ${plain(known)}`);
  const versus = [
    ...(expected === undefined ? [] : [`- expected: ${plain(clip(expected, 500))}`]),
    ...(seen === undefined ? [] : [`- seen: ${plain(clip(seen, 500))}`]),
  ];
  if (versus.length > 0) lines.push(versus.join('\n'));
  if (curl !== undefined) lines.push(block(curl));
  return lines.join('\n\n');
};

const line = (finding: Finding): string => `- ${code(finding.id)}: ${plain(clip(finding.reason, 500))}`;

const clauseTable = (head: RunHead): string => {
  const rows = head.clauses.slice(0, 300).map((clause) => {
    const { glyph } = entryOf(clause.outcome);
    return `| ${plain(clause.id)} | ${glyph} ${clause.outcome} | ${plain(clip(clause.text, 250))}${clause.reason === undefined ? '' : ` ${plain(clip(clause.reason, 250))}`} |`;
  });
  const more =
    head.clauses.length > rows.length ? `\n\n*${counted(head.clauses.length - rows.length, 'more clause')}.*` : '';
  return `### The contract\n\n| clause | outcome | |\n|---|---|---|\n${rows.join('\n')}${more}`;
};

const countLine = (head: RunHead): string =>
  `${counted(head.checks.length, 'check')}: ${outcomes
    .filter(({ outcome }) => head.counts[outcome] > 0)
    .map(({ outcome, glyph }) => `${glyph} ${count(head.counts[outcome])} ${outcome}`)
    .join(' · ')}`;
