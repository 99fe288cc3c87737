/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { entryOf, type Verdict } from '../../engine/outcomes.js';
import { count, counted } from '../../words.js';
import { contractName, type RunHead, shardOf, unprobedSentence, verdictSentence } from '../sentences.js';
import { duration, visible } from '../text.js';
import { Mark } from './words.js';

const toneOf: Readonly<Record<Verdict, string>> = {
  conformant: 'good',
  deviating: 'warn',
  incomplete: 'open',
  'non-conformant': 'bad',
};

const meaningOf: Readonly<Record<Verdict, string>> = {
  conformant: 'Every clause that was judged holds on this deployment.',
  deviating: 'What is broken is on the list of known deviations. The deployment is not called conformant.',
  incomplete: 'Nothing broken was seen, but not everything could be looked at. Below is what to do about it.',
  'non-conformant': 'Each failure below was seen twice and comes with a line to see it for yourself.',
};

/** `2026-05-04 09:12:44 UTC` */
const moment = (iso: string): string =>
  visible(iso)
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, ' UTC');

/** Numbers stay beside what they count. */
const unbroken = (sentence: string): string => sentence.replace(/(\d) of (\d[\d,]*) /g, '$1\u00a0of\u00a0$2\u00a0');

const leftOut = (head: RunHead): string => {
  const excluded = head.clauses.filter(({ outcome }) => outcome === 'excluded').length;
  if (excluded === 0 || head.verdict === 'conformant') return '';
  return ` ${count(excluded)} of the contract’s ${counted(head.clauses.length, 'clause')} ${excluded === 1 ? 'was' : 'were'} left out.`;
};

/** The verdict as a sentence, what was judged, and every clause at one look. */
export const Overview = ({ head, stale }: { head: RunHead; stale: readonly string[] }): JSX.Element => (
  <header
    class={`overview ${shardOf(head) !== undefined && head.verdict === 'conformant' ? 'quiet' : toneOf[head.verdict]}`}
  >
    <p class="kicker">Access conformance of {visible(head.target.name)}</p>
    <h1>{unbroken(verdictSentence(head))}.</h1>
    <p class="lead">
      {shardOf(head) === undefined || head.verdict !== 'conformant'
        ? meaningOf[head.verdict]
        : 'This is one part of a run; the other shards judge the rest.'}
      {leftOut(head)}
      {unprobedSentence(head) !== '' && (
        <>
          {' '}
          <a href="#operations">{unbroken(unprobedSentence(head))}</a>.
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
    {head.clauses.length <= 60 && (
      <ul class="strip" aria-label="Clauses">
        {head.clauses.map((clause) => (
          <li>
            <a href={`#${encodeURIComponent(visible(clause.id))}`} class={entryOf(clause.outcome).tone}>
              <Mark outcome={clause.outcome} />
              {visible(clause.id)}
            </a>
          </li>
        ))}
      </ul>
    )}
    <dl class="particulars">
      <Particular name="Target">{visible(head.target.baseUrl)}</Particular>
      <Particular name="Contract">
        {visible(contractName({ ...head.contract, overlays: [] }))}{' '}
        <span class="hash" title={head.contract.sha256}>
          sha256 {head.contract.sha256.slice(0, 12)}
        </span>
        {(head.contract.overlays ?? []).map(({ file, sha256 }) => (
          <>
            <br />
            with the overlay {visible(file)}{' '}
            <span class="hash" title={sha256}>
              sha256 {sha256.slice(0, 12)}
            </span>
          </>
        ))}
      </Particular>
      <Particular name="Started">{moment(head.startedAt)}</Particular>
      <Particular name="Sent">
        {counted(head.requestsSent, 'request')} in {duration(head.durationMs)}, {counted(head.checks.length, 'check')}
      </Particular>
      {head.target.httpBaseUrl !== null && (
        <Particular name="Plain HTTP">{visible(head.target.httpBaseUrl)}</Particular>
      )}
      <Particular name="Judged by">{visible(`${head.tool.name} ${head.tool.version}`)}</Particular>
    </dl>
  </header>
);

const Particular = ({ name, children }: { name: string; children: preact.ComponentChildren }): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Links to the sections that there are, with how much is in each. */
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
