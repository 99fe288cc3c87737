/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import { type Outcome, outcomes } from '../../engine/outcomes.js';
import type { ClauseResult, Finding, GapResult, RunRecord } from '../../engine/results.js';
import { visible } from '../../visible.js';
import { count, counted } from '../../words.js';
import { type ShownCauses, shownCauses } from '../causes.js';
import type { Explain } from '../describe-finding.js';
import type { Evidence } from '../evidence.js';
import type { PastRun } from '../history.js';
import { findingsById, type RunSummary, verdictSentence } from '../run-summary.js';
import { accessSection } from './access.js';
import { BrokenCauses, type CausesProps, kindsOfCauses, OtherCauses } from './causes.js';
import { CheckDetails } from './check.js';
import {
  ExplanationDetails,
  htmlDocument,
  inlineJson,
  Mark,
  Prose,
  packed,
  renderEach,
  renderWithSlots,
  slot,
  sourceWords,
} from './components.js';
import { DriftSection } from './drift.js';
import { ExchangeLog } from './exchange.js';
import { History } from './history.js';
import { About, Contents, Overview, type Section, Unprobed } from './overview.js';
import { type CheckGroup, type Places, pageData, placesOf } from './page-data.js';

/** A button for each outcome, and a search field. Hidden when scripts are off. */
const Filter = ({ run }: { run: RunSummary }) => (
  <search class="filter">
    <form data-filter>
      <fieldset>
        <legend class="sr">Outcomes to show</legend>
        {outcomes
          .filter(({ outcome }) => run.counts[outcome] > 0)
          .map(({ outcome, meaning }) => (
            <button type="button" data-show={outcome} aria-pressed="false" title={meaning}>
              <Mark outcome={outcome} word /> {count(run.counts[outcome])}
            </button>
          ))}
      </fieldset>
      <label>
        <span class="sr">Text to find in paths, methods, operations, clauses and reasons</span>
        <input type="search" placeholder="Find a path, an operation, a clause" autocomplete="off" spellcheck={false} />
      </label>
      <output aria-live="polite" />
    </form>
  </search>
);

/**
 * A clause as one row. The script inserts its checks, by rule, when it is opened.
 * @param at the number of its place in the data
 */
const ClauseRow = ({ clause, place, at }: { clause: ClauseResult; place: CheckGroup; at: number }) => (
  <details class="clause" id={visible(clause.id)} data-place={at} data-item>
    <summary>
      <Mark outcome={clause.outcome} />
      <span class="id">{visible(clause.id)}</span>
      <span class="text">{visible(clause.text)}</span>
      <span class="facts tally">{place.checks.length > 0 ? tally(place.checks) : clause.outcome}</span>
    </summary>
    <p class="facts">
      {sourceWords(clause.source)}
      {clause.position !== undefined && <>, {visible(clause.position)}</>}
    </p>
    {place.checks.length + place.elsewhere.length === 0 && (
      <p class="facts">
        {clause.reason === undefined ? 'No check of this run covers it.' : <Prose text={clause.reason} />}
      </p>
    )}
  </details>
);

/** Checks of no clause and no gap. */
const RestRow = ({ place, at }: { place: CheckGroup; at: number }) => (
  <details class="clause" id="other-checks" data-place={at} data-item>
    <summary>
      <span class="mark quiet" />
      <span class="id">Others</span>
      <span class="text">Checks that belong to no clause or gap</span>
      <span class="facts tally">{tally(place.checks)}</span>
    </summary>
  </details>
);

/** A gap of the contract as one row; the script inserts what was observed. */
const GapRow = ({ gap, place, at }: { gap: GapResult; place: CheckGroup; at: number }) => (
  <details class="clause gap" id={visible(gap.id)} data-place={at} data-item>
    <summary>
      <span class="mark quiet">·</span>
      <span class="id">{visible(gap.id)}</span>
      <span class="text">{visible(gap.question)}</span>
      <span class="facts tally">{place.facts.length > 0 ? counted(place.facts.length, 'answer') : 'not observed'}</span>
    </summary>
    {place.facts.length === 0 && (
      <p class="facts">
        <Prose text={gap.excluded ?? 'Nothing was observed in this run.'} />
      </p>
    )}
  </details>
);

/** `3 failed, 12 passed` */
const tally = (findings: readonly Finding[]): string => {
  const counts = new Map<Outcome, number>();
  for (const { outcome } of findings) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return outcomes
    .flatMap(({ outcome }) => (counts.has(outcome) ? [`${count(counts.get(outcome) ?? 0)} ${outcome}`] : []))
    .join(', ');
};

/** Size of packed blocks. Opening a check or an exchange unpacks one block. */
const checksInBlock = 64;
const exchangesInBlock = 64;
const charactersInBlock = 1 << 20;

interface PageOptions {
  readonly explain?: Explain;
  readonly stale?: readonly string[];
  /** Earlier runs, oldest first, and this one. */
  readonly history?: readonly PastRun[];
}

