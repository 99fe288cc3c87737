/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import type { Finding, RunRecord } from '../../engine/results.js';
import type { Evidence } from '../evidence.js';
import type { Explain } from '../explain.js';
import { isBroken, isDeviation, isUnjudged, type RunSummary, verdictSentence } from '../run-summary.js';
import { visible } from '../text.js';
import { CheckDetails } from './check.js';
import { checksByClause, clauseSection, Filter, gapSection, ruleLines } from './contract.js';
import { DriftSection } from './drift.js';
import { ExchangeLog } from './exchange.js';
import { Broken, Lenient, Unjudged } from './findings.js';
import { htmlDocument } from './html-document.js';
import { inlineJson, packed } from './html-stream.js';
import { About, operationsSection } from './operations.js';
import { Contents, Overview } from './overview.js';

/** Size of packed blocks. Opening a check or an exchange unpacks one block. */
const checksInBlock = 64;
const exchangesInBlock = 64;
const charactersInBlock = 1 << 20;

/**
 * The conformance page in pieces. Findings are plain HTML that needs no script. Details of checks
 * and exchanges are packed, and the page's script unpacks those that are opened, so that a run of
 * 15,000 checks opens quickly. Exchanges are rendered while they are read, which bounds the memory.
 */
export async function* pageHtml(
  record: RunRecord,
  evidence: Evidence,
  { explain, stale = [] }: { readonly explain?: Explain; readonly stale?: readonly string[] } = {},
): AsyncGenerator<string> {
  const run = record.results;
  const numbers = new Map(run.checks.map((finding, number) => [finding.id, number]));
  const numberOf = (finding: Finding): number => numbers.get(finding.id) ?? -1;
  const checksUnder = checksByClause(run);
  const { start, end } = htmlDocument(`${verdictSentence(run)} · ${visible(run.target.name)}`);
  const props = { run, evidence, explain, numberOf };

  yield start;
  yield '<a class="skip" href="#contract">To the contract</a>\n<main>\n';
  yield renderToString(<Overview run={run} stale={stale} />);
  yield renderToString(<Contents sections={sectionsOf(run)} />);
  yield '<p class="note unscripted">Scripts are off. This page shows every finding, but not the recorded exchanges, which are in results.json.</p>';
  yield renderToString(<Broken {...props} />);
  yield renderToString(<DriftSection run={run} />);
  // When nothing failed, what could not be judged comes first.
  const unjudgedFirst = !run.checks.some(({ outcome }) => outcome === 'failed');
  if (unjudgedFirst) yield renderToString(<Unjudged run={run} />);

  yield '<section id="contract"><h2>The contract, clause by clause</h2>';
  yield renderToString(<Filter run={run} />);
  for (const clause of run.clauses) {
    const own = checksUnder.get(clause.id) ?? [];
    const here = new Set(own.map(({ id }) => id));
    const elsewhere = clause.checks.filter((id) => !here.has(id));
    yield* clauseSection(clause, elsewhere, { findings: own, explain, numberOf });
  }
  const rest = checksUnder.get('') ?? [];
  if (rest.length > 0) {
    yield '<section class="clause" data-place><h3>Other checks</h3>';
    yield* ruleLines({ findings: rest, explain, numberOf });
    yield '</section>';
  }
  yield '<p class="nothing" hidden>No check matches.</p></section>';

  if (!unjudgedFirst) yield renderToString(<Unjudged run={run} />);
  yield renderToString(<Lenient run={run} />);
  if (run.gaps.length > 0) {
    yield '<section id="gaps"><h2>What the contract leaves open</h2><p class="lead">The contract does not specify this. The behaviour of the deployment is recorded and cannot fail.</p>';
    for (const gap of run.gaps) yield* gapSection(gap, { findings: checksUnder.get(gap.id) ?? [], explain, numberOf });
    yield '</section>';
  }
  yield* operationsSection(run);
  yield renderToString(<About run={run} />);
  yield '</main>\n';

  yield* checkBlocks(run, evidence);
  yield* exchangeBlocks(record, evidence.inPage);
  yield end;
}

const sectionsOf = (run: RunSummary): readonly { id: string; title: string; size?: number }[] => {
  const broken = run.checks.filter(isBroken).length;
  const known = run.checks.filter(isDeviation).length;
  const open = run.checks.filter(isUnjudged).length;
  const unjudged = open > 0 ? [{ id: 'open', title: 'Not judged', size: open }] : [];
  return [
    ...(broken > 0 ? [{ id: 'broken', title: 'Broken', size: broken }] : []),
    ...(known > 0 ? [{ id: 'known', title: 'Known', size: known }] : []),
    ...(broken + known === 0 ? unjudged : []),
    ...(run.drift && run.drift.length > 0 ? [{ id: 'drift', title: 'Drift', size: run.drift.length }] : []),
    { id: 'contract', title: 'Contract', size: run.clauses.length },
    ...(broken + known > 0 ? unjudged : []),
    ...(run.counts.lenient > 0 ? [{ id: 'lenient', title: 'Lenient', size: run.counts.lenient }] : []),
    ...(run.gaps.length > 0 ? [{ id: 'gaps', title: 'Left open', size: run.gaps.length }] : []),
    { id: 'operations', title: 'Operations', size: run.operations.length },
    { id: 'about', title: 'About' },
  ];
};

async function* checkBlocks(run: RunSummary, evidence: Evidence): AsyncGenerator<string> {
  for (let from = 0; from < run.checks.length; from += checksInBlock) {
    const insides = run.checks
      .slice(from, from + checksInBlock)
      .map((finding) => renderToString(<CheckDetails finding={finding} evidence={evidence} />));
    yield packed(`checks-${from / checksInBlock}`, insides);
  }
}

async function* exchangeBlocks(record: RunRecord, wanted: Evidence['inPage']): AsyncGenerator<string> {
  const index: string[][] = [];
  let block: [string, string][] = [];
  let size = 0;
  const flush = async (): Promise<string> => {
    const piece = await packed(`exchanges-${index.length}`, Object.fromEntries(block));
    index.push(block.map(([id]) => id));
    block = [];
    size = 0;
    return piece;
  };
  for await (const exchange of wanted?.size === 0 ? [] : record.exchanges()) {
    if (wanted && !wanted.has(exchange.id)) continue;
    const html = renderToString(<ExchangeLog exchange={exchange} options={record.results.options} />);
    block.push([exchange.id, html]);
    size += html.length;
    if (block.length >= exchangesInBlock || size > charactersInBlock) yield await flush();
  }
  if (block.length > 0) yield await flush();
  yield inlineJson('index', { checksInBlock, exchanges: index });
}
