import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { asset } from '../src/package.js';
import type { ServerFacts } from './server.js';

/** The command as it is installed. */
export const builtCommand = asset('dist', 'src', 'cli', 'main.js');

export const scriptPath = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

/**
 * Starts a script of this folder in a process of its own and resolves with the last line it prints,
 * as JSON.
 */
export const measured = async <T>(script: string, args: readonly string[]): Promise<T> => {
  const child = spawn(process.execPath, [scriptPath(script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) last = line;
  return JSON.parse(last) as T;
};

export interface Served extends ServerFacts {
  close(): void;
  /** Ends it politely; resolves with the requests that arrived, where the server counts them. */
  finish(): Promise<number>;
}

const start = async (script: string, args: readonly string[]): Promise<Served> => {
  const child: ChildProcess = spawn(process.execPath, [scriptPath(script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (!child.stdout) throw new TypeError('the server has an output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`${script} ended too early`);
    return value;
  };
  return {
    ...(JSON.parse(await next()) as ServerFacts),
    close: () => child.kill(),
    finish: async () => {
      child.stdin?.end();
      return Number(await next());
    },
  };
};

/** Starts `server.ts` in a process of its own. */
export const serve = (operationsOfEachAccess: number, latencyMs: number): Promise<Served> =>
  start('server', [String(operationsOfEachAccess), String(latencyMs)]);

/** Starts the embedded service in a process of its own. */
export const serveReference = (latencyMs: number): Promise<Served> => start('reference-server', [String(latencyMs)]);
