import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../engine/results.js';
import type { Weighed } from '../engine/verdict.js';

/** What the selected tests told, handed from workers to the end of the run by a file of the run's folder. */
const fileOf = (): string | undefined => {
  const folder = process.env.ACCESS_CONFORMANCE_FOLDER;
  return folder && existsSync(folder) ? join(folder, 'told.jsonl') : undefined;
};

export const tellTeardown = ({ id, outcome, blockedBy }: Finding): void => {
  const file = fileOf();
  const told: Weighed = { id, outcome, ...(blockedBy ? { blockedBy } : {}) };
  if (file) appendFileSync(file, `${JSON.stringify(told)}\n`, { mode: 0o600 });
};

export const told = (): readonly Weighed[] => {
  const file = fileOf();
  if (!file || !existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Weighed]));
};
