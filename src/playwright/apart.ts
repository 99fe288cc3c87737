import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from './session.js';

/** `.ts` in a checkout, `.js` in the installed package. */
const extension = extname(fileURLToPath(import.meta.url));

/**
 * Walks through the key page in a process of its own, without the variables for debugging: a worker of the runner has read DEBUG when it
 * was loaded, and would print what is typed. Nor can another's fixtures make a step of a test, and of a trace, of every call of
 * Playwright's library here: the password would stand in its reports.
 */
export const judgeKeyPageApart = ({ project }: Session): Promise<void> =>
  new Promise((resolve, reject) => {
    const { DEBUG: _debug, PWDEBUG: _pwdebug, ...env } = process.env;
    const config = fileURLToPath(new URL(`./key-page-process${extension}`, import.meta.url));
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
