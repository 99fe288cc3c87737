/** @jsxImportSource preact */
import { entryOf, outcomes, toneOfVerdict } from '../../engine/outcomes.js';
import type { CauseResult } from '../../engine/results.js';
import { severities } from '../../rules/support/headlines.js';
import { visible } from '../../visible.js';
import { count, counted, duration, firstOf, moment } from '../../words.js';
import {
  byReason,
  contractName,
  coverageSentence,
  extentOfClause,
  findingsById,
  isUnreachable,
  missedBySpread,
  type RunSummary,
  shardOf,
  verdictSentence,
} from '../run-summary.js';
import { Mark, Prose, type Term, Terms } from './components.js';

const mostNamed = 40;

/** Why operations were not probed, those with one reason together. */
export const Unprobed = ({ run }: { run: RunSummary }) => {
  const left = run.operations.filter(({ probed }) => !probed);
  if (left.length === 0) return null;
  return (
    <section id="not-probed">
      <h2>Operations that were not probed</h2>
      {byReason(left).map((own) => (
        <details class="cause">
          <summary>
            <span class="mark quiet">–</span>
            <span class="text">
              <Prose text={own[0]?.reason ?? 'No reason was recorded.'} />
            </span>
            <span class="facts tally">{counted(own.length, 'operation')}</span>
          </summary>
          <p class="facts">
            {firstOf(
              own.map(({ method, path }) => `${visible(method)} ${visible(path)}`),
              mostNamed,
            )}
          </p>
        </details>
      ))}
    </section>
  );
};

export const About = ({ run }: { run: RunSummary }) => (
  <section id="about">
    <h2>About this report</h2>
    <p>
      The curl commands read the key from a variable: set it with <code>export API_KEY=…</code>
      {run.options.CA_FILE === true && (
        <>
          {' '}
          (and <code>CA_FILE</code>)
        </>
      )}
      . No report contains a key.{' '}
      {run.options.EVIDENCE === 'full'
        ? 'This run stored the bodies that the key opens (EVIDENCE=full).'
        : 'Bodies that the key opens are shown by structure and size.'}{' '}
      This page was made from <code>results.json</code> in the same folder, by{' '}
      {visible(`${run.tool.name} ${run.tool.version}`)}.
    </p>
    <details>
      <summary>What the signs mean, and how findings are ordered</summary>
      <Terms
        kind="legend"
        of={outcomes.map(({ outcome, meaning }): Term => [<Mark outcome={outcome} word />, meaning])}
      />
      <p>The worst comes first:</p>
      <ol>
        {severities.map(({ meaning }) => (
          <li>{meaning}</li>
        ))}
      </ol>
    </details>
    <details>
      <summary>Settings of this run</summary>
      <Terms
        kind="settings"
        of={[
          ...(run.target.httpBaseUrl === null ? [] : [['Plain HTTP', visible(run.target.httpBaseUrl)] as const]),
          ...Object.entries(run.options).map(
            ([name, value]): Term => [
              <code>{visible(name)}</code>,
              value === null ? 'not set' : visible(String(value)),
            ],
          ),
        ]}
      />
    </details>
  </section>
);

/** Keeps numbers on one line with what they count. */
const unbroken = (sentence: string): string => sentence.replace(/(\d) of (\d[\d,]*) /g, '$1\u00a0of\u00a0$2\u00a0');

/** How much was judged, and why the rest was not. */
const extentOf = (run: RunSummary): string => {
  const coverage = coverageSentence(run.coverage);
  const excluded = run.clauses.filter(({ outcome }) => outcome === 'excluded').length;
  const clauses = `${count(excluded)} of the contract’s ${counted(run.clauses.length, 'clause')}`;
  return [
    isUnreachable(run) && 'No request was answered, so nothing could be judged.',
    !verdictSentence(run).includes(coverage) && `${coverage}.`,
    missedBySpread(run),
    excluded > 0 && `${clauses} ${excluded === 1 ? 'was' : 'were'} left out.`,
    isGreenShard(run) && 'This is one shard of a run. The other shards judge the rest.',
    run.verdict === 'deviating' && 'The deployment is not called conformant.',
  ]
    .filter(Boolean)
    .join(' ');
};

const isGreenShard = (run: RunSummary): boolean => shardOf(run) !== undefined && run.verdict === 'conformant';

/** The worst cause, and the number of other causes of its kind. */
const Worst = ({ causes: [first, ...others] }: { causes: readonly CauseResult[] }) =>
  first ? (
    <p class="worst">
      <Mark outcome={first.outcome} />{' '}
      <a href={`#${encodeURIComponent(`cause-${visible(first.id)}`)}`}>{visible(first.title)}</a>
      {others.length > 0 && `, and ${count(others.length)} more`}.
    </p>
  ) : null;

const ClauseStrip = ({ run }: { run: RunSummary }) => {
  const findings = findingsById(run);
  return (
    <ul class="strip" aria-label="Clauses">
      {run.clauses.map((clause) => {
        const extent = extentOfClause(clause, findings);
        return (
          <li>
            <a href={`#${encodeURIComponent(visible(clause.id))}`} class={entryOf(clause.outcome).tone}>
              <Mark outcome={clause.outcome} />
              <b>{visible(clause.id)}</b> {clause.short !== undefined && visible(clause.short)}
              {extent !== '' && <span class="facts"> {extent}</span>}
            </a>
          </li>
        );
      })}
    </ul>
  );
};

export const Overview = ({
  run,
  worst,
  stale,
}: {
  run: RunSummary;
  worst: readonly CauseResult[];
  stale: readonly string[];
}) => (
  <header class={`overview ${isGreenShard(run) ? 'quiet' : toneOfVerdict[run.verdict]}`}>
    <p class="kicker">
      Access conformance of {visible(run.target.name)}
      {!run.target.baseUrl.endsWith(`/${run.target.name}`) && `, ${visible(run.target.baseUrl)}`}
    </p>
    <h1>{unbroken(verdictSentence(run))}.</h1>
    <Worst causes={worst} />
    {extentOf(run) !== '' && <p class="lead">{unbroken(extentOf(run))}</p>}
    {stale.length > 0 && (
      <ul>
        {stale.map((line) => (
          <li>{visible(line)}</li>
        ))}
      </ul>
    )}
    {run.clauses.length <= 60 && <ClauseStrip run={run} />}
    <p class="facts particulars">
      {visible(contractName({ ...run.contract, overlays: [] }))}{' '}
      <span class="hash" title={run.contract.sha256}>
        sha256 {run.contract.sha256.slice(0, 12)}
      </span>
      {(run.contract.overlays ?? []).map(({ file, sha256 }) => (
        <>
          {' '}
          with the overlay {visible(file)}{' '}
          <span class="hash" title={sha256}>
            sha256 {sha256.slice(0, 12)}
          </span>
        </>
      ))}
      {' · '}
      {moment(visible(run.startedAt))} UTC
      {' · '}
      {counted(run.requestsSent, 'request')} in {duration(run.durationMs)}
      {' · '}
      {counted(run.checks.length, 'check')}
    </p>
  </header>
);

export interface Section {
  readonly id: string;
  readonly title: string;
  /** Number of its entries. */
  readonly size?: number;
}

/** Links to the sections, with the number of entries in each. */
export const Contents = ({ sections }: { sections: readonly Section[] }) => (
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
