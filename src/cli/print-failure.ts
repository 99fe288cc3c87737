import { tmpdir } from 'node:os';
import { relative } from 'node:path';
import { exitCodes } from '../engine/outcomes.js';
import { whyNot } from '../report/errors.js';
import { visibleLines } from '../report/text.js';
import { UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/**
 * Names of errors whose message is written for users. Names are used so that the classes need not
 * be loaded.
 */
const forPeople: ReadonlySet<string> = new Set([
  'SettingsError',
  'ContractError',
  'ReportError',
  'SelectionError',
  'DeviationsError',
  'TargetsError',
]);

/** System calls that write a file or make a folder. */
const writing: ReadonlySet<string> = new Set(['open', 'write', 'mkdir', 'mkdtemp', 'rename', 'ftruncate', 'fsync']);

/** Whether a path is a temporary file of the suite. Errors of an open file have no path. */
const isAside = (path: string | undefined): boolean =>
  path === undefined || /^(?:access-conformance|reference-service)-/.test(relative(tmpdir(), path));

/** The file that could not be written, and what to do; `undefined` for another error. */
const unwritten = (error: unknown): { readonly line: string; readonly hint?: string } | undefined => {
  const { syscall, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (syscall === undefined || !writing.has(syscall)) return undefined;
  if (!isAside(path)) return { line: `cannot write ${path}: ${whyNot(error)}` };
  return {
    line: `cannot keep what was seen in ${tmpdir()}: ${whyNot(error)}`,
    hint: 'set TMPDIR to a folder that is there, with room; nothing was judged',
  };
};

const prefix = 'access-conformance: ';

/**
 * Prints what went wrong and what to do, and returns the exit code. The stack is printed with DEBUG
 * only.
 */
export const printFailure = (
  error: unknown,
  { env, terminal }: { env: Readonly<Record<string, string | undefined>>; terminal: Terminal },
): number => {
  const { red } = terminal.colours;
  const file = unwritten(error);
  if (error instanceof UsageError) {
    terminal.err(
      `${red(prefix + visibleLines(error.message))}\n${error.hint ? `  ${visibleLines(error.hint)}\n` : ''}`,
    );
  } else if (error instanceof Error && forPeople.has(error.name)) {
    const text = visibleLines(error.message);
    terminal.err(
      text.includes('\n') ? `${red(`${prefix}this cannot be used as it is.`)}\n\n${text}\n` : `${red(prefix + text)}\n`,
    );
  } else if (file) {
    terminal.err(`${red(prefix + visibleLines(file.line))}\n${file.hint ? `  ${file.hint}\n` : ''}`);
  } else {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const [line = ''] = visibleLines(message).split('\n');
    terminal.err(`${red(`${prefix}${line}`)}\n  This is unexpected. DEBUG=1 shows where it happened.\n`);
  }
  if (env.DEBUG && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
  return exitCodes.usage;
};
