import type { ProgressEvent } from '../engine/run.js';
import { counted } from '../words.js';
import type { Terminal } from './terminal.js';

/** Milliseconds between two lines where nobody sees one line change. */
const quietMs = 10_000;

/**
 * Shows how far a run is: one changing line with a count and the current operation on a terminal, else a plain line at the start
 * and now and then. Always on the error stream.
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
