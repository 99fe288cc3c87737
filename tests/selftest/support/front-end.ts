import { type ChildProcess, spawn } from 'node:child_process';
import { asset } from '../../../src/package.js';
import { bareEnvironment } from './command.js';

export interface Front {
  readonly code: number | null;
  /** Both output streams. */
  readonly output: string;
}

/** Starts the Playwright front-end as it is shipped, in a process of its own with no other environment. */
export const startPlaywright = (
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): { readonly child: ChildProcess; readonly ended: Promise<Front> } => {
  const cli = asset('node_modules', '@playwright', 'test', 'cli.js');
  const child = spawn(process.execPath, [cli, 'test', '-c', asset('dist', 'playwright.config.js'), ...args], {
    cwd,
    // An installed package is not transpiled; a checkout would be, at half a second a process.
    env: { ...bareEnvironment, PW_DISABLE_TS_ESM: '1', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<Front>((resolve) => child.once('close', (code) => resolve({ code, output })));
  return { child, ended };
};

/** Runs it to its end. */
export const playwright = (...given: Parameters<typeof startPlaywright>): Promise<Front> =>
  startPlaywright(...given).ended;
