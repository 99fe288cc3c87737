import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { groupBy, lazy } from '../collections.js';
import type { Finding } from '../engine/results.js';
import type { Weighed } from '../engine/verdict.js';
import { runFile } from './run-folder.js';

interface LoggedOutcome extends Weighed {
  readonly project: string;
}

/** Outcomes of the selected tests, a line each. Workers write it, and the teardown reads it. */
const file = lazy(() => runFile('', 'outcomes.jsonl'));

export const logOutcome = (project: string, { id, outcome, blockers }: Finding): void => {
  const logged: LoggedOutcome = { project, id, outcome, ...(blockers ? { blockers } : {}) };
  appendFileSync(file(), `${JSON.stringify(logged)}\n`, { mode: 0o600 });
};

/** One list for each deployment that has an outcome. */
export const loggedOutcomes = (): readonly (readonly Weighed[])[] => {
  const lines = existsSync(file()) ? readFileSync(file(), 'utf8').split('\n') : [];
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LoggedOutcome);
  return [...groupBy(all, ({ project }) => project).values()];
};
