import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** State that the processes of a Playwright run share without reading settings. */

/** Whether Playwright only lists tests (`--list`). Reporters are called, and must write nothing. */
export const isListing = process.argv.includes('--list');

export const shardsIn = (args: readonly string[]): number => {
  const shard = args.flatMap((arg, index) =>
    arg === '--shard' ? (args[index + 1] ?? []) : (arg.split('--shard=')[1] ?? []),
  );
  return Number(/^\d+\/(\d+)$/.exec(shard.at(-1) ?? '')?.[1] ?? 1);
};

export const isWorker = process.env.TEST_WORKER_INDEX !== undefined;

const variable = 'ACCESS_CONFORMANCE_FOLDER';

const ownName = /^access-conformance-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Milliseconds after which a folder belongs to a run that was killed. */
const leftMs = 86_400_000;

/** Removes what killed runs left. */
const removeLeftFolders = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => ownName.test(each)))
    try {
      const folder = join(tmpdir(), name);
      if (Date.now() - statSync(folder).mtimeMs > leftMs) rmSync(folder, { recursive: true, force: true });
    } catch {
      // The folder is another user's, or another process removed it.
    }
};

/**
 * A file in the folder that the processes of one run share and only this user can read. The folder
 * is made on first use.
 * @param part folder inside it, `''` for itself
 */
export const runFile = (part: string, name: string): string => {
  const folder = join(runFolder(), part);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
};

/** Writes a file whole: another process reads all of it, or finds none. */
export const writeWhole = (file: string, text: string): void => {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, file);
};

/** The folder's path, chosen by the first process and inherited by its workers. */
export const runFolder = (): string => {
  const known = process.env[variable];
  if (known) return known;
  removeLeftFolders();
  const folder = join(tmpdir(), `access-conformance-${randomUUID()}`);
  process.env[variable] = folder;
  return folder;
};

export const removeRunFolder = (): void => {
  const folder = process.env[variable];
  if (folder) rmSync(folder, { recursive: true, force: true });
};
