/** @jsxImportSource preact */
import { type Outcome, outcomes } from '../../engine/outcomes.js';
import type { ClauseResult, Finding, GapResult } from '../../engine/results.js';
import { visible } from '../../visible.js';
import { count, counted } from '../../words.js';
import type { RunSummary } from '../run-summary.js';
import { Mark, Prose, sourceWords } from './components.js';
import type { CheckGroup } from './page-data.js';

/** A button for each outcome, and a search field. Hidden when scripts are off. */
export const Filter = ({ run }: { run: RunSummary }) => (
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
export const ClauseRow = ({ clause, place, at }: { clause: ClauseResult; place: CheckGroup; at: number }) => (
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
export const RestRow = ({ place, at }: { place: CheckGroup; at: number }) => (
  <details class="clause" id="other-checks" data-place={at} data-item>
    <summary>
      <span class="mark quiet" />
      <span class="id">Others</span>
      <span class="text">Checks of no clause and no gap</span>
      <span class="facts tally">{tally(place.checks)}</span>
    </summary>
  </details>
);

/** A gap of the contract as one row; the script inserts what was observed. */
export const GapRow = ({ gap, place, at }: { gap: GapResult; place: CheckGroup; at: number }) => (
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
