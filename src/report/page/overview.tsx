/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { entryOf, type Verdict } from '../../engine/outcomes.js';
import { count, counted } from '../../words.js';
import {
  contractName,
  extentOfClause,
  findingsById,
  isUnreachable,
  type RunSummary,
  shardOf,
  unprobedSentence,
  verdictSentence,
} from '../run-summary.js';
import { duration, visible } from '../text.js';
import { Mark } from './components.js';

const toneOf: Readonly<Record<Verdict, string>> = {
  conformant: 'good',
  deviating: 'warn',
  drifted: 'bad',
  incomplete: 'open',
  'non-conformant': 'bad',
};

const meaningOf: Readonly<Record<Verdict, string>> = {
  conformant: 'Every clause that was judged holds on this deployment.',
  deviating: 'All failures are listed as known deviations. The deployment is not called conformant.',
  drifted: 'The deployment is no longer as the baseline says. No failure of the contract was seen.',
  incomplete: 'No failure was seen, but not everything could be judged. The reasons below say what to do.',
  'non-conformant': 'Each failure below was seen twice. Its curl command repeats the request.',
};

/** `2026-05-04 09:12:44 UTC` */
const moment = (iso: string): string =>
  visible(iso)
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, ' UTC');

/** Keeps numbers on one line with what they count. */
const unbroken = (sentence: string): string => sentence.replace(/(\d) of (\d[\d,]*) /g, '$1\u00a0of\u00a0$2\u00a0');

const leftOut = (run: RunSummary): string => {
  const excluded = run.clauses.filter(({ outcome }) => outcome === 'excluded').length;
  if (excluded === 0) return '';
  return ` ${count(excluded)} of the contract’s ${counted(run.clauses.length, 'clause')} ${excluded === 1 ? 'was' : 'were'} left out.`;
};

const ClauseStrip = ({ run }: { run: RunSummary }): JSX.Element => {
  const findings = findingsById(run);
  return (
    <ul class="strip" aria-label="Clauses">
      {run.clauses.map((clause) => {
        const extent = extentOfClause(clause, findings);
        return (
          <li>
            <a href={`#${encodeURIComponent(visible(clause.id))}`} class={entryOf(clause.outcome).tone}>
              <Mark outcome={clause.outcome} />
              {visible(clause.id)}
              {extent !== '' && `: ${extent}`}
            </a>
          </li>
        );
      })}
    </ul>
  );
};

/** The verdict, what was judged, and the outcome of every clause. */
export const Overview = ({ run, stale }: { run: RunSummary; stale: readonly string[] }): JSX.Element => (
  <header
    class={`overview ${shardOf(run) !== undefined && run.verdict === 'conformant' ? 'quiet' : toneOf[run.verdict]}`}
  >
    <p class="kicker">Access conformance of {visible(run.target.name)}</p>
    <h1>{unbroken(verdictSentence(run))}.</h1>
    <p class="lead">
      {shardOf(run) === undefined || run.verdict !== 'conformant'
        ? isUnreachable(run)
          ? 'No request was answered, so nothing could be judged. The reason below says why.'
          : meaningOf[run.verdict]
        : 'This is one shard of a run. The other shards judge the rest.'}
      {leftOut(run)}
      {unprobedSentence(run) !== '' && (
        <>
          {' '}
          <a href="#operations">{unbroken(unprobedSentence(run))}</a>.
        </>
      )}
    </p>
    {stale.length > 0 && (
      <ul>
        {stale.map((line) => (
          <li>{visible(line)}</li>
        ))}
      </ul>
    )}
    {run.clauses.length <= 60 && <ClauseStrip run={run} />}
    <dl class="particulars">
      <Fact name="Target">{visible(run.target.baseUrl)}</Fact>
      <Fact name="Contract">
        {visible(contractName({ ...run.contract, overlays: [] }))}{' '}
        <span class="hash" title={run.contract.sha256}>
          sha256 {run.contract.sha256.slice(0, 12)}
        </span>
        {(run.contract.overlays ?? []).map(({ file, sha256 }) => (
          <>
            <br />
            with the overlay {visible(file)}{' '}
            <span class="hash" title={sha256}>
              sha256 {sha256.slice(0, 12)}
            </span>
          </>
        ))}
      </Fact>
      <Fact name="Started">{moment(run.startedAt)}</Fact>
      <Fact name="Sent">
        {counted(run.requestsSent, 'request')} in {duration(run.durationMs)}, {counted(run.checks.length, 'check')}
      </Fact>
      {run.target.httpBaseUrl !== null && <Fact name="Plain HTTP">{visible(run.target.httpBaseUrl)}</Fact>}
      <Fact name="Judged by">{visible(`${run.tool.name} ${run.tool.version}`)}</Fact>
    </dl>
  </header>
);

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Links to the sections, with the number of entries in each. */
export const Contents = ({
  sections,
}: {
  sections: readonly { readonly id: string; readonly title: string; readonly size?: number }[];
}): JSX.Element => (
  <nav aria-label="Sections">
    <ul>
      {sections.map(({ id, title, size }) => (
        <li>
          <a href={`#${id}`}>
            {title}
            {size !== undefined && <span class="size"> {count(size)}</span>}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
