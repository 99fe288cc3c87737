/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { type Outcome, outcomes, worst } from '../../engine/outcomes.js';
import type { ClauseResult, Finding, GapResult } from '../../engine/results.js';
import { clip, count, counted } from '../../words.js';
import type { Explain } from '../explain.js';
import type { RunHead } from '../sentences.js';
import { capitalised, visible } from '../text.js';
import { CheckRow } from './check.js';
import { Explained } from './explained.js';
import { around, each, hole } from './pieces.js';
import { Mark, Prose, Ref } from './words.js';

export type NumberOf = (finding: Finding) => number;

/** More lines of one rule than this are folded. */
const foldAbove = 12;

/** Where each check has its line: under its first clause that the contract has, under its first gap, or with the rest. */
export const placesOf = (head: RunHead): ReadonlyMap<string, readonly Finding[]> => {
  const known = new Set([...head.clauses, ...head.gaps].map(({ id }) => id));
  const places = new Map<string, Finding[]>();
  for (const finding of head.checks) {
    const place = finding.clauses.find((clause) => known.has(clause)) ?? '';
    const there = places.get(place);
    if (there) there.push(finding);
    else places.set(place, [finding]);
  }
  return places;
};

/** The filter: one button an outcome that occurs, and a text. It needs the script and stays away without it. */
export const Filter = ({ head }: { head: RunHead }): JSX.Element => (
  <search class="filter">
    <form data-filter>
      <fieldset>
        <legend class="sr">Outcomes to show</legend>
        {outcomes
          .filter(({ outcome }) => head.counts[outcome] > 0)
          .map(({ outcome, meaning }) => (
            <button type="button" data-show={outcome} aria-pressed="false" title={meaning}>
              <Mark outcome={outcome} word /> {count(head.counts[outcome])}
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

/** What lines of checks are made with. */
interface Lines {
  readonly findings: readonly Finding[];
  readonly explain: Explain | undefined;
  readonly numberOf: NumberOf;
}

/**
 * One clause with its outcome and its checks, rule by rule.
 * @param elsewhere checks of this clause that have their line under another one
 */
export const clauseSection = (clause: ClauseResult, elsewhere: readonly string[], lines: Lines): Iterable<string> =>
  around(
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
    {hole}
    {elsewhere.length > 0 && (
      <p class="facts">
        Proved too by{' '}
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
        {clause.reason === undefined ? 'No check of this run judges it.' : <Prose text={clause.reason} />}
      </p>
    )}
  </section>
);

/** Checks rule by rule, a line each. */
export function* ruleLines({ findings, explain, numberOf }: Lines): Generator<string> {
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const rule = rules.get(finding.rule);
    if (rule) rule.push(finding);
    else rules.set(finding.rule, [finding]);
  }
  for (const [rule, own] of rules) {
    const title = own[0]?.title ?? rule;
    yield* around(
      <div class="rule" data-group data-title={`${rule} ${title}`.toLowerCase()}>
        <h4>{capitalised(visible(title))}</h4>
        <Explained of={explain?.(rule)} title="What is sent and how it is judged" />
        <Foldable of={own}>
          <div class="rows">{hole}</div>
        </Foldable>
      </div>,
      each(own, (finding) => <CheckRow finding={finding} number={numberOf(finding)} />),
    );
  }
}

const Foldable = ({ of, children }: { of: readonly Finding[]; children: JSX.Element }): JSX.Element =>
  of.length > foldAbove ? (
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

/** What the contract leaves open, and what was seen there. */
export function* gapSection(gap: GapResult, lines: Lines): Generator<string> {
  const facts = new Map<string, string[]>();
  for (const { fact, check } of gap.observations) {
    const checks = facts.get(fact);
    if (checks) checks.push(check);
    else facts.set(fact, [check]);
  }
  const seen = each([...facts], ([fact, checks]) => <Fact fact={fact} checks={checks} />);
  const { length } = lines.findings;
  yield* around(
    <section class="clause gap" id={visible(gap.id)} data-place>
      <h3>
        <span class="id">{visible(gap.id)}</span> {visible(gap.question)}
      </h3>
      {facts.size > 0 ? (
        <ul class="observed">{hole}</ul>
      ) : (
        <p class="facts">
          {hole}
          <Prose text={gap.excluded ?? 'Nothing was observed in this run.'} />
        </p>
      )}
      {length > 0 && (
        <details class="looked fold">
          <summary>{length === 1 ? 'The check that looked' : `${counted(length, 'check')} that looked`}</summary>
          {hole}
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
