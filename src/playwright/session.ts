import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { contractFile, contractFolder } from '../app/contract-file.js';
import { type PreparedRun, prepareRun } from '../app/prepare.js';
import { keyPageChecksIn } from '../app/run.js';
import { deploymentOf, traitsOf } from '../engine/deployment.js';
import { exitCodes } from '../engine/outcomes.js';
import { type Check, type PlannedCheck, planOf } from '../engine/plan.js';
import { plannedContract } from '../engine/values/recording.js';
import { isForUsers } from '../errors.js';
import { prepareReports } from '../report/reports-folder.js';
import { oneSetting, targetsFileName } from '../settings/env-file.js';
import { otherSecrets, readSettings, type Settings } from '../settings/settings.js';
import { forTargets } from '../settings/targets-file.js';
import { visibleLines } from '../visible.js';
import { randomHex } from '../wire/key-variants.js';
import { KeyRing } from '../wire/keyring.js';
import { isListing } from './run-folder.js';

/** What checks of the key page say where it is not judged. */
export const notAsked = 'The key page was not asked for; KEY_PAGE_URL names it.';

/** What makes the requests and the digests of a child process those of the same run. */
export interface RunSeeds {
  readonly seed: string;
  readonly salt: string;
  /** The contract, fetched already where it is from the web. */
  readonly contractPath: string;
}

export interface PreparedSession extends PreparedRun, RunSeeds {
  /** Name of its Playwright project, with TARGETS_FILE; `''` for the only deployment. */
  readonly project: string;
  readonly checks: readonly Check[];
  readonly keyPageChecks: readonly PlannedCheck[];
}

/** Shards that are given the same seed draw the same keys and paths. */
const givenSeed = process.env.ACCESS_CONFORMANCE_SEED;
const ownSeed = givenSeed || randomHex();
const ownSalt = randomHex();

/**
 * The salt of a run. With a given seed, digests of shards can be compared; the salt stays as secret
 * as the key, and is random where every key is fetched.
 */
const saltOf = ({ target, settings }: PreparedRun): string => {
  const secret = [...Object.values(target.keys), ...otherSecrets(settings)].join('\n');
  return givenSeed && secret !== '' ? createHmac('sha256', secret).update(givenSeed).digest('hex') : ownSalt;
};

const openSession = async (project: string, settings: Settings, given?: RunSeeds): Promise<PreparedSession> => {
  const { REPORTS_DIR } = settings.values;
  const contractPath =
    given?.contractPath ?? (await contractFile(settings, join(REPORTS_DIR, 'conformance', contractFolder))).path;
  const prepared = await prepareRun(settings, { cwd: process.cwd(), warn: printWarning, contractPath });
  const { target, contract } = prepared;
  const seed = given?.seed ?? ownSeed;
  const fetched = Object.fromEntries((target.fetchedKeys ?? []).map((name) => [name, { mixesCase: false }]));
  const keys = { ...fetched, ...traitsOf(target, new KeyRing({ keys: target.keys, seed })) };
  const deployment = deploymentOf(target, keys, seed);
  return {
    ...prepared,
    project,
    contractPath,
    checks: planOf(plannedContract(contract, deployment), deployment).checks,
    keyPageChecks: keyPageChecksIn(contract, prepared.rules, settings.values.KEY_PAGE_URL !== undefined),
    seed,
    salt: given?.salt ?? saltOf(prepared),
  };
};

const printWarning = (warning: string): void => {
  if (!isListing) process.stderr.write(`warning: ${warning}\n`);
};

export interface Sessions {
  /** REPORTS_DIR; with several deployments, each has a folder of its own in it. */
  readonly reportsDir: string;
  readonly sessions: readonly PreparedSession[];
}

/** One session of a child process, which its parent has opened too. */
type ChildSession = RunSeeds & Pick<PreparedSession, 'project'>;

const readAll = async (given?: ChildSession): Promise<Sessions> => {
  const { env } = process;
  const cwd = process.cwd();
  const named = oneSetting(targetsFileName, { env, cwd });
  if (!named) {
    const settings = readSettings({ env, cwd, needs: ['BASE_URL'] });
    return { reportsDir: settings.values.REPORTS_DIR, sessions: [await openSession('', settings, given)] };
  }
  const { reportsDir, done } = await forTargets(named, { env, cwd }, async (settings, { folder }) =>
    given === undefined || given.project === folder ? [await openSession(folder, settings, given)] : [],
  );
  return { reportsDir, sessions: done.flat() };
};

let sessions: Promise<Sessions> | undefined;

/**
 * Reads settings and contracts once a process. Wrong ones end it with a message and exit code 3.
 */
export const openSessions = async (given?: ChildSession): Promise<Sessions> => {
  sessions ??= open(given);
  try {
    return await sessions;
  } catch (error) {
    if (!isForUsers(error)) throw error;
    process.stderr.write(`${visibleLines(error.message)}\n`);
    process.exit(exitCodes.usage);
  }
};

const open = async (given?: ChildSession): Promise<Sessions> => {
  // CI systems cancel a job with these signals. Playwright handles SIGINT only: the others would
  // end it at once, without a report.
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => void process.kill(process.pid, 'SIGINT'));
  const read = await readAll(given);
  // Checked before anything is sent.
  if (!isListing)
    for (const { project } of read.sessions) prepareReports(join(read.reportsDir, project, 'conformance'));
  return read;
};
