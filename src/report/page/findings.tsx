/** @jsxImportSource preact */
import type { JSX } from 'preact';
import { groupBy } from '../../collections.js';
import type { Finding } from '../../engine/results.js';
import { clip, count, counted } from '../../words.js';
import { describeFinding } from '../describe-finding.js';
import type { Evidence } from '../evidence.js';
import type { Explain } from '../explain.js';
import { causeKey, decisiveId, isBroken, isDeviation, type RunSummary, unjudgedFindings } from '../run-summary.js';
import { capitalised, visible } from '../text.js';
import { ExpectedSeen, Notes } from './check.js';
import { Command, ExplanationDetails, Mark, Prose, Ref } from './components.js';

interface Props {
  readonly run: RunSummary;
  readonly evidence: Evidence;
  readonly explain: Explain | undefined;
  /** The number under which a finding's details are packed. */
  readonly numberOf: (finding: Finding) => number;
}

/** Findings of one rule that are shown in full; the others are links. */
const shownInFull = 3;

const byRule = (findings: readonly Finding[]): readonly (readonly Finding[])[] => [
  ...groupBy(findings, ({ rule }) => rule).values(),
];

/** Failures and known deviations, one card each, with the clause on top. */
export const Broken = (props: Props): JSX.Element | null => {
  const broken = props.run.checks.filter(isBroken);
  const known = props.run.checks.filter(isDeviation);
  return (
    <>
      <Cards id="broken" title="What is broken" findings={broken} {...props} />
      <Cards id="known" title="Known deviations" findings={known} {...props} />
    </>
  );
};

const Cards = ({
  id,
  title,
  findings,
  ...props
}: Props & { id: string; title: string; findings: readonly Finding[] }): JSX.Element | null => {
  if (findings.length === 0) return null;
  return (
    <section id={id}>
      <h2>{title}</h2>
      {byRule(findings).map((group) => (
        <>
          {group.slice(0, shownInFull).map((finding) => (
            <Card finding={finding} {...props} />
          ))}
          <More findings={group.slice(shownInFull)} what={group[0]?.title ?? ''} />
        </>
      ))}
    </section>
  );
};

const Card = ({ finding, run, evidence, explain, numberOf }: Props & { finding: Finding }): JSX.Element => {
  const clauses = run.clauses.filter(({ id }) => finding.clauses.includes(id));
  const told = describeFinding(finding, evidence.decisive.get(decisiveId(finding) ?? ''), run.options);
  return (
    <article class="card">
      <p class="where">
        <Mark outcome={finding.outcome} word />{' '}
        {finding.clauses.map((clause) => (
          <Ref id={clause} />
        ))}{' '}
        <code>{visible(finding.operation)}</code>
      </p>
      <h3>
        <Ref id={finding.id}>{capitalised(visible(finding.title))}</Ref>
      </h3>
      {clauses.map((clause) => (
        <blockquote>
          {visible(clause.text)}{' '}
          <cite>
            {visible(clause.id)}, section {visible(clause.source)}
          </cite>
        </blockquote>
      ))}
      <p class="reason">
        <Prose text={clip(finding.reason, 4_000)} />
      </p>
      <Notes finding={finding} />
      <ExpectedSeen told={told} />
      {told.curl !== undefined && <Command line={told.curl} />}
      <details class="evidence" data-check={numberOf(finding)} data-part="exchanges">
        <summary>
          Evidence: {counted(finding.exchanges.length, 'exchange')}
          {finding.comparedWith.length > 0 && `, compared with ${counted(finding.comparedWith.length, 'control')}`}
        </summary>
      </details>
      <ExplanationDetails of={explain?.(finding.rule)} title="Why servers do this, and how they fix it" />
    </article>
  );
};

const More = ({ findings, what }: { findings: readonly Finding[]; what: string }): JSX.Element | null => {
  if (findings.length === 0) return null;
  return (
    <details class="more">
      <summary>
        {counted(findings.length, 'more operation')} with the same failure: {visible(what)}
      </summary>
      <ul class="links">
        {findings.map((finding) => (
          <li>
            <Ref id={finding.id}>{visible(finding.operation)}</Ref>
          </li>
        ))}
      </ul>
    </details>
  );
};

/** Groups findings with the same outcome and reason. */
const byReason = (findings: readonly Finding[]): readonly (readonly Finding[])[] => [
  ...groupBy(findings, (finding) => `${finding.outcome} ${causeKey(finding)}`).values(),
];

/** What could not be judged, by reason. */
export const Unjudged = ({ run }: { run: RunSummary }): JSX.Element | null => (
  <ReasonGroups
    id="open"
    title="What could not be judged"
    lead="This does not count against the server. Follow the reasons and run again."
    findings={unjudgedFindings(run)}
  />
);

/** What the server accepts beyond the contract. */
export const Lenient = ({ run }: { run: RunSummary }): JSX.Element | null => (
  <ReasonGroups
    id="lenient"
    title="More than the contract describes"
    lead="The server accepts this too, but only with a valid key. Clients should not rely on it."
    findings={run.checks.filter(({ outcome }) => outcome === 'lenient')}
  />
);

const ReasonGroups = ({
  id,
  title,
  lead,
  findings,
}: {
  id: string;
  title: string;
  lead: string;
  findings: readonly Finding[];
}): JSX.Element | null => {
  if (findings.length === 0) return null;
  return (
    <section id={id}>
      <h2>{title}</h2>
      <p class="lead">{lead}</p>
      {byReason(findings).map((group) => (
        <ReasonGroup group={group} />
      ))}
    </section>
  );
};

const ReasonGroup = ({ group }: { group: readonly Finding[] }): JSX.Element | null => {
  const [first] = group;
  if (!first) return null;
  const links = group.slice(0, 24);
  return (
    <article class="reason-group">
      <p class="reason">
        <Mark outcome={first.outcome} /> <Prose text={clip(first.reason, 2_000)} />
      </p>
      {group.length === 1 && <Notes finding={first} />}
      <ul class="links">
        {links.map((finding) => (
          <li>
            <Ref id={finding.id} />
          </li>
        ))}
        {group.length > links.length && <li>and {count(group.length - links.length)} more</li>}
      </ul>
    </article>
  );
};
