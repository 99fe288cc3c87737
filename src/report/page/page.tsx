/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import type { Finding, RunRecord } from '../../engine/results.js';
import type { Evidence } from '../evidence.js';
import type { Explain } from '../explain.js';
import { isBroken, isDeviation, isOpen, type RunHead, verdictSentence } from '../sentences.js';
import { visible } from '../text.js';
import { CheckInside } from './check.js';
import { clauseSection, Filter, gapSection, placesOf, ruleLines } from './contract.js';
import { ExchangeLog } from './exchange.js';
import { frame } from './frame.js';
import { About, operationsSection } from './operations.js';
import { Contents, Overview } from './overview.js';
import { inlineJson, packed } from './packed.js';
import { Beyond, Broken, Unjudged } from './problems.js';

/** Checks and exchanges in one packed block. Opening one unpacks its block alone. */
const checksInBlock = 64;
const exchangesInBlock = 64;
const charactersInBlock = 1 << 20;

/**
 * The conformance page in pieces. First what a person reads, as plain HTML that needs no script; then the insides of checks and the wire
 * logs, packed, which the page's script unpacks where somebody opens one. That keeps a run of 15,000 checks quick to open, and
 * memory bounded here: exchanges are rendered as they stream past.
 */
export async function* pageHtml(
  record: RunRecord,
  evidence: Evidence,
  { explain, stale = [] }: { readonly explain?: Explain; readonly stale?: readonly string[] } = {},
): AsyncGenerator<string> {
  const head = record.results;
  const numbers = new Map(head.checks.map((finding, number) => [finding.id, number]));
  const numberOf = (finding: Finding): number => numbers.get(finding.id) ?? -1;
  const places = placesOf(head);
  const { start, end } = frame(`${verdictSentence(head)} · ${visible(head.target.name)}`);
  const props = { head, evidence, explain, numberOf };

  yield start;
  yield '<a class="skip" href="#contract">To the contract</a>\n<main>\n';
  yield renderToString(<Overview head={head} stale={stale} />);
  yield renderToString(<Contents sections={sectionsOf(head)} />);
  yield '<p class="note unscripted">Without its script this page shows every finding, but not the recorded exchanges; results.json beside it has them.</p>';
  yield renderToString(<Broken {...props} />);
  // Where nothing is broken, what to do about the rest is the news.
  const news = !head.checks.some(({ outcome }) => outcome === 'failed');
  if (news) yield renderToString(<Unjudged head={head} />);

  yield '<section id="contract"><h2>The contract, clause by clause</h2>';
  yield renderToString(<Filter head={head} />);
  for (const clause of head.clauses) {
    const own = places.get(clause.id) ?? [];
    const here = new Set(own.map(({ id }) => id));
    const elsewhere = clause.checks.filter((id) => !here.has(id));
    yield* clauseSection(clause, elsewhere, { findings: own, explain, numberOf });
  }
  const rest = places.get('') ?? [];
  if (rest.length > 0) {
    yield '<section class="clause" data-place><h3>Other checks</h3>';
    yield* ruleLines({ findings: rest, explain, numberOf });
    yield '</section>';
  }
  yield '<p class="nothing" hidden>No check matches.</p></section>';

  if (!news) yield renderToString(<Unjudged head={head} />);
  yield renderToString(<Beyond head={head} />);
  if (head.gaps.length > 0) {
    yield '<section id="gaps"><h2>What the contract leaves open</h2><p class="lead">Silence is never asserted. This is how the deployment behaves today, for the record; none of it can fail.</p>';
    for (const gap of head.gaps) yield* gapSection(gap, { findings: places.get(gap.id) ?? [], explain, numberOf });
    yield '</section>';
  }
  yield* operationsSection(head);
  yield renderToString(<About head={head} />);
  yield '</main>\n';

  yield* checkBlocks(head, evidence);
  yield* exchangeBlocks(record, evidence.inPage);
  yield end;
}

const sectionsOf = (head: RunHead): readonly { id: string; title: string; size?: number }[] => {
  const broken = head.checks.filter(isBroken).length;
  const known = head.checks.filter(isDeviation).length;
  const open = head.checks.filter(isOpen).length;
  const unjudged = open > 0 ? [{ id: 'open', title: 'Not judged', size: open }] : [];
  return [
    ...(broken > 0 ? [{ id: 'broken', title: 'Broken', size: broken }] : []),
    ...(known > 0 ? [{ id: 'known', title: 'Known', size: known }] : []),
    ...(broken + known === 0 ? unjudged : []),
    { id: 'contract', title: 'Contract', size: head.clauses.length },
    ...(broken + known > 0 ? unjudged : []),
    ...(head.counts.lenient > 0 ? [{ id: 'lenient', title: 'Beyond it', size: head.counts.lenient }] : []),
    ...(head.gaps.length > 0 ? [{ id: 'gaps', title: 'Left open', size: head.gaps.length }] : []),
    { id: 'operations', title: 'Operations', size: head.operations.length },
    { id: 'about', title: 'About' },
  ];
};

async function* checkBlocks(head: RunHead, evidence: Evidence): AsyncGenerator<string> {
  for (let from = 0; from < head.checks.length; from += checksInBlock) {
    const insides = head.checks
      .slice(from, from + checksInBlock)
      .map((finding) => renderToString(<CheckInside finding={finding} evidence={evidence} />));
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
