import { Worker } from 'node:worker_threads';
import { builtModule } from '../package.js';

/** The data of the watchdog's thread. */
export interface Watched {
  /** Incremented by each turn of the event loop. */
  readonly beats: SharedArrayBuffer;
  /** Length of an interval, in milliseconds. */
  readonly every: number;
  /** Intervals without a turn after which the process is ended. */
  readonly most: number;
  /** Such intervals after a signal that asks the process to end. */
  readonly mostAfterSignal: number;
  readonly exitCode: number;
}

interface Watchdog {
  /** Resolves when the thread has started. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Ten minutes: the largest documents are read in one turn, even on slow machines. */
const usual = { every: 500, most: 1_200, mostAfterSignal: 6 };

/**
 * Watches the event loop from another thread. While the loop is blocked, the main thread handles no
 * signal and no timer. The thread ends the process and prints where it was blocked.
 */
export const watchEventLoop = (exitCode: number, limits: Partial<typeof usual> = {}): Watchdog => {
  const beats = new SharedArrayBuffer(4);
  const count = new Int32Array(beats);
  const workerData: Watched = { beats, exitCode, ...usual, ...limits };
  const beating = setInterval(() => Atomics.add(count, 0, 1), workerData.every / 2).unref();
  const worker = new Worker(builtModule('app/watchdog-thread'), {
    workerData,
    // The thread needs no environment, and least of all a key.
    env: {},
    argv: [],
    execArgv: [],
  });
  const ready = new Promise<void>((resolve) => worker.once('message', () => resolve()));
  worker.unref();
  // A run works without the watchdog.
  worker.on('error', () => clearInterval(beating));
  return {
    ready,
    stop: () => {
      clearInterval(beating);
      void worker.terminate();
    },
  };
};
