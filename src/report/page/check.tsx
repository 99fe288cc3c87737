/** @jsxImportSource preact */
import type { Finding } from '../../engine/results.js';
import { visible } from '../../visible.js';
import type { Shape } from '../../wire/body-shape.js';
import { clip, counted } from '../../words.js';
import { describeFinding, deviationText, type FindingText } from '../describe-finding.js';
import type { Evidence, NamedAnswer } from '../evidence.js';
import { decisiveId } from '../run-summary.js';
import { Mark, Prose, Ref, type Term, Terms } from './components.js';

/** The details of a check. The script inserts the exchanges by id. */
export const CheckDetails = ({ finding, evidence }: { finding: Finding; evidence: Evidence }) => (
  <div class="inside">
    <p class="reason">
      <Prose text={clip(finding.reason, 4_000)} />
    </p>
    <Notes finding={finding} />
    <ExpectedSeen text={describeFinding(finding, evidence.decisive.get(decisiveId(finding) ?? ''))} />
    <p class="facts self">
      <Mark outcome={finding.outcome} word /> · <code>{visible(finding.id)}</code>
      {finding.clauses.map((clause) => (
        <>
          {' · '}
          <Ref id={clause} />
        </>
      ))}
    </p>
    <Exchanges finding={finding} evidence={evidence} />
  </div>
);

/** Note, known deviation, and what blocked the check. */
export const Notes = ({ finding }: { finding: Finding }) => (
  <>
    {finding.note !== undefined && (
      <p class="note">
        <Prose text={finding.note} />
      </p>
    )}
    {finding.deviation && (
      <p class="note">
        Known and accepted: <Prose text={deviationText(finding.deviation)} />
      </p>
    )}
    {finding.blockedBy && finding.blockedBy.length > 0 && (
      <p class="note">
        Blocked by{' '}
        {finding.blockedBy.map((name, at) => (
          <>
            {at > 0 && ', '}
            {finding.blockers?.[at]?.kind === 'check' ? <Ref id={name} /> : visible(name)}
          </>
        ))}
        .
      </p>
    )}
  </>
);

/** What a conforming server may answer, and what was seen. */
export const ExpectedSeen = ({ text: { expected, seen } }: { text: FindingText }) => {
  const term = (name: string, text: string | undefined, kind?: string): Term[] =>
    text === undefined ? [] : [[name, <Prose text={clip(text, 1_000)} />, kind]];
  const terms = [...term('Expected', expected), ...term('Seen', seen, 'seen')];
  return terms.length === 0 ? null : <Terms kind="versus" of={terms} />;
};

/** Where the script inserts the exchanges that `data-exchanges` names. */
const Exchanges = ({ finding, evidence }: { finding: Finding; evidence: Evidence }) => {
  const { exchanges, comparedWith } = finding;
  const all = exchanges.length + comparedWith.length;
  if (all > 0 && evidence.inPage && !exchanges.some((id) => evidence.inPage?.has(id)))
    return (
      <p class="facts">
        This run is too long for one page, which shows only exchanges of checks that did not pass. The{' '}
        {counted(all, 'exchange')} of this check {all === 1 ? 'is' : 'are'} in results.json.
      </p>
    );
  return (
    <>
      {exchanges.length > 0 && (
        <>
          <h4>{exchanges.length === 1 ? 'Exchange' : counted(exchanges.length, 'exchange')}</h4>
          <div class="log" data-exchanges={exchanges.join(' ')} />
        </>
      )}
      {exchanges.length === 0 && <p class="facts">Nothing was sent for this check.</p>}
      {comparedWith.length > 0 && (
        <>
          <h4>Compared with</h4>
          <Compared finding={finding} evidence={evidence} />
          <div class="log" data-exchanges={comparedWith.join(' ')} />
        </>
      )}
    </>
  );
};

/** How the answer compares with control requests. */
const Compared = ({ finding, evidence }: { finding: Finding; evidence: Evidence }) => {
  const answer = evidence.answers.get(decisiveId(finding) ?? '');
  const controls = finding.comparedWith.flatMap((id) => evidence.answers.get(id) ?? []);
  if (!answer || controls.length === 0) {
    return (
      <p class="facts">
        Control requests of the same run show what granted, refused and missing look like on this server.
      </p>
    );
  }
  return (
    <>
      <p class="facts">The answer to “{visible(answer.name)}” compared with control requests of the same run:</p>
      <ul class="common">
        {controls.map((control) => (
          <li>
            <b>{visible(control.name)}</b>: {visible(compareAnswers(answer, control))}
          </li>
        ))}
      </ul>
    </>
  );
};

/** Member names and types without values: two bodies of one signature have the same structure. */
const signature = (shape: Shape): string => {
  if (shape.type === 'object')
    return `{${shape.members.map(([name, member]) => `${JSON.stringify(name)}:${signature(member)}`).join()}}`;
  if (shape.type === 'array') return `[${[...new Set(shape.items.map(signature))].sort().join('|')}]`;
  return shape.type;
};

/** `same status (200), same structure, 2 distinctive values in common` */
const compareAnswers = (answer: NamedAnswer, control: NamedAnswer): string => {
  const [own, other] = [answer.shape, control.shape];
  if (own.digest === other.digest && answer.status === control.status && own.size > 0)
    return `the same answer, byte for byte (${answer.status})`;
  const compared = (what: string, one: string | number, another: string | number): string =>
    one === another ? `same ${what} (${one})` : `${what} ${one}, not ${another}`;
  const words = [
    compared('status', answer.status, control.status),
    compared('media type', own.mediaType || 'none', other.mediaType || 'none'),
  ];
  if (own.shape && other.shape)
    words.push(signature(own.shape) === signature(other.shape) ? 'same structure' : 'another structure');
  const theirs = new Set(other.values);
  const shared = own.values.filter((value) => theirs.has(value)).length;
  if (shared > 0) words.push(`${counted(shared, 'distinctive value')} in common`);
  else if (theirs.size > 0 && own.values.length > 0) words.push('no distinctive value in common');
  return words.join(', ');
};
