/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import { stringify } from 'yaml';
import { htmlDocument } from '../report/page/html-document.js';
import { visible, visibleLines } from '../visible.js';
import { counted } from '../words.js';
import type { Proposal, ProposedAction } from './proposal.js';
import { suretyWords } from './seen-in-runs.js';

const Action = ({ action }: { action: ProposedAction }) => {
  const { sentence, doubt, facts, rests, target, update } = action;
  return (
    <article class="sentence">
      <h3>{visible(sentence)}</h3>
      {doubt !== undefined && <p class="note">Left out: {visible(doubt)}.</p>}
      {facts.length > 0 && (
        <ul>
          {facts.map(({ words, reads, runs, last, check, surety }) => (
            <li>
              {visible(words)} {counted(reads, 'read')} in {counted(runs, 'run')}, {suretyWords[surety]}, last{' '}
              {visible(last.slice(0, 10))}, by <code>{visible(check)}</code>.
            </li>
          ))}
        </ul>
      )}
      {rests !== undefined && <p class="facts">Rests on {visible(rests)}.</p>}
      <details>
        <summary>The action</summary>
        <pre>
          <code>{visibleLines(stringify({ target, ...(update === undefined ? { remove: true } : { update }) }))}</code>
        </pre>
      </details>
    </article>
  );
};

const Part = ({ title, lead, actions }: { title: string; lead: string; actions: readonly ProposedAction[] }) =>
  actions.length === 0 ? null : (
    <section>
      <h2>{title}</h2>
      <p class="lead">{lead}</p>
      {actions.map((action) => (
        <Action action={action} />
      ))}
    </section>
  );

/** The proposal, each sentence beside its evidence. */
export const proposalPage = (proposal: Proposal): string => {
  const { title, version, runs, actions } = proposal;
  const { start, end } = htmlDocument(`Proposed contract · ${visible(title)}`);
  const inForce = actions.filter(({ doubt }) => doubt === undefined);
  return [
    start,
    renderToString(
      <main>
        <header class="overview open">
          <p class="kicker">
            Proposed contract, from {counted(runs.length, 'run')} of {visible(title)} {visible(version)}
          </p>
          <h1>
            {counted(inForce.length, 'sentence')} in force, {actions.length - inForce.length} left for you to decide.
          </h1>
          <p class="lead">
            Read each sentence beside its evidence. What you keep in proposed.overlay.yaml is judged by every run with
            OVERLAY=proposed.overlay.yaml.
          </p>
        </header>
        <Part title="In force" lead="Seen more than once, and all that was seen fits." actions={inForce} />
        <Part
          title="Left out"
          lead="Commented out in the overlay. Remove the # in front of its lines to accept one."
          actions={actions.filter(({ doubt }) => doubt !== undefined)}
        />
      </main>,
    ),
    end,
  ].join('');
};
