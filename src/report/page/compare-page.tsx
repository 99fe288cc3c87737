/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import { entryOf, toneOfVerdict } from '../../engine/outcomes.js';
import { visible } from '../../visible.js';
import { capitalised, clip, count, counted, moment } from '../../words.js';
import {
  type ComparedRow,
  type ComparedRun,
  type Comparison,
  comparisonSentence,
  differencesSentence,
} from '../compare.js';
import { type CauseSight, type ComparedCause, causesSentence, sizeChange } from '../compared-causes.js';
import { driftWords } from '../describe-finding.js';
import { contractName, verdictSentence } from '../run-summary.js';
import { htmlDocument, Mark, Prose, Sign, type Term, Terms, Wide } from './components.js';
import { Regressions } from './regressions.js';

/** Equal rows beyond this number are not shown. */
const maxSame = 400;

/** The address of a run's own report, from the comparison page; `undefined` where there is none. */
export type LinkOf = (run: ComparedRun) => string | undefined;

/** A comparison as the parts of its page take it. */
interface LinkedComparison extends Comparison {
  readonly linkOf: LinkOf;
}

/** The comparison page: causes, clauses and checks as rows, runs as columns, differences first. */
export function* comparePageHtml(given: Comparison, linkOf: LinkOf = () => undefined): Generator<string> {
  const comparison: LinkedComparison = { ...given, linkOf };
  const { start, end } = htmlDocument(`${visible(comparisonSentence(comparison))} · access conformance`);
  yield start;
  yield '<main>';
  yield renderToString(<Opening of={comparison} />);
  yield renderToString(<Causes of={comparison} />);
  yield renderToString(<ComparedDrifts of={comparison} />);
  yield renderToString(<Matrix title="Clauses" rows={comparison.clauses} of={comparison} />);
  yield renderToString(<Matrix title="Checks" rows={comparison.checks} of={comparison} />);
  yield renderToString(<Regressions of={comparison} />);
  yield '</main>';
  yield end;
}

const worstTone = ({ kind, runs, regressed }: Comparison): string => {
  if (kind === 'runs') return regressed ? 'bad' : 'good';
  const tones = runs.map(({ verdict }) => toneOfVerdict[verdict]);
  return (['bad', 'open', 'warn'] as const).find((tone) => tones.includes(tone)) ?? 'good';
};

const Opening = ({ of }: { of: LinkedComparison }) => (
  <header class={`overview ${worstTone(of)}`}>
    <p class="kicker">
      Access conformance of {count(of.runs.length)} {of.kind === 'targets' ? 'deployments' : 'runs'}
    </p>
    <h1>{capitalised(visible(comparisonSentence(of)))}.</h1>
    {of.kind === 'targets' && <p class="lead">{capitalised(visible(differencesSentence(of)))}.</p>}
    {!of.sameContract && (
      <p class="lead">The runs judged different contracts. Checks that only some runs have are not regressions.</p>
    )}
    <Terms
      kind="particulars"
      of={of.runs.map(
        (run, at): Term => [
          <>
            {at + 1}. <RunName run={run} of={of} />
          </>,
          <>
            {verdictSentence(run.summary)}
            <br />
            <span class="facts">
              {visible(run.baseUrl)} · {visible(contractName(run.summary.contract))} ·{' '}
              {visible(moment(run.startedAt, true))} UTC
            </span>
          </>,
        ],
      )}
    />
  </header>
);

/** A run's name, which leads to its own report. */
const RunName = ({ run, of }: { run: ComparedRun; of: LinkedComparison }) => {
  const link = of.linkOf(run);
  return link === undefined ? visible(run.name) : <a href={link}>{visible(run.name)}</a>;
};

/**
 * The column heads of a table with a column a run; those of the first table have the verdicts
 * below.
 */
const TableHead = ({ first, verdicts = false, of }: { first: string; verdicts?: boolean; of: LinkedComparison }) => (
  <thead>
    <tr>
      <th scope="col">{first}</th>
      {of.runs.map((run) => (
        <th scope="col">
          <RunName run={run} of={of} />
        </th>
      ))}
    </tr>
    {verdicts && (
      <tr>
        <th scope="row">Verdict</th>
        {of.runs.map(({ verdict }) => (
          <td>
            <span class={`mark ${toneOfVerdict[verdict]}`}>{verdict}</span>
          </td>
        ))}
      </tr>
    )}
  </thead>
);

/** Whether a run has a cause. Where it has, the mark is that of the cause's checks. */
const Sight = ({ of, sight }: { of: ComparedCause; sight: CauseSight }) => {
  const { tone, glyph, word } = {
    seen: { ...entryOf(of.outcome), word: 'there' },
    unseen: { tone: 'good', glyph: '✓', word: 'not there' },
    unjudged: { tone: 'open', glyph: '?', word: 'not judged' },
  }[sight];
  return <Sign tone={tone} glyph={glyph} word={word} />;
};

/** What later runs saw of the deployment otherwise than the first. */
const ComparedDrifts = ({ of }: { of: LinkedComparison }) =>
  of.drift.length === 0 ? null : (
    <section id="drift">
      <h2>Drift</h2>
      <p class="lead">What the contract leaves open, and a later run saw otherwise than the first.</p>
      <ul>
        {of.drift.slice(0, maxSame).map((drift) => (
          <li>
            {visible(of.runs[drift.run]?.name ?? '')}: <code>{visible(drift.id)}</code>, {visible(driftWords(drift))}
          </li>
        ))}
      </ul>
    </section>
  );

/** Each cause, and which of the runs has it. */
const Causes = ({ of }: { of: LinkedComparison }) => {
  if (of.causes.length === 0) return null;
  const shown = of.causes.slice(0, maxSame);
  return (
    <section id="causes">
      <h2>Causes</h2>
      <Wide label="Causes">
        <table class="matrix">
          <caption>
            {of.kind === 'runs' ? `${causesSentence(of.causes)}.` : `${counted(of.causes.length, 'cause')} in all.`}
          </caption>
          <TableHead first="Cause" verdicts of={of} />
          <tbody>
            {shown.map((cause) => (
              <tr>
                <th scope="row">
                  <Prose text={clip(cause.title, 300)} />
                  <span class="facts">
                    {of.kind === 'runs' &&
                      `${cause.change === 'differs' ? 'in some runs' : cause.change}${sizeChange(cause)} · `}
                    <code>{visible(cause.id)}</code>
                  </span>
                </th>
                {cause.seen.map((sight) => (
                  <td>
                    <Sight of={cause} sight={sight} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {of.causes.length > shown.length && (
        <p class="facts">and {counted(of.causes.length - shown.length, 'more cause')}</p>
      )}
    </section>
  );
};

const Matrix = ({ title, rows, of }: { title: string; rows: readonly ComparedRow[]; of: LinkedComparison }) => {
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

const Table = ({ caption, rows, of }: { caption: string; rows: readonly ComparedRow[]; of: LinkedComparison }) =>
  rows.length === 0 ? (
    <p class="facts">{caption}.</p>
  ) : (
    <Wide label={caption}>
      <table class="matrix">
        <caption>{caption}</caption>
        <TableHead
          first={rows[0]?.kind === 'clause' ? 'Clause' : 'Check'}
          verdicts={rows[0]?.kind === 'clause' && of.causes.length === 0}
          of={of}
        />
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
    </Wide>
  );
