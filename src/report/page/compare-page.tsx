/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { groupBy } from '../../collections.js';
import { clip, count, counted } from '../../words.js';
import { type ComparedRow, type Comparison, comparisonSentence, type Regression } from '../compare.js';
import { contractName, verdictSentence } from '../run-summary.js';
import { capitalised, visible } from '../text.js';
import { Mark, Prose } from './components.js';
import { htmlDocument } from './html-document.js';

/** Equal rows beyond this number are not shown. */
const maxSame = 400;

/** The comparison page: clauses and checks as rows, runs as columns, differences first. */
export function* comparePageHtml(comparison: Comparison): Generator<string> {
  const { start, end } = htmlDocument(`${visible(comparisonSentence(comparison))} · access conformance`);
  yield start;
  yield '<main>';
  yield renderToString(<Opening of={comparison} />);
  yield renderToString(<Matrix title="Clauses" rows={comparison.clauses} of={comparison} />);
  yield renderToString(<Matrix title="Checks" rows={comparison.checks} of={comparison} />);
  yield renderToString(<Regressions of={comparison} />);
  yield '</main>';
  yield end;
}

const Opening = ({ of }: { of: Comparison }): JSX.Element => (
  <header class={`overview ${of.regressed ? 'bad' : 'good'}`}>
    <p class="kicker">Access conformance of {count(of.runs.length)} runs</p>
    <h1>{capitalised(visible(comparisonSentence(of)))}.</h1>
    {!of.sameContract && (
      <p class="lead">The runs judged different contracts. Checks that only some runs have are not regressions.</p>
    )}
    <dl class="particulars">
      {of.runs.map((run, at) => (
        <div>
          <dt>
            {at + 1}. {visible(run.name)}
          </dt>
          <dd>
            {verdictSentence(run.summary)}
            <br />
            {visible(run.baseUrl)}
            <br />
            {visible(contractName(run.summary.contract))}
            <br />
            <span class="hash">{visible(run.startedAt)}</span>
          </dd>
        </div>
      ))}
    </dl>
  </header>
);

/** Whether all runs judged the same deployment, one after the other. */
const oneTarget = ({ runs }: Comparison): boolean => new Set(runs.map(({ baseUrl }) => baseUrl)).size === 1;

const Regressions = ({ of }: { of: Comparison }): JSX.Element | null => {
  if (of.regressions.length === 0) return null;
  const reasons = byReason(of.regressions);
  return (
    <section id="regressions">
      <h2>
        {oneTarget(of) ? 'What became worse' : `What is worse than in ${visible(of.runs[0]?.name ?? 'the first')}`}
      </h2>
      {reasons.slice(0, maxSame).map((group) => (
        <Worse group={group} of={of} />
      ))}
      {reasons.length > maxSame && <p class="facts">and {counted(reasons.length - maxSame, 'more reason')}</p>}
    </section>
  );
};

/**
 * Groups regressions of a run with the same outcomes and cause; checks that are gone have the same
 * one.
 */
const byReason = (regressions: readonly Regression[]): readonly (readonly Regression[])[] => [
  ...groupBy(regressions, ({ run, before, after, cause, check }) =>
    JSON.stringify([run, before, after, after === undefined ? '' : (cause ?? check)]),
  ).values(),
];

const Worse = ({ group, of }: { group: readonly Regression[]; of: Comparison }): JSX.Element | null => {
  const [first] = group;
  if (!first) return null;
  return (
    <article class="reason-group">
      <p class="facts">
        {visible(of.runs[first.run]?.name ?? '')}: {first.before ?? 'not there'} →{' '}
        {first.after ? <Mark outcome={first.after} word /> : 'not there'}
      </p>
      <p class="reason">
        <Prose text={clip(first.reason, 1_000)} />
      </p>
      <ul class="links">
        {group.slice(0, 24).map(({ check }) => (
          <li>
            <code>{visible(check)}</code>
          </li>
        ))}
        {group.length > 24 && <li>and {count(group.length - 24)} more</li>}
      </ul>
    </article>
  );
};

const Matrix = ({
  title,
  rows,
  of,
}: {
  title: string;
  rows: readonly ComparedRow[];
  of: Comparison;
}): JSX.Element | null => {
  if (rows.length === 0) return null;
  const different = rows.filter(({ differs }) => differs);
  const same = rows.filter(({ differs }) => !differs);
  return (
    <section>
      <h2>{title}</h2>
      <Table
        caption={different.length === 0 ? 'No differences' : `${counted(different.length, 'difference')}`}
        rows={different}
        of={of}
      />
      {same.length > 0 && (
        <details class="all" open={different.length === 0 && same.length < 60}>
          <summary>{count(same.length)} the same in all runs</summary>
          <Table caption="The same in all runs" rows={same.slice(0, maxSame)} of={of} />
          {same.length > maxSame && <p class="facts">and {count(same.length - maxSame)} more</p>}
        </details>
      )}
    </section>
  );
};

const Table = ({
  caption,
  rows,
  of,
}: {
  caption: string;
  rows: readonly ComparedRow[];
  of: Comparison;
}): JSX.Element =>
  rows.length === 0 ? (
    <p class="facts">{caption}.</p>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide matrix scrolls sideways, which the keyboard must be able to do
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class="matrix">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{rows[0]?.kind === 'clause' ? 'Clause' : 'Check'}</th>
            {of.runs.map((run) => (
              <th scope="col">{visible(run.name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((compared) => (
            <tr>
              <th scope="row">
                <code>{visible(compared.id)}</code>
                <span class="facts">{clip(visible(compared.text), 200)}</span>
              </th>
              {compared.outcomes.map((outcome, at) => (
                <td title={clip(visible(compared.reasons[at] ?? ''), 400)}>
                  {outcome ? <Mark outcome={outcome} word /> : <span class="facts">not there</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
