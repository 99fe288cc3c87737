import { spawn } from 'node:child_process';
import { isObject, orUndefined } from '../collections.js';
import { environmentWithoutSecrets } from '../settings/child-environment.js';
import type { CommandSource } from '../settings/key-source.js';
import { keyEnds, parseKey } from '../settings/value-parsers.js';
import { deadline } from '../wire/time-limits.js';
import { toTheSecond } from '../words.js';
import { type FetchedKey, KeyFetchError } from './fetched-key.js';

/** A date and time with its offset (RFC 3339, section 5.6). */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

const members = ['key', 'expiresAt'];

const readObject = (text: string): { readonly key: string; readonly expiresAt?: unknown } | undefined => {
  if (!text.startsWith('{')) return { key: text };
  const refuse = (message: string): KeyFetchError => new KeyFetchError(message, [text]);
  const value = orUndefined((): unknown => JSON.parse(text));
  if (value === undefined) throw refuse('what the program printed begins with { and is no JSON');
  if (!isObject(value) || typeof value.key !== 'string')
    throw refuse('the JSON that the program printed has no text "key"');
  if (Object.keys(value).some((name) => !members.includes(name)))
    throw refuse('the JSON that the program printed has other members than "key" and "expiresAt"');
  return 'expiresAt' in value && value.expiresAt !== null
    ? { key: value.key, expiresAt: value.expiresAt }
    : { key: value.key };
};

/**
 * Parses the output of a program: a key, or `{"key": "…", "expiresAt": "ISO 8601"}`. The expiry of
 * a JSON Web Token is read from the token.
 * @throws {KeyFetchError} whose message repeats nothing of the output
 */
const readPrintedKey = (printed: string): FetchedKey => {
  const text = printed.trim();
  const refuse = (message: string): KeyFetchError => new KeyFetchError(message, [text]);
  if (text === '') throw new KeyFetchError('the program printed nothing');
  const { key = '', expiresAt } = readObject(text) ?? {};
  const form = key === '' ? { wrong: 'it is empty.' } : parseKey(key);
  if (form.wrong !== undefined)
    throw refuse(`the key that the program printed cannot be used: ${form.wrong.replace(/\.$/, '')}`);
  if (expiresAt !== undefined && (typeof expiresAt !== 'string' || !timestamp.test(expiresAt)))
    throw refuse('expiresAt must be a time with its offset, such as 2026-01-31T12:00:00Z');
  const endsAt = typeof expiresAt === 'string' ? Date.parse(expiresAt) : keyEnds(key)?.getTime();
  if (endsAt !== undefined && Number.isNaN(endsAt))
    throw refuse('expiresAt must be a time that there is, such as 2026-01-31T12:00:00Z');
  if (endsAt !== undefined && endsAt <= Date.now())
    throw refuse(`the key that the program printed ended at ${toTheSecond(new Date(endsAt))}`);
  return { key, secrets: [], ...(endsAt === undefined ? {} : { endsAt }) };
};

/** Maximum number of bytes that a program may print. */
const mostPrinted = 65_536;

const commandDeadlineMs = 10_000;

export interface CommandOptions {
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets that no variable of the program may contain, whatever its name. */
  readonly secrets: readonly string[];
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Shorter secrets may be part of other variables by chance. */
const shortest = 6;

/** The environment of the program. */
const environmentFor = ({ env, secrets }: CommandOptions): NodeJS.ProcessEnv => {
  const telling = secrets.filter((secret) => secret.length >= shortest);
  return environmentWithoutSecrets(env, (value) => telling.some((secret) => value.includes(secret)));
};

/**
 * Runs a program without a shell, and reads the key that it prints. Its error output is discarded.
 * The program and its children are killed at the deadline.
 * @throws {KeyFetchError}
 */
export const runKeyCommand = async (
  { command: [program = '', ...rest], folder }: CommandSource,
  options: CommandOptions,
): Promise<FetchedKey> => {
  const { deadlineMs = commandDeadlineMs, signal } = options;
  // Node rejects such arguments with an error that quotes them.
  if ([program, ...rest].some((word) => word.includes('\0')))
    throw new KeyFetchError('the program cannot be started (a null byte in its arguments)', []);
  const isWindows = process.platform === 'win32';
  const child = spawn(program, rest, {
    cwd: folder,
    env: environmentFor(options),
    shell: false,
    windowsHide: true,
    // Starts a process group, so that children can be killed with it.
    detached: !isWindows,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined && !isWindows) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It has ended already.
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
  let hasEnded = false;
  const cancelDeadline = deadline(deadlineMs, () =>
    stop(
      hasEnded
        ? `the program ended, but a process that it started kept its output open for ${deadlineMs / 1000} s`
        : `the program did not end within ${deadlineMs / 1000} s`,
    ),
  );
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
      child.once('exit', () => {
        hasEnded = true;
        // A grandchild that keeps the output open must not delay a stopped program.
        if (stopped !== undefined) child.stdout.destroy();
      });
      child.once('close', (code, killedBy) => resolve(code ?? killedBy));
    });
    if (stopped !== undefined) throw refuse(stopped);
    if (status !== 0) throw refuse(`the program ended with ${status}; what it said is not shown`);
    return readPrintedKey(printed());
  } finally {
    cancelDeadline();
    signal?.removeEventListener('abort', onAbort);
    // Kills children that the program left running.
    kill();
  }
};
