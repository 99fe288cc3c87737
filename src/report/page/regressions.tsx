/** @jsxImportSource preact */
import { groupBy } from '../../collections.js';
import { visible } from '../../visible.js';
import { clip, count, counted } from '../../words.js';
import type { Comparison, Regression } from '../compare.js';
import { Mark, Prose } from './components.js';

/** Reasons beyond this number are not shown. */
const maxReasons = 400;

/** What became worse, cause by cause. */
export const Regressions = ({ of }: { of: Comparison }) => {
  if (of.regressions.length === 0) return null;
  const reasons = byReason(of.regressions);
  const isOneDeployment = new Set(of.runs.map(({ baseUrl }) => baseUrl)).size === 1;
  const first = visible(of.runs[0]?.name ?? 'the first');
  return (
    <section id="regressions">
      <h2>{isOneDeployment ? 'What became worse' : `What is worse than in ${first}`}</h2>
      {reasons.slice(0, maxReasons).map((group) => (
        <Worse group={group} of={of} />
      ))}
      {reasons.length > maxReasons && <p class="facts">and {counted(reasons.length - maxReasons, 'more reason')}</p>}
    </section>
  );
};

/**
 * Groups regressions of a run by their cause, with what waits for it. Checks that are gone are one.
 */
const byReason = (regressions: readonly Regression[]): readonly (readonly Regression[])[] => {
  const keyOf = ({ run, before, after, cause, check, under }: Regression): readonly unknown[] =>
    under === undefined ? [run, before, after, after === undefined ? '' : (cause ?? check)] : [run, under];
  return [...groupBy(regressions, (regression) => JSON.stringify(keyOf(regression))).values()];
};

const Worse = ({ group, of }: { group: readonly Regression[]; of: Comparison }) => {
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

const Checks = ({ of }: { of: readonly Regression[] }) =>
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
