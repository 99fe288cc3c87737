import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../engine/outcomes.js';
import type { Finding } from '../engine/results.js';

/** What the selected tests told, handed from workers to the end of the run by a file of the run's folder. */
const fileOf = (): string | undefined => {
  const folder = process.env.ACCESS_CONFORMANCE_FOLDER;
  return folder && existsSync(folder) ? join(folder, 'told.txt') : undefined;
};

export const tellTeardown = ({ outcome, deviation }: Finding): void => {
  const file = fileOf();
  if (file) appendFileSync(file, `${deviation ? 'passed' : outcome}\n`, { mode: 0o600 });
};

export const toldOutcomes = (): ReadonlySet<Outcome> => {
  const file = fileOf();
  return new Set(file && existsSync(file) ? (readFileSync(file, 'utf8').trim().split('\n') as Outcome[]) : []);
};
