import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { asset } from '../package.js';

/** What the thread is given. */
export interface Watched {
  /** Grows with each turn of the event loop. */
  readonly beats: SharedArrayBuffer;
  /** Milliseconds between two looks. */
  readonly every: number;
  /** Looks without a turn after which the process is ended. */
  readonly most: number;
  /** The same after a signal that asks it to end. */
  readonly mostAfterSignal: number;
  readonly exitCode: number;
}

/** What a run has found so far, and where its reports belong. */
export interface Kept {
  /** Of a `Journal`. */
  readonly journal: number;
  /** The reports folder. */
  readonly dir: string;
  /** How the file is named to a person. */
  readonly shown: string;
}

export interface Watchdog {
  /** Resolves when the thread watches; it takes a moment to start. */
  readonly ready: Promise<void>;
  /** From now on the end of a process that hangs leaves these results; `undefined`: none. */
  keep(kept: Kept | undefined): void;
  stop(): void;
}

const beside = fileURLToPath(new URL('./watchdog-thread.js', import.meta.url));

/** Ten minutes: the largest documents are read in one turn, on slow machines too. */
const usual = { every: 500, most: 1_200, mostAfterSignal: 6 };

/**
 * Watches the event loop from a thread of its own. While the loop does not turn, nothing of this process hears a signal or a
 * timer; the thread does, and ends the process with one line that says where it was.
 */
export const watchEventLoop = (
  exitCode: number,
  { every, most, mostAfterSignal }: Partial<typeof usual> = {},
): Watchdog => {
  const beats = new SharedArrayBuffer(4);
  const count = new Int32Array(beats);
  const beating = setInterval(() => Atomics.add(count, 0, 1), (every ?? usual.every) / 2).unref();
  const workerData: Watched = {
    beats,
    exitCode,
    every: every ?? usual.every,
    most: most ?? usual.most,
    mostAfterSignal: mostAfterSignal ?? usual.mostAfterSignal,
  };
  const worker = new Worker(existsSync(beside) ? beside : asset('dist', 'src', 'cli', 'watchdog-thread.js'), {
    workerData,
    // It needs nothing of what the process knows, and least of all a key.
    env: {},
    argv: [],
    execArgv: [],
  });
  const ready = new Promise<void>((resolve) => worker.once('message', () => resolve()));
  worker.unref();
  // Without it a run is what it was before.
  worker.on('error', () => clearInterval(beating));
  return {
    ready,
    keep: (kept) => worker.postMessage(kept),
    stop: () => {
      clearInterval(beating);
      void worker.terminate();
    },
  };
};
