/** @jsxImportSource preact */

import { renderToString } from 'preact-render-to-string';
import { stringify } from 'yaml';
import { htmlDocument } from '../report/page/components.js';
import { visible, visibleLines } from '../visible.js';
import { counted } from '../words.js';
import { overlayName, type Proposal, type ProposedAction, settingFor } from './proposal.js';
import { type SeenInRuns, suretyWords } from './seen-in-runs.js';

/** How a proposal is written: as an overlay, and as a page with its evidence. */

const comment = (text: string): string => `  # ${visible(text).replaceAll('\n', ' ')}`;

/** Seen how often, how sure, when, and by which check. */
const evidenceOf = ({ id, reads, runs, last, check, surety }: SeenInRuns): string =>
  `${id}: ${counted(reads, 'read')} in ${counted(runs, 'run')}, ${suretyWords[surety]}, last ${last.slice(0, 10)}, by ${check}`;

const yamlOf = ({ target, update, remove, sentence }: ProposedAction): string[] =>
  stringify([{ target, description: sentence, ...(remove ? { remove } : { update }) }], { lineWidth: 0 })
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);

const actionText = (action: ProposedAction): string => {
  const { facts, rests, doubt } = action;
  const lines = yamlOf(action);
  return [
    '',
    ...facts.map((fact) => comment(evidenceOf(fact))),
    ...(rests === undefined ? [] : [comment(`Rests on ${rests}.`)]),
    ...(doubt === undefined ? [] : [comment(`Left out: ${doubt}.`)]),
    ...(doubt === undefined ? lines : lines.map((line) => `  # ${line.slice(2)}`)),
  ].join('\n');
};

/** The proposal as an OpenAPI Overlay 1.0 document. What is not sure is commented out. */
export const overlayText = (proposal: Proposal, file = overlayName): string => {
  const { title, version, runs, actions } = proposal;
  const seen = `What ${counted(runs.length, 'run')} saw of ${`${title} ${version}`.trim()}`;
  return [
    '# Proposed by access-conformance. Read each action and its evidence, take out what you do not want to promise,',
    `# and run with ${visible(settingFor(proposal, file))}: every sentence in force is judged from then on.`,
    'overlay: 1.0.0',
    stringify({ info: { title: visible(seen), version: '1.0.0' } }).trimEnd(),
    'actions:',
    ...runs.map(({ target, startedAt }) => comment(`The run of ${startedAt} on ${target}.`)),
    // A list needs one action in force.
    ...yamlOf({ target: '$.info', update: { 'x-access-proposed-from': runs.length }, sentence: `${seen}.`, facts: [] }),
    ...actions.map(actionText),
    '',
  ].join('\n');
};

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
export const proposalPage = (proposal: Proposal, file = overlayName): string => {
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
            Read each sentence beside its evidence. What you keep in {visible(file)} is judged by every run with{' '}
            {visible(settingFor(proposal, file))}.
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
