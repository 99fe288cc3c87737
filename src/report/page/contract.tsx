/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { groupBy } from '../../collections.js';
import { type Outcome, outcomes, worst } from '../../engine/outcomes.js';
import type { ClauseResult, Finding, GapResult } from '../../engine/results.js';
import { clip, count, counted } from '../../words.js';
import type { Explain } from '../explain.js';
import type { RunSummary } from '../run-summary.js';
import { capitalised, visible } from '../text.js';
import { CheckRow } from './check.js';
import { ExplanationDetails, Mark, Prose, Ref } from './components.js';
import { renderEach, renderWithSlots, slot } from './html-stream.js';

export type NumberOf = (finding: Finding) => number;

/** A rule with more checks is collapsed. */
const maxExpanded = 12;

/** Checks by the clause or gap that lists them. `''` has those without either. */
export const checksByClause = (run: RunSummary): ReadonlyMap<string, readonly Finding[]> => {
  const known = new Set(run.clauses.map(({ id }) => id));
  // Of several gaps that a check observes, the first one lists it.
  const gaps = new Map(
    [...run.gaps].reverse().flatMap((gap) => gap.observations.map(({ check }) => [check, gap.id] as const)),
  );
  return groupBy(run.checks, ({ id, clauses }) => clauses.find((clause) => known.has(clause)) ?? gaps.get(id) ?? '');
};

/** A button for each outcome, and a search field. Hidden when scripts are off. */
export const Filter = ({ run }: { run: RunSummary }): JSX.Element => (
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
        <span class="sr">Text to find in checks, operations and reasons</span>
        <input type="search" placeholder="Find a check or an operation" autocomplete="off" spellcheck={false} />
      </label>
      <output aria-live="polite" />
    </form>
  </search>
);

/** What the check lines need. */
interface Lines {
  readonly findings: readonly Finding[];
  readonly explain: Explain | undefined;
  readonly numberOf: NumberOf;
}

/**
 * A clause with its outcome and its checks by rule.
 * @param elsewhere ids of its checks that are listed under another clause
 */
export const clauseSection = (clause: ClauseResult, elsewhere: readonly string[], lines: Lines): Iterable<string> =>
  renderWithSlots(
    <Clause {...{ clause, elsewhere, empty: lines.findings.length + elsewhere.length === 0 }} />,
    ruleLines(lines),
  );

const Clause = ({
  clause,
  elsewhere,
  empty,
}: {
  clause: ClauseResult;
  elsewhere: readonly string[];
  empty: boolean;
}): JSX.Element => (
  <section class="clause marked" id={visible(clause.id)} data-place>
    <h3>
      <Mark outcome={clause.outcome} />
      <span>
        <span class="id">{visible(clause.id)}</span> {visible(clause.text)}
      </span>
    </h3>
    <p class="facts">
      <Mark outcome={clause.outcome} word /> · section {visible(clause.source)}
      {clause.position !== undefined && <> · {visible(clause.position)}</>}
    </p>
    {slot}
    {elsewhere.length > 0 && (
      <p class="facts">
        Also checked by{' '}
        {elsewhere.slice(0, 12).map((id, at) => (
          <>
            {at > 0 && ', '}
            <Ref id={id} />
          </>
        ))}
        {elsewhere.length > 12 && ` and ${count(elsewhere.length - 12)} more`}
      </p>
    )}
    {empty && (
      <p class="facts">
        {clause.reason === undefined ? 'No check of this run covers it.' : <Prose text={clause.reason} />}
      </p>
    )}
  </section>
);

/** Checks by rule, one a line. */
export function* ruleLines({ findings, explain, numberOf }: Lines): Generator<string> {
  for (const [rule, own] of groupBy(findings, (finding) => finding.rule)) {
    const title = own[0]?.title ?? rule;
    yield* renderWithSlots(
      <div class="rule" data-group data-title={`${rule} ${title}`.toLowerCase()}>
        <h4>{capitalised(visible(title))}</h4>
        <ExplanationDetails of={explain?.(rule)} title="What is sent and how it is judged" />
        <Foldable of={own}>
          <div class="rows">{slot}</div>
        </Foldable>
      </div>,
      renderEach(own, (finding) => <CheckRow finding={finding} number={numberOf(finding)} />),
    );
  }
}

const Foldable = ({ of, children }: { of: readonly Finding[]; children: JSX.Element }): JSX.Element =>
  of.length > maxExpanded ? (
    <details class="fold">
      <summary>
        <Mark outcome={worst(of.map(({ outcome }) => outcome))} /> {counted(of.length, 'operation')}: {tally(of)}
      </summary>
      {children}
    </details>
  ) : (
    children
  );

/** `3 failed, 12 passed` */
export const tally = (findings: readonly Finding[]): string => {
  const counts = new Map<Outcome, number>();
  for (const { outcome } of findings) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return outcomes
    .flatMap(({ outcome }) => (counts.has(outcome) ? [`${count(counts.get(outcome) ?? 0)} ${outcome}`] : []))
    .join(', ');
};

/** A gap of the contract, and what was observed. */
export function* gapSection(gap: GapResult, lines: Lines): Generator<string> {
  const facts = groupBy(gap.observations, ({ fact }) => fact);
  const seen = renderEach([...facts], ([fact, observations]) => (
    <Fact fact={fact} checks={observations.map(({ check }) => check)} />
  ));
  const { length } = lines.findings;
  yield* renderWithSlots(
    <section class="clause gap" id={visible(gap.id)} data-place>
      <h3>
        <span class="id">{visible(gap.id)}</span> {visible(gap.question)}
      </h3>
      {facts.size > 0 ? (
        <ul class="observed">{slot}</ul>
      ) : (
        <p class="facts">
          {slot}
          <Prose text={gap.excluded ?? 'Nothing was observed in this run.'} />
        </p>
      )}
      {length > 0 && (
        <details class="looked fold">
          <summary>Observed by {counted(length, 'check')}</summary>
          {slot}
        </details>
      )}
    </section>,
    seen,
    ...(length > 0 ? [ruleLines(lines)] : []),
  );
}

const Fact = ({ fact, checks }: { fact: string; checks: readonly string[] }): JSX.Element => (
  <li>
    <Prose text={clip(fact, 1_500)} />{' '}
    <span class="facts">
      {checks.slice(0, 3).map((check, at) => (
        <>
          {at > 0 && ', '}
          <Ref id={check}>{visible(check.slice(check.indexOf('@') + 1))}</Ref>
        </>
      ))}
      {checks.length > 3 && ` and ${count(checks.length - 3)} more`}
    </span>
  </li>
);
