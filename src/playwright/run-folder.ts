import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shared } from './process-state.js';

const variable = 'ACCESS_CONFORMANCE_FOLDER';

/**
 * A file of the folder that the processes of one run share and that only this user can read. The first process chooses its name; it is made
 * when there is something to keep, so that a run that never began leaves nothing.
 * @param part folder inside it, `''` for itself
 */
export const runFile = (part: string, name: string): string => {
  const folder = join(runFolder(), part);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
};

/** Chooses the folder's name, for the workers of this process to inherit. */
export const runFolder = (): string => shared(variable, () => join(tmpdir(), `access-conformance-${randomUUID()}`));

export const removeRunFolder = (): void => {
  const folder = process.env[variable];
  if (folder) rmSync(folder, { recursive: true, force: true });
};
