const isWorker = process.env.TEST_WORKER_INDEX !== undefined;

let heard = false;

/**
 * Has SIGTERM and SIGHUP, with which CI systems cancel a job, end the run as Ctrl-C does. Playwright knows SIGINT alone: by the others it ends
 * at once, without a report, and what workers share stays behind.
 */
export const endAsByCtrlC = (): void => {
  if (heard) return;
  heard = true;
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // A signal to the whole group reaches workers too; their runner ends them.
      if (!isWorker) process.kill(process.pid, 'SIGINT');
    });
};
