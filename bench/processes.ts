import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServerFacts } from './server.js';

export const scriptPath = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

/** Starts a script of this folder in a process of its own and resolves with the last line it prints, as JSON. */
export const measured = async <T>(script: string, args: readonly string[]): Promise<T> => {
  const child = spawn(process.execPath, [scriptPath(script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) last = line;
  return JSON.parse(last) as T;
};

export interface Served extends ServerFacts {
  close(): void;
}

const start = async (script: string, args: readonly string[]): Promise<Served> => {
  const child: ChildProcess = spawn(process.execPath, [scriptPath(script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (!child.stdout) throw new TypeError('the server has an output');
  for await (const line of createInterface({ input: child.stdout })) {
    return { ...(JSON.parse(line) as ServerFacts), close: () => child.kill() };
  }
  throw new Error('the server did not start');
};

/** Starts `server.ts` in a process of its own. */
export const serve = (operationsOfEachAccess: number, latencyMs: number): Promise<Served> =>
  start('server', [String(operationsOfEachAccess), String(latencyMs)]);

/** Starts the embedded service in a process of its own. */
export const serveReference = (latencyMs: number): Promise<Served> => start('reference-server', [String(latencyMs)]);
