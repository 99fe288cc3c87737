#!/usr/bin/env node
import { watchEventLoop } from '../app/watchdog.js';
import { exitCodes } from '../engine/outcomes.js';
import { whyNot } from '../report/reports-folder.js';
import { printFailure, runApp } from './app.js';
import { makeTerminal } from './terminal.js';

const terminal = makeTerminal(process.stdout, process.stderr, process.env);

/** Why the output could not be written, for example a full disk. */
let outputLost: Error | undefined;
// A closed pipe (`| head`), a closed terminal or a full disk must not end a run before its reports
// are written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') outputLost ??= error;
});
process.stderr.on('error', () => undefined);

// Node would end with 1, which says that a deployment is not conformant.
const unexpected = (error: unknown): never => process.exit(printFailure(error, { env: process.env, terminal }));
process.on('uncaughtException', unexpected);
process.on('unhandledRejection', unexpected);

/**
 * Signals so close together are one: `timeout` signals the process and then its group, and npm
 * passes on a Ctrl-C that the terminal has sent to the whole group.
 */
const oneSignalMs = 1000;

/** The first Ctrl-C ends the run and writes its reports. The second ends the process at once. */
const stop = new AbortController();
let stoppedAt = 0;
const onSignal = (signal: NodeJS.Signals): void => {
  if (!stop.signal.aborted) stoppedAt = performance.now();
  else if (performance.now() - stoppedAt > oneSignalMs) process.exit(exitCodes.incomplete);
  stop.abort(new Error(`stopped by ${signal}`));
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);

const words = process.argv.slice(2);
/** Commands that read documents or talk to servers, which may make them hang. */
const watched: ReadonlySet<string | undefined> = new Set(['run', 'plan', 'list', 'doctor', 'judge']);
if (watched.has(words[0])) watchEventLoop(exitCodes.incomplete);
const code = await runApp(words, {
  env: process.env,
  cwd: process.cwd(),
  terminal,
  signal: stop.signal,
});

// Pipes are flushed first. Then the process ends, even if a socket of a slow server is still open.
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  stream.destroyed ? Promise.resolve() : new Promise((resolve) => stream.write('', () => resolve()));
await flushed(process.stdout);
if (outputLost) terminal.err(`access-conformance: the output could not be written: ${whyNot(outputLost)}\n`);
await flushed(process.stderr);

/** Commands whose exit code is a verdict. It stands even if the output could not be written. */
const judging: ReadonlySet<string | undefined> = new Set(['run', 'judge', 'merge', 'compare']);
process.exit(outputLost && !judging.has(words[0]) ? exitCodes.usage : code);
