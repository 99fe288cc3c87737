/** @jsxImportSource preact */
import type { JSX } from 'preact';
import type { Finding } from '../../engine/results.js';
import { clip, counted } from '../../words.js';
import type { Evidence } from '../evidence.js';
import { decisiveId } from '../sentences.js';
import { knownInWords, type Told, toldOf } from '../telling.js';
import { capitalised, visible } from '../text.js';
import { inCommon } from './compared.js';
import { Mark, Prose, Ref } from './words.js';

/** A check as one line of the page. Its inside is packed away under `number` and comes when the line is opened. */
export const CheckRow = ({ finding, number }: { finding: Finding; number: number }): JSX.Element => (
  <details class="check" id={visible(finding.id)} data-outcome={finding.outcome} data-check={number}>
    <summary>
      <Mark outcome={finding.outcome} />
      <code class="operation">{visible(finding.operation)}</code>
      <span class="reason">{capitalised(clip(visible(finding.reason), 300))}</span>
    </summary>
  </details>
);

/** What a check's line opens to; exchanges come by id. */
export const CheckInside = ({ finding, evidence }: { finding: Finding; evidence: Evidence }): JSX.Element => (
  <div class="inside">
    <p class="reason">
      <Prose text={clip(finding.reason, 4_000)} />
    </p>
    <Notes finding={finding} />
    <ExpectedSeen told={toldOf(finding, evidence.decisive.get(decisiveId(finding) ?? ''))} />
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

/** Note, deviation and what the check rests on. */
export const Notes = ({ finding }: { finding: Finding }): JSX.Element => (
  <>
    {finding.note !== undefined && (
      <p class="note">
        <Prose text={finding.note} />
      </p>
    )}
    {finding.deviation && (
      <p class="note">
        Known and accepted: <Prose text={knownInWords(finding.deviation)} />
      </p>
    )}
    {finding.blockedBy && finding.blockedBy.length > 0 && (
      <p class="note">
        Rests on{' '}
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

/** What a conforming server may answer beside what was seen. */
export const ExpectedSeen = ({ told: { expected, seen } }: { told: Told }): JSX.Element | null => {
  if (expected === undefined && seen === undefined) return null;
  return (
    <dl class="versus">
      {expected !== undefined && (
        <div>
          <dt>Expected</dt>
          <dd>
            <Prose text={clip(expected, 1_000)} />
          </dd>
        </div>
      )}
      {seen !== undefined && (
        <div class="seen">
          <dt>Seen</dt>
          <dd>
            <Prose text={clip(seen, 1_000)} />
          </dd>
        </div>
      )}
    </dl>
  );
};

/** Where a finding's wire log goes: the script fills in the exchanges that `data-exchanges` names. */
export const Exchanges = ({ finding, evidence }: { finding: Finding; evidence: Evidence }): JSX.Element => {
  const { exchanges, comparedWith } = finding;
  const all = exchanges.length + comparedWith.length;
  if (all > 0 && evidence.inPage && !exchanges.some((id) => evidence.inPage?.has(id)))
    return (
      <p class="facts">
        This run is too long for one page: it has the exchanges of checks that did not pass. results.json beside it has
        all of them; this check rests on {counted(all, 'exchange')}.
      </p>
    );
  return (
    <>
      {exchanges.length > 0 && (
        <>
          <h4>{exchanges.length === 1 ? 'The exchange' : counted(exchanges.length, 'exchange')}</h4>
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

/** Why the answer counts as the same as a control, or as another one. */
const Compared = ({ finding, evidence }: { finding: Finding; evidence: Evidence }): JSX.Element | null => {
  const answer = evidence.answers.get(decisiveId(finding) ?? '');
  const controls = finding.comparedWith.flatMap((id) => evidence.answers.get(id) ?? []);
  if (!answer || controls.length === 0) {
    return (
      <p class="facts">
        Read on the same server in the same run; they show what granted, refused and missing look like here.
      </p>
    );
  }
  return (
    <>
      <p class="facts">The answer to “{visible(answer.name)}”, beside what the same server gave in the same run:</p>
      <ul class="common">
        {controls.map((control) => (
          <li>
            <b>{visible(control.name)}</b>: {visible(inCommon(answer, control))}
          </li>
        ))}
      </ul>
    </>
  );
};
