import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { contractFile, contractFolder } from '../app/contract-file.js';
import { keyPageChecksIn } from '../app/key-page.js';
import { isForUsers } from '../app/output.js';
import { type PreparedRun, prepareRun } from '../app/prepare.js';
import { deploymentOf, traitsOf } from '../engine/deployment.js';
import { exitCodes } from '../engine/outcomes.js';
import { type Check, type PlannedCheck, planOf } from '../engine/plan.js';
import type { Recording } from '../engine/results.js';
import { plannedContract } from '../engine/values/planned.js';
import { prepareReports } from '../report/reports-folder.js';
import { visibleLines } from '../report/text.js';
import { readEnvFile, targetsFileName } from '../settings/env-file.js';
import { otherSecrets, readSettings, type Settings } from '../settings/settings.js';
import { forTargets } from '../settings/targets-file.js';
import { factsVersion } from '../wire/body-shape.js';
import { createKeyRing } from '../wire/keyring.js';
import { isListing, isWorker, runFolder, shared } from './run-folder.js';

/** What checks of the key page say where it is not judged. */
export const notAsked = 'The key page was not asked for; KEY_PAGE_URL names it.';

export interface Session extends PreparedRun {
  /** Name of its Playwright project, with TARGETS_FILE; `''` for the only deployment. */
  readonly project: string;
  readonly checks: readonly Check[];
  readonly keyPageChecks: readonly PlannedCheck[];
  readonly recording: Recording;
  /** Shared by all workers, so that their probes are those of one run. */
  readonly seed: string;
  /** Salt of stored digests, shared by all workers, so that their digests can be compared. */
  readonly salt: string;
}

const variables = {
  seed: 'ACCESS_CONFORMANCE_SEED',
  salt: 'ACCESS_CONFORMANCE_SALT',
  contract: 'ACCESS_CONFORMANCE_CONTRACT',
} as const;

/** The first process of a run fetches a contract from the web; its workers read the kept file. */
const sharedContractFile = async (settings: Settings): Promise<string> => {
  const { CONTRACT, REPORTS_DIR } = settings.values;
  const variable = `${variables.contract}_${createHash('sha256').update(CONTRACT).digest('hex').slice(0, 8)}`;
  const known = process.env[variable];
  if (known) return known;
  const { path } = await contractFile(settings, join(REPORTS_DIR, 'conformance', contractFolder));
  return shared(variable, () => path);
};

const openSession = async (project: string, settings: Settings): Promise<Session> => {
  const prepared = await prepareRun(settings, {
    cwd: process.cwd(),
    warn: printWarning,
    contractPath: await sharedContractFile(settings),
  });
  const { target, contract } = prepared;
  // Shards that are given the same seed draw the same keys and paths, and their digests can be
  // compared; the salt stays as secret as the key, and is random where every key is fetched.
  const secret = [...Object.values(target.keys), ...otherSecrets(prepared.settings)].join('\n');
  const given = process.env[variables.seed];
  const salt = shared(variables.salt, () =>
    given && secret !== '' ? createHmac('sha256', secret).update(given).digest('hex') : randomBytes(16).toString('hex'),
  );
  const seed = shared(variables.seed, () => randomBytes(16).toString('hex'));
  const fetched = Object.fromEntries((target.fetchedKeys ?? []).map((name) => [name, { mixesCase: false }]));
  const keys = { ...fetched, ...traitsOf(target, createKeyRing({ keys: target.keys, seed })) };
  return {
    ...prepared,
    project,
    checks: planOf(plannedContract(contract, seed), deploymentOf(target, keys, seed)).checks,
    keyPageChecks: keyPageChecksIn(contract, prepared.rules, settings.values.KEY_PAGE_URL !== undefined),
    recording: { seed, keys, facts: factsVersion },
    seed,
    salt,
  };
};

/** Warnings are printed once a run, and not by each worker. */
const printWarning = (warning: string): void => {
  if (isListing || isWorker) return;
  process.stderr.write(`warning: ${warning}\n`);
};

export interface Sessions {
  /** REPORTS_DIR; with several deployments, each has a folder of its own in it. */
  readonly reportsDir: string;
  readonly sessions: readonly Session[];
}

const readAll = async (): Promise<Sessions> => {
  const { env } = process;
  const cwd = process.cwd();
  const named = env[targetsFileName] || readEnvFile(cwd).values[targetsFileName];
  if (!named) {
    const settings = readSettings({ env, cwd, needs: ['BASE_URL'] });
    return { reportsDir: settings.values.REPORTS_DIR, sessions: [await openSession('', settings)] };
  }
  const { reportsDir, done } = await forTargets(named, { env, cwd }, (settings, { folder }) =>
    openSession(folder, settings),
  );
  return { reportsDir, sessions: done };
};

let heard = false;

/**
 * Makes SIGTERM and SIGHUP, with which CI systems cancel a job, end the run as Ctrl-C does.
 * Playwright handles SIGINT only: the others would end it at once, without a report.
 */
const endAsByCtrlC = (): void => {
  if (heard) return;
  heard = true;
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // A signal to the process group reaches workers too; the runner ends them.
      if (!isWorker) process.kill(process.pid, 'SIGINT');
    });
};

let sessions: Promise<Sessions> | undefined;

/** Reads settings and contracts once a process. Wrong ones end it with a message and exit code 3. */
export const openSessions = async (): Promise<Sessions> => {
  endAsByCtrlC();
  runFolder();
  sessions ??= readAll().then((read) => {
    if (isListing) return read;
    // Checked before anything is sent.
    for (const { project } of read.sessions) prepareReports(join(read.reportsDir, project, 'conformance'));
    return read;
  });
  try {
    return await sessions;
  } catch (error) {
    if (!isForUsers(error)) throw error;
    process.stderr.write(`${visibleLines(error.message)}\n`);
    process.exit(exitCodes.usage);
  }
};
