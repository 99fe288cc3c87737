import type { Writable } from 'node:stream';
import picocolors from 'picocolors';
import type { ProgressEvent } from '../engine/run-input.js';
import { visible } from '../visible.js';
import type { Wait } from '../wire/types.js';
import { count, counted } from '../words.js';

interface Stream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** NO_COLOR (https://no-color.org) and FORCE_COLOR outrank the kind of the stream. */
const wantsColour = (stream: Stream, env: Readonly<Record<string, string | undefined>>): boolean => {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return Boolean(stream.isTTY) && env.TERM !== 'dumb';
};

/** Where a command prints. With `--json` the results go to `out` and everything else to `err`. */
export const makeTerminal = (stdout: Stream, stderr: Stream, env: Readonly<Record<string, string | undefined>>) => {
  // CI logs keep every line, even where CI allocates a terminal.
  const live = Boolean(stderr.isTTY) && !env.CI && env.TERM !== 'dumb';
  const color = wantsColour(stdout, env);
  const width = stderr.columns || 100;
  const colours = picocolors.createColors(color);
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write('\r\u001b[2K');
    shown = false;
  };
  const err = (text: string): void => {
    clear();
    stderr.write(text);
  };
  return {
    out: (text: string): void => {
      clear();
      stdout.write(text);
    },
    err,
    /** Prints a warning on `err`; the text is printable already. */
    warn: (text: string): void => err(`${colours.yellow('warning')} ${text}\n`),
    /** Shows one line that the next one replaces; nothing without a terminal. */
    status: (line: string): void => {
      if (!live) return;
      clear();
      if (line === '') return;
      stderr.write(visible(line).slice(0, width - 1));
      shown = true;
    },
    /** Whether `err` is a terminal and not CI. */
    live,
    colours,
    color,
    width,
  };
};

export type Terminal = ReturnType<typeof makeTerminal>;

/** Milliseconds between two lines where there is no terminal. */
const quietMs = 10_000;

/** What holds requests up, with the setting that says for how long. */
const waitWords = (wait: Wait): string => {
  const seconds = (milliseconds: number): string => `${count(Math.ceil(milliseconds / 1000))} s`;
  if (wait.kind === 'no-answer')
    return `no full answer for ${seconds(wait.forMs)}: requests run into TIMEOUT_MS=${wait.timeoutMs}`;
  if (wait.kind === 'no-connection') return `no connection for ${seconds(wait.forMs)}: ${wait.message}`;
  if (wait.kind === 'new-connections')
    return `the service closes its connections, and ${wait.perSecond} a second are opened (CONCURRENCY=8: no limit)`;
  if (wait.kind === 'starting')
    return `waiting for the service to start: it answers ${wait.status}; ${seconds(wait.forMs)} of at most ${seconds(wait.budgetMs)}`;
  const { kind, status, waitMs, budgetMs } = wait;
  const setting = `RATE_LIMIT_WAIT_S=${budgetMs / 1000}`;
  return kind === 'rate-limit'
    ? `waiting: rate limit (${status}), ${seconds(waitMs)} of ${setting} used`
    : `rate limit (${status}): ${seconds(waitMs)} more exceed ${setting}`;
};

/**
 * Prints the progress of a run: one changing line on a terminal, else a line every few seconds, and
 * one when requests begin to be held up.
 */
export const progressOn = (terminal: Terminal) => {
  let last = Date.now();
  let most = 0;
  let judged = '';
  let waiting = '';
  const said = new Set<Wait['kind']>();
  const show = (what: string): void => terminal.status([judged, what].filter((part) => part !== '').join('  '));
  return (event: ProgressEvent): void => {
    if (event.type === 'planned') {
      judged = `0/${counted(event.checks, 'check')}`;
      if (!terminal.live) terminal.err(`judging ${counted(event.checks, 'check')}\n`);
    } else if (event.type === 'waiting') {
      waiting = waitWords(event.wait);
      show(waiting);
      if (!terminal.live && !said.has(event.wait.kind)) terminal.err(`${waiting}\n`);
      said.add(event.wait.kind);
    } else if (event.type === 'resumed') {
      waiting = '';
      // How a service treats connections stays as it is, and is said once.
      for (const kind of said) if (kind !== 'new-connections') said.delete(kind);
      show('');
    } else {
      const { done, checks, finding } = event;
      judged = done < checks ? `${done}/${counted(checks, 'check')}` : '';
      show(judged === '' ? '' : waiting || `${finding.operation}  ${finding.rule}`);
      // Some checks are judged again, and are not done meanwhile.
      if (terminal.live || Date.now() - last <= quietMs || done <= most) return;
      last = Date.now();
      most = done;
      terminal.err(`${done} of ${counted(checks, 'check')} judged\n`);
    }
  };
};
