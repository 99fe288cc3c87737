/** @jsxImportSource preact */
import { toneOfVerdict } from '../../engine/outcomes.js';
import { visible } from '../../visible.js';
import { clip, count, counted, moment } from '../../words.js';
import { type PastRun, readingOf, type Standing } from '../history.js';
import { Prose, Wide } from './components.js';

/** Runs in the strip. */
const mostShown = 30;
/** Rows of the table. */
const mostCauses = 60;

const glyphs: Readonly<Record<PastRun['verdict'], string>> = {
  conformant: '✓',
  deviating: '~',
  drifted: '≠',
  incomplete: '?',
  'non-conformant': '✗',
};

const causesOf = ({ causes, moreCauses = 0 }: PastRun): number => causes.length + moreCauses;

const runWords = (run: PastRun): string => {
  const size = causesOf(run);
  const drift = run.drift ? `, ${counted(run.drift, 'fact')} other than in the baseline` : '';
  return `${moment(run.startedAt)}: ${run.verdict}${size > 0 ? `, ${counted(size, 'cause')}` : ''}${drift}`;
};

/**
 * The last runs as a strip, since when each cause of this run stands, and what is gone.
 * @param runs oldest first, this one last
 */
export const History = ({ runs }: { runs: readonly PastRun[] }) => {
  if (runs.length < 2) return null;
  const shown = runs.slice(-mostShown);
  const { standing, gone } = readingOf(runs);
  return (
    <section id="history" class="history">
      <h2>The last {count(shown.length)} runs</h2>
      <ol class="past" aria-label="Runs, oldest first">
        {shown.map((run, at) => (
          <li class={toneOfVerdict[run.verdict]} title={runWords(run)}>
            <Cell run={run} isLast={at === shown.length - 1} />
          </li>
        ))}
      </ol>
      <p class="facts">
        {moment(shown[0]?.startedAt ?? '')} to {moment(shown.at(-1)?.startedAt ?? '')} UTC
      </p>
      {standing.length > 0 && <StandingTable standing={standing} />}
      {gone.length > 0 && (
        <>
          <h3>Gone since the run before</h3>
          <ul class="links">
            {gone.slice(0, mostCauses).map(({ title }) => (
              <li>
                <Prose text={clip(title, 300)} />
              </li>
            ))}
            {gone.length > mostCauses && <li>and {count(gone.length - mostCauses)} more</li>}
          </ul>
        </>
      )}
    </section>
  );
};

const Cell = ({ run, isLast }: { run: PastRun; isLast: boolean }) => {
  const inside = (
    <span role="img" aria-label={`${runWords(run)}${isLast ? ' (this run)' : ''}`}>
      {glyphs[run.verdict]}
    </span>
  );
  return run.pipeline === undefined ? inside : <a href={run.pipeline}>{inside}</a>;
};

const StandingTable = ({ standing }: { standing: readonly Standing[] }) => (
  <Wide label="Since when causes stand">
    <table>
      <caption>Since when each cause stands, and the run that brought it</caption>
      <thead>
        <tr>
          {['Cause', 'Since', 'Runs', 'Brought by'].map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {standing.slice(0, mostCauses).map((one) => (
          <tr>
            <th scope="row">
              <Prose text={clip(one.cause.title, 300)} />
            </th>
            <td>{one.runs === 1 && !one.orEarlier ? 'new' : moment(one.since.startedAt)}</td>
            <td>{count(one.runs)}</td>
            <td>
              <BroughtBy of={one} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {standing.length > mostCauses && <p class="facts">and {counted(standing.length - mostCauses, 'more cause')}</p>}
  </Wide>
);

const BroughtBy = ({ of: { since, orEarlier, runs } }: { of: Standing }) => {
  if (orEarlier) return <>the first of this history, or one before it</>;
  const name = runs === 1 ? 'this run' : `the run of ${moment(since.startedAt)}`;
  return (
    <>
      {since.pipeline === undefined ? name : <a href={since.pipeline}>{name}</a>}
      {since.commit !== undefined && (
        <>
          {' '}
          <code>{visible(since.commit.slice(0, 12))}</code>
        </>
      )}
    </>
  );
};
