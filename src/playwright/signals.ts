import { isWorker } from './process-state.js';

let heard = false;

/**
 * Makes SIGTERM and SIGHUP, with which CI systems cancel a job, end the run as Ctrl-C does.
 * Playwright handles SIGINT only: the others would end it at once, without a report, and leave the
 * shared folder behind.
 */
export const endAsByCtrlC = (): void => {
  if (heard) return;
  heard = true;
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // A signal to the process group reaches workers too; the runner ends them.
      if (!isWorker) process.kill(process.pid, 'SIGINT');
    });
};
