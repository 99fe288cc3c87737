/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { type Outcome, outcomes, worst } from '../../engine/outcomes.js';
import type { ClauseResult, Finding, GapResult } from '../../engine/results.js';
import type { Explain } from '../explain.js';
import type { RunHead } from '../sentences.js';
import { capitalised, clip, count, counted, visible } from '../text.js';
import { CheckRow } from './check.js';
import { Explained } from './explained.js';
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

/** One clause with its outcome and its checks, rule by rule. */
export const ClauseSection = ({
  clause,
  findings,
  elsewhere,
  explain,
  numberOf,
}: {
  clause: ClauseResult;
  findings: readonly Finding[];
  /** Checks of this clause that have their line under another one. */
  elsewhere: readonly string[];
  explain: Explain | undefined;
  numberOf: NumberOf;
}): JSX.Element => (
  <section class="clause" id={clause.id} data-place>
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
    <Rules findings={findings} explain={explain} numberOf={numberOf} />
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
    {findings.length + elsewhere.length === 0 && <p class="facts">No check of this run judges it.</p>}
  </section>
);

export const Rules = ({
  findings,
  explain,
  numberOf,
}: {
  findings: readonly Finding[];
  explain: Explain | undefined;
  numberOf: NumberOf;
}): JSX.Element => {
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const rule = rules.get(finding.rule);
    if (rule) rule.push(finding);
    else rules.set(finding.rule, [finding]);
  }
  return (
    <>
      {[...rules].map(([rule, own]) => (
        <div class="rule" data-group data-title={`${rule} ${own[0]?.title ?? ''}`.toLowerCase()}>
          <h4>{capitalised(visible(own[0]?.title ?? rule))}</h4>
          <Explained of={explain?.(rule)} title="What is sent and how it is judged" />
          {own.length > foldAbove ? (
            <details class="fold">
              <summary>
                <Mark outcome={worst(own.map(({ outcome }) => outcome))} /> {counted(own.length, 'operation')}:{' '}
                {tally(own)}
              </summary>
              <Rows findings={own} numberOf={numberOf} />
            </details>
          ) : (
            <Rows findings={own} numberOf={numberOf} />
          )}
        </div>
      ))}
    </>
  );
};

const Rows = ({ findings, numberOf }: { findings: readonly Finding[]; numberOf: NumberOf }): JSX.Element => (
  <div class="rows">
    {findings.map((finding) => (
      <CheckRow finding={finding} number={numberOf(finding)} />
    ))}
  </div>
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
export const GapSection = ({
  gap,
  findings,
  explain,
  numberOf,
}: {
  gap: GapResult;
  findings: readonly Finding[];
  explain: Explain | undefined;
  numberOf: NumberOf;
}): JSX.Element => {
  const facts = new Map<string, string[]>();
  for (const { fact, check } of gap.observations) {
    const checks = facts.get(fact);
    if (checks) checks.push(check);
    else facts.set(fact, [check]);
  }
  return (
    <section class="clause gap" id={gap.id} data-place>
      <h3>
        <span class="id">{visible(gap.id)}</span> {visible(gap.question)}
      </h3>
      {facts.size > 0 && (
        <ul class="observed">
          {[...facts].map(([fact, checks]) => (
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
          ))}
        </ul>
      )}
      {facts.size === 0 && (
        <p class="facts">
          <Prose text={gap.excluded ?? 'Nothing was observed in this run.'} />
        </p>
      )}
      {findings.length > 0 && (
        <details class="looked fold">
          <summary>
            {findings.length === 1 ? 'The check that looked' : `${count(findings.length)} checks that looked`}
          </summary>
          <Rules findings={findings} explain={explain} numberOf={numberOf} />
        </details>
      )}
    </section>
  );
};
