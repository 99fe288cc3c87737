/** @jsxImportSource preact */
import type { JSX } from 'preact';
import type { Finding } from '../../engine/results.js';
import { clip, count, counted } from '../../words.js';
import type { Evidence } from '../evidence.js';
import type { Explain } from '../explain.js';
import { decisiveId, isBroken, isDeviation, openFindings, type RunHead, sayingOf } from '../sentences.js';
import { toldOf } from '../telling.js';
import { capitalised, visible } from '../text.js';
import { ExpectedSeen, Notes } from './check.js';
import { Explained } from './explained.js';
import { Command, Mark, Prose, Ref } from './words.js';

interface Props {
  readonly head: RunHead;
  readonly evidence: Evidence;
  readonly explain: Explain | undefined;
  /** Where a finding's inside is packed. */
  readonly numberOf: (finding: Finding) => number;
}

/** Findings of one rule shown at length; of the others only where they are. */
const atLength = 3;

const byRule = (findings: readonly Finding[]): readonly (readonly Finding[])[] => {
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const rule = rules.get(finding.rule);
    if (rule) rule.push(finding);
    else rules.set(finding.rule, [finding]);
  }
  return [...rules.values()];
};

/** What is broken, one card a finding, the clause's own words on top. */
export const Broken = (props: Props): JSX.Element | null => {
  const broken = props.head.checks.filter(isBroken);
  const known = props.head.checks.filter(isDeviation);
  return (
    <>
      <Cards id="broken" title="What is broken" findings={broken} {...props} />
      <Cards id="known" title="Broken, known and accepted" findings={known} {...props} />
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
          {group.slice(0, atLength).map((finding) => (
            <Card finding={finding} {...props} />
          ))}
          <More findings={group.slice(atLength)} what={group[0]?.title ?? ''} />
        </>
      ))}
    </section>
  );
};

const Card = ({ finding, head, evidence, explain, numberOf }: Props & { finding: Finding }): JSX.Element => {
  const clauses = head.clauses.filter(({ id }) => finding.clauses.includes(id));
  const told = toldOf(finding, evidence.decisive.get(decisiveId(finding) ?? ''), head.options);
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
      <Explained of={explain?.(finding.rule)} title="Why servers do this, and how they fix it" />
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

/** Findings that say the same, whatever the operation. */
const bySaying = (findings: readonly Finding[]): readonly (readonly Finding[])[] => {
  const sayings = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.outcome} ${sayingOf(finding)}`;
    const saying = sayings.get(key);
    if (saying) saying.push(finding);
    else sayings.set(key, [finding]);
  }
  return [...sayings.values()];
};

/** What could not be judged, by reason: the reason says what would make it judgeable. */
export const Unjudged = ({ head }: { head: RunHead }): JSX.Element | null => (
  <Sayings
    id="open"
    title="What could not be judged"
    lead="Nothing here is held against the server. Do what a reason asks for and run again."
    findings={openFindings(head)}
  />
);

/** What the server takes beyond the contract. */
export const Beyond = ({ head }: { head: RunHead }): JSX.Element | null => (
  <Sayings
    id="lenient"
    title="More than the contract describes"
    lead="The server takes this too, and serves nobody but the key’s owner. No client should rely on it."
    findings={head.checks.filter(({ outcome }) => outcome === 'lenient')}
  />
);

const Sayings = ({
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
      {bySaying(findings).map((group) => (
        <Saying group={group} />
      ))}
    </section>
  );
};

const Saying = ({ group }: { group: readonly Finding[] }): JSX.Element | null => {
  const [first] = group;
  if (!first) return null;
  const links = group.slice(0, 24);
  return (
    <article class="saying">
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
