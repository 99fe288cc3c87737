import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { asset } from '../../../src/package.js';
import { bareEnvironment } from './command.js';

export interface Front {
  readonly code: number | null;
  /** Both output streams. */
  readonly output: string;
}

/**
 * Starts the Playwright front-end as it is shipped, in a process of its own with no other
 * environment.
 */
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

/** Every reporter, ours among them, and the environment in which they write to a folder. */
export const allReporters = (folder: string) => ({
  flag: `--reporter=list,json,html,junit,blob,github,${asset('dist', 'src', 'playwright', 'reporter.js')}`,
  env: {
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(folder, 'out.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_NAME: join(folder, 'out.xml'),
    PLAYWRIGHT_HTML_OUTPUT_DIR: join(folder, 'html'),
    PLAYWRIGHT_BLOB_OUTPUT_DIR: join(folder, 'blob'),
    PLAYWRIGHT_HTML_OPEN: 'never',
  },
});
