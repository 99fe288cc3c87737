/** @jsxImportSource preact */

import { nameOfOperation, operationNames } from '../../engine/causes/same-cause.js';
import type { Finding } from '../../engine/results.js';
import { visible } from '../../visible.js';
import { clip, count, counted } from '../../words.js';
import { adviceFor } from '../advice.js';
import type { Advice } from '../advice-without-answer.js';
import { mendsOf, type ShownCause, type ShownCauses, waitingWords } from '../causes.js';
import { describeFinding, type Explain } from '../describe-finding.js';
import type { Evidence } from '../evidence.js';
import { decisiveId, type RunSummary } from '../run-summary.js';
import { ExpectedSeen, Notes } from './check.js';
import { Command, ExplanationDetails, Mark, Prose, Ref, sourceWords } from './components.js';

export interface CausesProps {
  readonly run: RunSummary;
  readonly causes: ShownCauses;
  readonly evidence: Evidence;
  readonly explain: Explain | undefined;
  readonly findings: ReadonlyMap<string, Finding>;
  /** The number under which a check's details are packed. */
  readonly numberOf: (check: string) => number;
}

/** Causes that are shown in full; the others are rows that open. */
const shownInFull = 12;
/** Operations of a cause that are named; the script lists the others. */
const namedOperations = 12;

interface CauseSection {
  readonly id: keyof ShownCauses;
  readonly title: string;
  readonly short: string;
  readonly lead?: string;
}

/** The sections of causes. Failures are cards, and what is less urgent are rows that open. */
export const kindsOfCauses = {
  broken: { id: 'broken', title: 'What is broken', short: 'Broken' },
  accepted: { id: 'accepted', title: 'Known deviations', short: 'Known' },
  open: {
    id: 'open',
    title: 'What could not be judged',
    short: 'Not judged',
    lead: 'This does not count against the server. Follow the reasons and run again.',
  },
  lenient: {
    id: 'lenient',
    title: 'More than the contract describes',
    short: 'Lenient',
    lead: 'The server accepts this too, but only with a valid key. Clients should not rely on it.',
  },
} as const satisfies Record<keyof ShownCauses, CauseSection>;

/** Reasons of one cause that are written out. */
const shownReasons = 5;

/** Failures, or known deviations. */
export const BrokenCauses = ({ kind, ...props }: CausesProps & { kind: CauseSection }) => {
  const causes = props.causes[kind.id];
  return causes.length === 0 ? null : (
    <section id={kind.id} data-section>
      <h2>{kind.title}</h2>
      {causes.slice(0, shownInFull).map((cause) => (
        <article class="card" id={idOf(cause)} {...foundBy(cause, props)}>
          <p class="where">
            <Mark outcome={cause.outcome} word />
            {cause.clauses.map((clause) => (
              <Ref id={clause} />
            ))}
            {cause.operations.length > 1 && <span>{counted(cause.operations.length, 'operation')}</span>}
          </p>
          <h3>{titleOf(cause)}</h3>
          <Inside cause={cause} {...props} />
        </article>
      ))}
      <Rows of={causes.slice(shownInFull)} {...props} />
    </section>
  );
};

/** What could not be judged, or what is lenient. */
export const OtherCauses = ({ kind, ...props }: CausesProps & { kind: CauseSection }) => {
  const causes = props.causes[kind.id];
  return causes.length === 0 ? null : (
    <section id={kind.id} data-section>
      <h2>{kind.title}</h2>
      <p class="lead">{kind.lead}</p>
      {/* The first reason is what somebody does next. */}
      <Rows of={causes} open={kind.id === 'open' ? 1 : 0} {...props} />
    </section>
  );
};

const Rows = ({ of, open = 0, ...props }: CausesProps & { of: readonly ShownCause[]; open?: number }) => (
  <>
    {of.map((cause, at) => (
      <details class="cause" id={idOf(cause)} open={at < open} {...foundBy(cause, props)}>
        <summary>
          <Mark outcome={cause.outcome} />
          <span class="text">{titleOf(cause)}</span>
          <span class="facts tally">
            {[
              ...(cause.operations.length > 1 ? [counted(cause.operations.length, 'operation')] : []),
              ...(cause.waiting.length > 0 ? [`${counted(cause.waiting.length, 'check')} wait`] : []),
            ].join(', ')}
          </span>
        </summary>
        <Inside cause={cause} {...props} />
      </details>
    ))}
  </>
);

const idOf = ({ id }: ShownCause): string => `cause-${visible(id)}`;

const titleOf = ({ title }: ShownCause): string => visible(title);

