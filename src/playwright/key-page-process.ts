import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from './session.js';

/** `.ts` in a checkout, `.js` in the installed package. */
const extension = extname(fileURLToPath(import.meta.url));

/**
 * Judges the key page in a child process, without the variables for debugging: a Playwright worker
 * reads DEBUG when it starts, and would print the password that is typed. In a process of its own,
 * calls of Playwright's library do not become steps of a test or a trace either.
 */
export const judgeKeyPageInProcess = ({ project }: Session): Promise<void> =>
  new Promise((resolve, reject) => {
    const { DEBUG: _debug, PWDEBUG: _pwdebug, ...env } = process.env;
    const config = fileURLToPath(new URL(`./key-page-child${extension}`, import.meta.url));
    const runner = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
    const child = fork(runner, ['test', '-c', config], {
      execArgv: [],
      env: { ...env, ACCESS_CONFORMANCE_PROJECT: project },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (piece) => {
      said += String(piece);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`The process that walks through the key page ended with ${signal ?? code}. ${said}`)),
    );
  });
