import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parse } from 'dotenv';

export interface Served {
  /** The `.env` that `serve` prints for the API: BASE_URL, HTTP_BASE_URL, API_KEY, CA_FILE. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Starts `access-conformance serve` as a process of its own, and reads what it prints as a user
 * would.
 */
export const serveApart = async (
  command: readonly [string, ...string[]],
  { args = [], cwd }: { readonly args?: readonly string[]; readonly cwd?: string } = {},
): Promise<Served> => {
  const [program, ...before] = command;
  const server: ChildProcess & { readonly stdout: NodeJS.ReadableStream } = spawn(
    program,
    [...before, 'serve', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'], ...(cwd === undefined ? {} : { cwd }) },
  );
  const ended = once(server, 'close');
  let printed = '';
  for await (const line of createInterface({ input: server.stdout })) {
    printed += `${line}\n`;
    if (line.startsWith('# Its key page')) break;
  }
  const settings = parse(printed.replace(/^(?![A-Z_]+=).*$/gm, ''));
  if (!settings.BASE_URL || !settings.API_KEY) throw new Error(`serve printed no settings:\n${printed}`);
  return {
    settings,
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
};
