#!/usr/bin/env node
import { exitCodes } from '../engine/outcomes.js';
import { whyNot } from '../report/errors.js';
import { runApp } from './app.js';
import { printFailure } from './print-failure.js';
import { makeTerminal } from './terminal.js';
import { watchEventLoop } from './watchdog.js';

const terminal = makeTerminal(process.stdout, process.stderr, process.env);

/** Why the output went nowhere: a full disk. */
let outputLost: Error | undefined;
// A reader that went away (`| head`, a closed terminal) is no reason to end a run before its reports are written, nor is a full disk.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') outputLost ??= error;
});
process.stderr.on('error', () => undefined);

// Node would end with 1, which says that a deployment is not conformant.
const unexpected = (error: unknown): never => process.exit(printFailure(error, { env: process.env, terminal }));
process.on('uncaughtException', unexpected);
process.on('unhandledRejection', unexpected);

/** The first Ctrl-C stops politely: what there is gets written. The second ends at once. */
const stop = new AbortController();
const onSignal = (signal: NodeJS.Signals): void => {
  if (stop.signal.aborted) process.exit(exitCodes.incomplete);
  stop.abort(new Error(`stopped by ${signal}`));
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);

const words = process.argv.slice(2);
/** Commands that read documents or talk to servers: what those make of us is bounded. */
const watched: ReadonlySet<string | undefined> = new Set(['run', 'plan', 'list', 'doctor', 'judge']);
const watchdog = watched.has(words[0]) ? watchEventLoop(exitCodes.incomplete) : undefined;
const code = await runApp(words, {
  env: process.env,
  cwd: process.cwd(),
  terminal,
  signal: stop.signal,
  ...(watchdog ? { watchdog } : {}),
});

// Pipes are flushed first; then the end is ours, whatever socket of a slow server is still open.
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  stream.destroyed ? Promise.resolve() : new Promise((resolve) => stream.write('', () => resolve()));
await flushed(process.stdout);
if (outputLost) terminal.err(`access-conformance: the output could not be written: ${whyNot(outputLost)}\n`);
await flushed(process.stderr);

/** Commands whose exit code is a verdict, which reports tell too: it stands whoever could not read the output. */
const judging: ReadonlySet<string | undefined> = new Set(['run', 'judge', 'merge', 'compare']);
process.exit(outputLost && !judging.has(words[0]) ? exitCodes.usage : code);
