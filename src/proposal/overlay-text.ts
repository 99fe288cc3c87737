import { stringify } from 'yaml';
import { visible } from '../visible.js';
import { counted } from '../words.js';
import type { Proposal, ProposedAction } from './proposal.js';
import { type SeenInRuns, suretyWords } from './seen-in-runs.js';

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
export const overlayText = (proposal: Proposal): string => {
  const { title, version, runs, actions } = proposal;
  const seen = `What ${counted(runs.length, 'run')} saw of ${title} ${version}`;
  return [
    '# Proposed by access-conformance. Read each action and its evidence, take out what you do not want to promise,',
    '# and run with OVERLAY=proposed.overlay.yaml: every sentence in force is judged from then on.',
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
