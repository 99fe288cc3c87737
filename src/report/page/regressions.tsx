/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { groupBy } from '../../collections.js';
import { clip, count, counted } from '../../words.js';
import type { Comparison, Regression } from '../compare.js';
import { visible } from '../text.js';
import { Mark, Prose } from './components.js';

/** Reasons beyond this number are not shown. */
const maxReasons = 400;

/** Whether all runs judged the same deployment, one after the other. */
const oneTarget = ({ runs }: Comparison): boolean => new Set(runs.map(({ baseUrl }) => baseUrl)).size === 1;

/** What became worse, cause by cause. */
export const Regressions = ({ of }: { of: Comparison }): JSX.Element | null => {
  if (of.regressions.length === 0) return null;
  const reasons = byReason(of.regressions);
  return (
    <section id="regressions">
      <h2>
        {oneTarget(of) ? 'What became worse' : `What is worse than in ${visible(of.runs[0]?.name ?? 'the first')}`}
      </h2>
      {reasons.slice(0, maxReasons).map((group) => (
        <Worse group={group} of={of} />
      ))}
      {reasons.length > maxReasons && <p class="facts">and {counted(reasons.length - maxReasons, 'more reason')}</p>}
    </section>
  );
};

/**
 * Groups regressions of a run by their cause, with what waits for it; checks that are gone have the
 * same one.
 */
const byReason = (regressions: readonly Regression[]): readonly (readonly Regression[])[] => [
  ...groupBy(regressions, ({ run, before, after, cause, check, under }) =>
    JSON.stringify(
      under === undefined ? [run, before, after, after === undefined ? '' : (cause ?? check)] : [run, under],
    ),
  ).values(),
];

const Worse = ({ group, of }: { group: readonly Regression[]; of: Comparison }): JSX.Element | null => {
  const waiting = group.filter(({ waits }) => waits);
  const own = group.filter(({ waits }) => !waits);
  const [first = waiting[0]] = own;
  if (!first) return null;
  return (
    <article class="reason-group">
      <p class="facts">
        {visible(of.runs[first.run]?.name ?? '')}: {first.before ?? 'not there'} →{' '}
        {first.after ? <Mark outcome={first.after} word /> : 'not there'}
      </p>
      {first.under !== undefined && (
        <h3>
          <Prose text={clip(first.under, 300)} />
        </h3>
      )}
      {own.length > 0 && (
        <p class="reason">
          <Prose text={clip(first.reason, 1_000)} />
        </p>
      )}
      <Checks of={own} />
      {waiting.length > 0 && (
        <details>
          <summary>
            {counted(waiting.length, 'check waits', 'checks wait')} for this, and cannot be judged until then
          </summary>
          <Checks of={waiting} />
        </details>
      )}
    </article>
  );
};

/** Checks of a group that are listed. */
const maxListed = 24;

const Checks = ({ of }: { of: readonly Regression[] }): JSX.Element | null =>
  of.length === 0 ? null : (
    <ul class="links">
      {of.slice(0, maxListed).map(({ check }) => (
        <li>
          <code>{visible(check)}</code>
        </li>
      ))}
      {of.length > maxListed && <li>and {count(of.length - maxListed)} more</li>}
    </ul>
  );
