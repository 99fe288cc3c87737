import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { groupBy } from '../collections.js';
import type { Finding } from '../engine/results.js';
import type { Weighed } from '../engine/verdict.js';
import { runFile } from './run-folder.js';

interface Told extends Weighed {
  readonly project: string;
}

/** What the selected tests told, handed from workers to the end of the run. */
const file = (): string => runFile('', 'told.jsonl');

export const tellTeardown = (project: string, { id, outcome, blockers }: Finding): void => {
  const told: Told = { project, id, outcome, ...(blockers ? { blockers } : {}) };
  appendFileSync(file(), `${JSON.stringify(told)}\n`, { mode: 0o600 });
};

/** One list for each deployment of which something was told. */
export const told = (): readonly (readonly Weighed[])[] => {
  const lines = existsSync(file()) ? readFileSync(file(), 'utf8').split('\n') : [];
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Told);
  return [...groupBy(all, ({ project }) => project).values()];
};
