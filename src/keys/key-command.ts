import { spawn } from 'node:child_process';
import type { CommandSource } from '../settings/key-source.js';
import { type SettingEntry, schemeKey, settingsTable } from '../settings/table.js';
import { deadline } from '../wire/deadline.js';
import { type FetchedKey, KeyFetchError } from './fetched-key.js';
import { readPrintedKey } from './printed-key.js';

/** The most bytes that a program may print. */
const mostPrinted = 65_536;

const commandDeadlineMs = 10_000;

export interface CommandOptions {
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets whose variables the program does not get, whatever they are called. */
  readonly secrets: readonly string[];
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

const secretNames: readonly string[] = [
  ...settingsTable.flatMap((entry: SettingEntry) => (entry.secret ? [entry.name] : [])),
  'ACCESS_CONFORMANCE_SALT',
];

/** Secrets of fewer characters are in other variables by chance. */
const shortest = 6;

/** The variables that a program gets: none that is, or holds, a secret of ours. */
const environmentFor = ({ env, secrets }: CommandOptions): NodeJS.ProcessEnv => {
  const telling = secrets.filter((secret) => secret.length >= shortest);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value = '']) =>
        !secretNames.includes(name) && !schemeKey.test(name) && !telling.some((secret) => value.includes(secret)),
    ),
  );
};

/**
 * Runs a program without a shell, and reads the key that it prints. Its error output is thrown
 * away. It ends with its children where it takes longer than the deadline.
 * @throws {KeyFetchError}
 */
export const runKeyCommand = async (
  { command: [program = '', ...rest], folder }: CommandSource,
  options: CommandOptions,
): Promise<FetchedKey> => {
  const { deadlineMs = commandDeadlineMs, signal } = options;
  const isWindows = process.platform === 'win32';
  const child = spawn(program, rest, {
    cwd: folder,
    env: environmentFor(options),
    shell: false,
    windowsHide: true,
    // A group of its own, so that its children end with it.
    detached: !isWindows,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined && !isWindows) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const pieces: Buffer[] = [];
  const printed = (): string => Buffer.concat(pieces).toString('utf8');
  const refuse = (message: string): KeyFetchError => new KeyFetchError(message, [printed()]);
  let stopped: string | undefined;
  const stop = (why: string): void => {
    stopped ??= why;
    kill();
  };
  const callOff = deadline(deadlineMs, () => stop(`the program did not end within ${deadlineMs / 1000} s`));
  const onAbort = (): void => stop('the run was stopped');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const status = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
      let size = 0;
      child.stdout.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > mostPrinted) stop(`the program printed more than ${mostPrinted / 1024} KiB`);
        else pieces.push(piece);
      });
      child.once('error', ({ code }: NodeJS.ErrnoException) =>
        reject(refuse(`the program cannot be started (${code ?? 'unknown error'})`)),
      );
      // A grandchild that has the output open must not make it wait.
      child.once('exit', () => stopped !== undefined && child.stdout.destroy());
      child.once('close', (code, killedBy) => resolve(code ?? killedBy));
    });
    if (stopped !== undefined) throw refuse(stopped);
    if (status !== 0) throw refuse(`the program ended with ${status}; what it said is not shown`);
    return readPrintedKey(printed());
  } finally {
    callOff();
    signal?.removeEventListener('abort', onAbort);
    // What it started and left behind.
    kill();
  }
};
