import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../src/package.js';

/** The command as `npm test` has built it. */
export const builtCommand = join(packageRoot, 'dist', 'src', 'cli', 'main.js');

/** Only what a program needs, so that settings of the developer's own shell don't get in. */
export const bareEnvironment = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  TMPDIR: tmpdir(),
  XDG_STATE_HOME: join(tmpdir(), 'state'),
};

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the built command as a process of its own. */
export const start = (
  words: readonly string[],
  { cwd, env = {} }: CommandOptions,
): { child: ChildProcess; ended: Promise<Ended> } => {
  if (!existsSync(builtCommand)) throw new Error('the command is not built: npm run build');
  const child = spawn(process.execPath, [builtCommand, ...words], {
    cwd,
    env: { ...bareEnvironment, ...env },
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  return { child, ended };
};

export const command = (words: readonly string[], options: CommandOptions): Promise<Ended> =>
  start(words, options).ended;

/** An empty folder with these files in it; `remove` takes it away. */
export const folder = async (
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string; remove(): Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'conformance-test-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
