import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { playwrightModule } from '../package.js';
import type { Session } from './session.js';

/**
 * Judges the key page in a child process without DEBUG, with which a Playwright worker would print
 * the typed password. Nor do calls of Playwright's library become steps of a test or a trace there.
 */
export const judgeKeyPageInProcess = ({ project }: Session): Promise<void> =>
  new Promise((resolve, reject) => {
    const { DEBUG: _debug, PWDEBUG: _pwdebug, ...env } = process.env;
    const runner = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
    const child = fork(runner, ['test', '-c', playwrightModule('key-page-child')], {
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
