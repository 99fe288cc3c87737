import { join } from 'node:path';
import { readSettings } from '../settings/settings.js';

/**
 * REPORTS_DIR of a command that takes no other setting: its flag, else the environment, else the
 * default. `.env` is for runs.
 * @throws {SettingsError} where the value is none
 */
export const reportsDirOf = (cwd: string, env: NodeJS.ProcessEnv, flag?: string): string =>
  readSettings({ flags: { REPORTS_DIR: flag }, env: { REPORTS_DIR: env.REPORTS_DIR }, cwd, envFile: false }).values
    .REPORTS_DIR;

/** Where a run writes its results. */
export const resultsIn = (reportsDir: string): string => join(reportsDir, 'conformance', 'results.json');
