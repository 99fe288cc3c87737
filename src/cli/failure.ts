import { tmpdir } from 'node:os';
import { exitCodes } from '../engine/outcomes.js';
import { codeOf, whyNot } from '../report/errors.js';
import { visibleLines } from '../report/text.js';
import { UsageError } from './command.js';
import type { Terminal } from './terminal.js';

/** Errors whose message was written for the person at the keyboard, by name: their classes need not be loaded to be known. */
const forPeople: ReadonlySet<string> = new Set([
  'SettingsError',
  'ContractError',
  'ReportError',
  'SelectionError',
  'DeviationsError',
  'TargetsError',
]);

/** Codes of a disk that takes no more. */
const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

const prefix = 'access-conformance: ';

/** Says what went wrong in as few lines as tell what to do, and gives the exit code. The stack is for DEBUG alone. */
export const tellFailure = (
  error: unknown,
  { env, terminal }: { env: Readonly<Record<string, string | undefined>>; terminal: Terminal },
): number => {
  const { red } = terminal.colours;
  if (error instanceof UsageError) {
    terminal.err(
      `${red(prefix + visibleLines(error.message))}\n${error.hint ? `  ${visibleLines(error.hint)}\n` : ''}`,
    );
  } else if (error instanceof Error && forPeople.has(error.name)) {
    const text = visibleLines(error.message);
    terminal.err(
      text.includes('\n') ? `${red(`${prefix}this cannot be used as it is.`)}\n\n${text}\n` : `${red(prefix + text)}\n`,
    );
  } else if (full.has(codeOf(error) ?? '')) {
    const where = visibleLines(tmpdir());
    terminal.err(
      `${red(`${prefix}cannot keep what was seen in ${where}: ${whyNot(error)}`)}\n  set TMPDIR to a folder with room; nothing was judged\n`,
    );
  } else {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const [line = ''] = visibleLines(message).split('\n');
    terminal.err(`${red(`${prefix}${line}`)}\n  This is unexpected. DEBUG=1 shows where it happened.\n`);
  }
  if (env.DEBUG && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
  return exitCodes.usage;
};
