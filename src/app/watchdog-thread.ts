import { writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { constants } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.js';

/** The thread of `watchEventLoop`. */

const { beats, every, most, mostAfterSignal, exitCode } = workerData as Watched;
const count = new Int32Array(beats);

interface SignalWatcher {
  onsignal: (signal: number) => void;
  start(signal: number): number;
  unref(): void;
}

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let asked: (typeof ending)[number] | undefined;

/**
 * Node delivers signals to the main thread only, whose event loop may be blocked. Node's internal
 * signal watcher works in any thread. If it is no longer available, the time limit remains.
 */
const listen = (): void => {
  process.noDeprecation = true;
  const binding: unknown = Reflect.get(process, 'binding');
  if (typeof binding !== 'function') return;
  const { Signal } = binding.call(process, 'signal_wrap') as { readonly Signal: new () => SignalWatcher };
  for (const name of ending) {
    const watcher = new Signal();
    watcher.onsignal = () => {
      asked ??= name;
      // Turns of the loop before the signal do not count.
      last = Atomics.load(count, 0);
      still = 0;
    };
    watcher.unref();
    watcher.start(constants.signals[name]);
  }
};

/** The innermost file position in the interrupted stack of the main thread. */
const whereIn = (stack: unknown): string =>
  /\(?((?:file:\/\/)?\/[^\s()]+:\d+:\d+)\)?/.exec(typeof stack === 'string' ? stack : '')?.[1] ?? 'an unknown place';

const end = async (): Promise<void> => {
  const why = asked ? `${asked} came, and ` : '';
  const seconds = Math.round((still * every) / 1000);
  const session = new Session();
  // Native code that blocks the loop cannot be interrupted.
  const say = (where: string): number =>
    writeSync(
      2,
      `access-conformance: ${why}the event loop has not turned for ${seconds} s${where}; the run ends here, and no report was written.\n`,
    );
  setTimeout(() => {
    say('');
    process.kill(process.pid, 'SIGKILL');
  }, 10 * every);
  session.connectToMainThread();
  const { result } = await session.post('Runtime.evaluate', { expression: 'new Error().stack' });
  say(` (in ${whereIn(result.value)})`);
  await session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` });
};

let last = -1;
let still = 0;
let over = false;

try {
  listen();
} catch {
  // The time limit remains.
}

setInterval(() => {
  const now = Atomics.load(count, 0);
  // Intervals are counted instead of time: a stopped process or a sleeping machine has not hung.
  if (now === last) still += 1;
  else {
    still = 0;
    // The loop turns, so the main thread receives the signal itself.
    asked = undefined;
  }
  last = now;
  if (over || still < (asked ? mostAfterSignal : most)) return;
  over = true;
  void end();
}, every);

parentPort?.postMessage('watching');