/**
 * The conformance page in pieces. Verdict, causes and access matrix are plain HTML. Checks are data
 * of which the page's script makes rows; details of checks and exchanges are packed, and the script
 * unpacks those that are opened. So a run of 15,000 checks opens quickly.
 */
export async function* pageHtml(
  record: RunRecord,
  evidence: Evidence,
  { explain, stale = [], history = [] }: PageOptions = {},
): AsyncGenerator<string> {
  const run = record.results;
  const numbers = new Map(run.checks.map(({ id }, number) => [id, number]));
  const findings = findingsById(run);
  const places = placesOf(run);
  const { start, end } = htmlDocument(`${verdictSentence(run)} · ${visible(run.target.name)}`);
  const causes = shownCauses(run);
  const props: CausesProps = {
    run,
    causes,
    evidence,
    explain,
    findings,
    numberOf: (check) => numbers.get(check) ?? -1,
  };
  const { broken, accepted, open, lenient } = kindsOfCauses;

  yield start;
  yield '<a class="skip" href="#contract">To the contract</a>\n<main>\n';
  yield renderToString(
    <Overview
      run={run}
      worst={[causes.broken, causes.open, causes.accepted].find((some) => some.length > 0) ?? []}
      stale={stale}
    />,
  );
  yield renderToString(<Contents sections={sectionsOf(run, causes)} />);
  yield renderToString(<Filter run={run} />);
  yield '<p class="note unscripted">Scripts are off. This page shows what is wrong and who gets what, but neither single checks nor recorded exchanges, which are in results.json.</p>';
  yield '<p class="nothing" hidden>Nothing matches.</p>';
  yield renderToString(<BrokenCauses kind={broken} {...props} />);
  yield renderToString(<BrokenCauses kind={accepted} {...props} />);
  yield renderToString(<DriftSection {...props} />);
  yield renderToString(<OtherCauses kind={open} {...props} />);
  yield renderToString(<History runs={history} />);
  yield* accessSection(run, findings);
  yield* contractSection(run, places);
  yield renderToString(<OtherCauses kind={lenient} {...props} />);
  yield* gapsSection(run, places);
  yield renderToString(<Unprobed run={run} />);
  yield renderToString(<About run={run} />);
  yield '</main>\n';

  yield* pageData({
    run,
    places: [...places.clauses, places.rest, ...places.gaps],
    numberOf: props.numberOf,
    explanation: (rule) =>
      renderToString(<ExplanationDetails of={explain?.(rule)} title="What is sent and how it is judged" />),
    checksInBlock,
  });
  yield* checkBlocks(run, evidence);
  yield* exchangeBlocks(record, evidence.inPage);
  yield end;
}

const noChecks = { id: '', checks: [], elsewhere: [], facts: [] };

const contractSection = (run: RunSummary, { clauses, rest }: Places): Iterable<string> =>
  renderWithSlots(
    <section id="contract" data-section>
      <h2>The contract, clause by clause</h2>
      {slot}
      {rest.checks.length > 0 && <RestRow place={rest} at={clauses.length} />}
    </section>,
    renderEach(run.clauses, (clause, at) => <ClauseRow clause={clause} place={clauses[at] ?? noChecks} at={at} />),
  );

const gapsSection = (run: RunSummary, { clauses, gaps }: Places): Iterable<string> => {
  if (run.gaps.length === 0) return [];
  const before = clauses.length + 1;
  return renderWithSlots(
    <section id="gaps" data-section>
      <h2>What the contract leaves open</h2>
      <details class="all">
        <summary>What was observed, which cannot fail</summary>
        {slot}
      </details>
    </section>,
    renderEach(run.gaps, (gap, at) => <GapRow gap={gap} place={gaps[at] ?? noChecks} at={before + at} />),
  );
};

const sectionsOf = (run: RunSummary, shown: ShownCauses): readonly Section[] => {
  const causes = (id: keyof ShownCauses): Section => ({ id, title: kindsOfCauses[id].short, size: shown[id].length });
  return [
    causes('broken'),
    causes('accepted'),
    causes('open'),
    { id: 'drift', title: 'Drift', size: run.drift?.length ?? 0 },
    { id: 'access', title: 'Who gets what', size: run.matrix.length > 0 ? run.operations.length : 0 },
    { id: 'contract', title: 'Contract', size: run.clauses.length },
    causes('lenient'),
    { id: 'gaps', title: 'Left open', size: run.gaps.length },
    { id: 'not-probed', title: 'Not probed', size: run.operations.filter(({ probed }) => !probed).length },
    { id: 'about', title: 'About' },
  ].filter(({ id, size }) => size !== 0 || id === 'contract');
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
  for await (const exchange of wanted?.size === 0 ? [] : record.exchanges(wanted)) {
    // A record may give more than what is wanted.
    if (wanted && !wanted.has(exchange.id)) continue;
    const html = renderToString(<ExchangeLog exchange={exchange} options={record.results.options} />);
    block.push([exchange.id, html]);
    size += html.length;
    if (block.length >= exchangesInBlock || size > charactersInBlock) yield await flush();
  }
  if (block.length > 0) yield await flush();
  yield inlineJson('index', { exchanges: index });
}
