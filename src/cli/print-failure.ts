import { tmpdir } from 'node:os';
import { relative } from 'node:path';
import { isForUsers } from '../app/output.js';
import { exitCodes } from '../engine/outcomes.js';
import { whyNot } from '../report/errors.js';
import { visibleLines } from '../report/text.js';
import { UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/** System calls that write a file or make a folder. */
const writing: ReadonlySet<string> = new Set(['open', 'write', 'mkdir', 'mkdtemp', 'rename', 'ftruncate', 'fsync']);

/** Whether a path is a temporary file of the suite. Errors of an open file have no path. */
const isAside = (path: string | undefined): boolean =>
  path === undefined || /^(?:access-conformance|reference-service)-/.test(relative(tmpdir(), path));

/** Why a file could not be written, and what to do; `undefined` for another error. */
const unwritten = (error: Error): Failure | undefined => {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === undefined || !writing.has(syscall)) return undefined;
  if (!isAside(path)) return { message: `cannot write ${path}: ${whyNot(error)}` };
  return {
    message: `cannot keep what was seen in ${tmpdir()}: ${whyNot(error)}`,
    hint: 'set TMPDIR to a folder that is there, with room; nothing was judged',
  };
};

type Failure = Pick<UsageError, 'message'> & Partial<Pick<UsageError, 'hint'>>;

const failureOf = (error: unknown): Failure => {
  if (error instanceof UsageError || isForUsers(error)) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  const file = error instanceof Error ? unwritten(error) : undefined;
  return (
    file ?? { message: message.split(/\r?\n/)[0] ?? '', hint: 'This is unexpected. DEBUG=1 shows where it happened.' }
  );
};

/** Prints what went wrong and what to do, with DEBUG the stack too, and returns the exit code. */
export const printFailure = (
  error: unknown,
  { env, terminal }: { env: Readonly<Record<string, string | undefined>>; terminal: Terminal },
): number => {
  const { message, hint } = failureOf(error);
  const say = (line: string): string => terminal.colours.red(`access-conformance: ${line}`);
  const text = visibleLines(message);
  terminal.err(text.includes('\n') ? `${say('this cannot be used as it is.')}\n\n${text}\n` : `${say(text)}\n`);
  if (hint) terminal.err(`  ${visibleLines(hint)}\n`);
  if (env.DEBUG && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
  return exitCodes.usage;
};
