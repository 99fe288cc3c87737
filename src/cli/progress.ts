import type { ProgressEvent } from '../engine/run-input.js';
import { counted } from '../words.js';
import type { Terminal } from './terminal.js';

/** Milliseconds between two lines where there is no terminal. */
const quietMs = 10_000;

/**
 * Prints the progress of a run on the error stream: one changing line on a terminal, otherwise a
 * line at the start and every few seconds.
 */
export const progressOn = (terminal: Terminal, now: () => number = Date.now) => {
  let last = now();
  return (event: ProgressEvent): void => {
    if (event.type === 'planned') {
      if (!terminal.live) terminal.err(`judging ${counted(event.checks, 'check')}\n`);
      return;
    }
    const { done, checks, finding } = event;
    if (terminal.live) {
      terminal.status(
        done < checks ? `${done}/${counted(checks, 'check')}  ${finding.operation}  ${finding.rule}` : '',
      );
    } else if (now() - last > quietMs) {
      last = now();
      terminal.err(`${done} of ${counted(checks, 'check')} judged\n`);
    }
  };
};
