import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shared } from './process-state.js';

const variable = 'ACCESS_CONFORMANCE_FOLDER';

/**
 * A file in the folder that the processes of one run share and only this user can read. The folder
 * is made on first use, so that a run that never began leaves nothing.
 * @param part folder inside it, `''` for itself
 */
export const runFile = (part: string, name: string): string => {
  const folder = join(runFolder(), part);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
};

/** The folder's path, chosen by the first process and inherited by its workers. */
export const runFolder = (): string => shared(variable, () => join(tmpdir(), `access-conformance-${randomUUID()}`));

export const removeRunFolder = (): void => {
  const folder = process.env[variable];
  if (folder) rmSync(folder, { recursive: true, force: true });
};
