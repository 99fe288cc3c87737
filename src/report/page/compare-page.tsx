/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type ComparedRow, type Comparison, comparisonSentence } from '../compare.js';
import { verdictSentence } from '../sentences.js';
import { capitalised, clip, count, visible } from '../text.js';
import { frame } from './frame.js';
import { Mark } from './words.js';

/** More equal rows than this are left to the runs' own pages. */
const mostSame = 400;

/** The matrix page: clauses and checks beside each other, a column a run, differences first. One file like the conformance page. */
export function* comparePageHtml(comparison: Comparison): Generator<string> {
  const { start, end } = frame(`${visible(comparisonSentence(comparison))} · access conformance`);
  yield start;
  yield '<main>';
  yield renderToString(<Opening of={comparison} />);
  yield renderToString(<Regressions of={comparison} />);
  yield renderToString(<Matrix title="Clauses" rows={comparison.clauses} of={comparison} />);
  yield renderToString(<Matrix title="Checks" rows={comparison.checks} of={comparison} />);
  yield '</main>';
  yield end;
}

const Opening = ({ of }: { of: Comparison }): JSX.Element => (
  <header class={`overview ${of.regressed ? 'bad' : 'good'}`}>
    <p class="kicker">Access conformance of {count(of.runs.length)} runs</p>
    <h1>{capitalised(visible(comparisonSentence(of)))}.</h1>
    {!of.sameContract && (
      <p class="lead">
        The runs judged different contracts, so what only some of them have is not called a regression.
      </p>
    )}
    <dl class="particulars">
      {of.runs.map((run, at) => (
        <div>
          <dt>
            {at + 1}. {visible(run.name)}
          </dt>
          <dd>
            {verdictSentence(run.head)}
            <br />
            {visible(run.baseUrl)}
            <br />
            <span class="hash">{visible(run.startedAt)}</span>
          </dd>
        </div>
      ))}
    </dl>
  </header>
);

const Regressions = ({ of }: { of: Comparison }): JSX.Element | null => {
  if (of.regressions.length === 0) return null;
  return (
    <section id="regressions">
      <h2>What became worse</h2>
      {of.regressions.slice(0, mostSame).map((regression) => (
        <article class="saying">
          <p class="reason">
            <code>{visible(regression.check)}</code> in {visible(of.runs[regression.run]?.name ?? '')}:{' '}
            {regression.before ?? 'not there'} →{' '}
            {regression.after ? <Mark outcome={regression.after} word /> : 'not there'}
          </p>
          <p class="facts">{capitalised(clip(visible(regression.reason), 1_000))}</p>
        </article>
      ))}
      {of.regressions.length > mostSame && <p class="facts">and {count(of.regressions.length - mostSame)} more</p>}
    </section>
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
        caption={different.length === 0 ? 'No differences' : `${count(different.length)} that differ`}
        rows={different}
        of={of}
      />
      {same.length > 0 && (
        <details class="all" open={different.length === 0 && same.length < 60}>
          <summary>{count(same.length)} the same in all runs</summary>
          <Table caption="The same in all runs" rows={same.slice(0, mostSame)} of={of} />
          {same.length > mostSame && <p class="facts">and {count(same.length - mostSame)} more</p>}
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