/** One check of each operation before a second one of any: those that are named differ. */
const byOperation = ({ checks }: ShownCause, findings: CausesProps['findings']): readonly string[] => {
  const seen = new Set<string>();
  const isFirst = (id: string): boolean => {
    const operation = findings.get(id)?.operation ?? id;
    return seen.size < seen.add(operation).size;
  };
  const first = new Set(checks.filter(isFirst));
  return [...first, ...checks.filter((id) => !first.has(id))];
};

/** The numbers of the checks by which the script finds and lists a cause. */
const foundBy = (
  cause: ShownCause,
  { numberOf, findings }: CausesProps,
): { readonly 'data-item': true; readonly 'data-checks': string } => ({
  'data-item': true,
  'data-checks': [...byOperation(cause, findings), ...cause.waiting].map(numberOf).join(' '),
});

const Inside = ({ cause, ...props }: CausesProps & { cause: ShownCause }) => {
  const { run, evidence, explain, numberOf } = props;
  const { first: finding } = cause;
  const decisive = evidence.decisive.get(decisiveId(finding) ?? '');
  const isAccusation = cause.outcome === 'failed' || cause.outcome === 'lenient';
  const advice = adviceFor(cause, run, decisive);
  return (
    <>
      {isAccusation ? (
        <p class="reason">
          {cause.operations.length > 1 && (
            <>
              <code>{visible(finding.operation)}</code>:{' '}
            </>
          )}
          <Prose text={clip(finding.reason, 4_000)} />
        </p>
      ) : (
        cause.reasons.slice(0, shownReasons).map((reason) => (
          <p class="reason">
            <Prose text={clip(reason, 4_000)} />
          </p>
        ))
      )}
      {!isAccusation && cause.reasons.length > shownReasons && (
        <p class="facts">and {counted(cause.reasons.length - shownReasons, 'more reason')}, at the operations</p>
      )}
      <Notes finding={finding} />
      {isAccusation && <ExpectedSeen text={describeFinding(finding, decisive, run.options)} />}
      {cause.curl
        .filter((line) => line !== advice?.next)
        .map((line) => (
          <Command line={line} />
        ))}
      {mendsOf(cause, run)
        .slice(0, namedOperations)
        .map((line) => (
          <Command line={visible(line)} />
        ))}
      <NextSteps of={advice} />
      {cause.waiting.length > 0 && <p class="facts">{waitingWords(cause)}</p>}
      <Operations cause={cause} {...props} />
      {isAccusation && <Requirement finding={finding} run={run} />}
      {finding.exchanges.length > 0 && (
        <details class="evidence" data-check={numberOf(finding.id)} data-part="exchanges">
          <summary>
            Evidence: {counted(finding.exchanges.length, 'exchange')}
            {finding.comparedWith.length > 0 && `, compared with ${counted(finding.comparedWith.length, 'control')}`}
          </summary>
        </details>
      )}
      {isAccusation && (
        <ExplanationDetails of={explain?.(finding.rule)} title="Why servers do this, and how they fix it" />
      )}
    </>
  );
};

/** The most likely reasons, what was tried, and the command to try next. */
const NextSteps = ({ of }: { of: Advice | undefined }) => {
  if (!of) return null;
  return (
    <>
      <p>Most likely:</p>
      <ol>
        {of.reasons.map((reason) => (
          <li>
            <Prose text={reason} />
          </li>
        ))}
      </ol>
      {of.tried !== undefined && (
        <p>
          Tried: <Prose text={of.tried} />
        </p>
      )}
      <p>Try next:</p>
      <Command line={of.next} />
    </>
  );
};

/** What the contract asks for, below what was found. */
const Requirement = ({ finding, run }: { finding: Finding; run: RunSummary }) => (
  <>
    {run.clauses
      .filter(({ id }) => finding.clauses.includes(id))
      .map(({ id, text, source }) => (
        <p class="facts requirement">
          <Ref id={id} /> {visible(text)} {sourceWords(source)}.
        </p>
      ))}
  </>
);

/** The operations of a cause, each a link to its check. */
const Operations = ({ cause, run, findings }: CausesProps & { cause: ShownCause }) => {
  const checks = byOperation(cause, findings).flatMap((id) => findings.get(id) ?? []);
  const operations = new Set(checks.map(({ operation }) => operation)).size;
  if (operations < 2) return null;
  const names = operationNames(run.operations);
  const more = operations - namedOperations;
  return (
    <>
      <ul class="links">
        {checks.slice(0, Math.min(operations, namedOperations)).map(({ id, operation }) => (
          <li>
            <Ref id={id}>
              <code>{visible(nameOfOperation(operation, names))}</code>
            </Ref>
          </li>
        ))}
        {more > 0 && <li class="unscripted">and {count(more)} more</li>}
      </ul>
      {more > 0 && (
        <details class="more" data-list={`${namedOperations} ${operations}`}>
          <summary>{count(more)} more</summary>
        </details>
      )}
    </>
  );
};
