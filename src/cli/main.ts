#!/usr/bin/env node
import { exitCodes } from '../engine/outcomes.js';
import { runApp } from './app.js';
import { makeTerminal } from './terminal.js';

const terminal = makeTerminal(process.stdout, process.stderr, process.env);

// A reader that went away (`| head`, a closed terminal) is no reason to end a run before its reports are written.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });

/** The first Ctrl-C stops politely: what there is gets written. The second ends at once. */
const stop = new AbortController();
const onSignal = (signal: NodeJS.Signals): void => {
  if (stop.signal.aborted) process.exit(exitCodes.incomplete);
  stop.abort(new Error(`stopped by ${signal}`));
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);

const code = await runApp(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  terminal,
  signal: stop.signal,
});

// Pipes are flushed first; then the end is ours, whatever socket of a slow server is still open.
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  stream.destroyed ? Promise.resolve() : new Promise((resolve) => stream.write('', () => resolve()));
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(code);
