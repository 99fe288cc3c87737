import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { runApp } from '../../../src/cli/app.js';
import { makeTerminal } from '../../../src/cli/terminal.js';

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

/**
 * Runs one command line in this process: the command as it is, without a build and without a
 * process of its own.
 */
export const app = async (
  words: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> => {
  const [out, err] = [new Kept(), new Kept()];
  const terminal = makeTerminal(out, err, env);
  const code = await runApp(words, { env, cwd, terminal, signal: new AbortController().signal });
  // What the types let pass: an object in place of its words.
  assert.doesNotMatch(out.text + err.text, /\[object /);
  return { code, out: out.text, err: err.text };
};
