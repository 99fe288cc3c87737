import { createHmac, randomBytes } from 'node:crypto';
import { join, relative } from 'node:path';
import { ContractError, warningLine } from '../contract/errors.js';
import { loadContract } from '../contract/load.js';
import type { Contract } from '../contract/model.js';
import { type Deviation, DeviationsError, readDeviations } from '../engine/deviations.js';
import { exitCodes } from '../engine/outcomes.js';
import { type Check, planOf } from '../engine/plan.js';
import type { Recording, Results } from '../engine/results.js';
import { deploymentOf, traitsOf } from '../engine/run.js';
import { checkOf, keyPageChecks } from '../keypage/judge.js';
import { ReportError } from '../report/errors.js';
import { prepareReports } from '../report/prepare-reports.js';
import { visibleLines } from '../report/text.js';
import { readEnvFile, targetsFileName } from '../settings/env-file.js';
import { describeOptions, readTarget } from '../settings/read-target.js';
import { readSettings, type Settings, SettingsError } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { forTargets, TargetsError } from '../settings/targets-file.js';
import { factsVersion } from '../wire/body-facts.js';
import { createKeyRing } from '../wire/keyring.js';
import { runFolder } from './run-folder.js';
import { isListing, shared } from './shared.js';
import { endAsByCtrlC } from './signals.js';

/** One deployment that a Playwright run judges: what every process of the run works on. */
export interface Session {
  /** Name of its Playwright project, where TARGETS_FILE names several deployments; `''` for the only one. */
  readonly project: string;
  readonly settings: Settings;
  readonly target: Target;
  readonly contract: Contract;
  readonly options: Results['options'];
  readonly checks: readonly Check[];
  /** What `DEVIATIONS` accepts. */
  readonly deviations: readonly Deviation[];
  readonly recording: Recording;
  /** Shared by all workers, so that their probes are those of one run. */
  readonly seed: string;
  /** Salt of stored digests: shared by all workers, so that what one of them recorded can be compared with what another did. */
  readonly salt: string;
}

const variables = {
  seed: 'ACCESS_CONFORMANCE_SEED',
  salt: 'ACCESS_CONFORMANCE_SALT',
} as const;

const read = async (project: string, settings: Settings): Promise<Session> => {
  const target = readTarget(settings);
  const { values } = settings;
  const contract = await loadContract(values.CONTRACT, {
    overlay: values.OVERLAY?.join(','),
    refRoot: values.REF_ROOT,
    paths: target.paths,
    parameters: values.PARAMETERS,
    unsafeMethods: values.UNSAFE_METHODS,
    keys: Object.keys(settings.keys),
  });
  tellWarnings(contract);
  // Shards that are told the same seed draw the same keys and paths, and their digests can be compared; the salt stays as secret as the key.
  const secret = Object.values(target.keys).join('\n');
  const given = process.env[variables.seed];
  const salt = shared(variables.salt, () =>
    given ? createHmac('sha256', secret).update(given).digest('hex') : randomBytes(16).toString('hex'),
  );
  const seed = shared(variables.seed, () => randomBytes(16).toString('hex'));
  const ring = createKeyRing({ keys: target.keys, seed });
  const keys = traitsOf(target, ring);
  const { checks } = planOf(contract, deploymentOf(target, keys, seed));
  return {
    project,
    settings,
    target,
    contract,
    options: describeOptions(settings),
    checks,
    deviations: deviationsIn(values.DEVIATIONS, checks),
    recording: { seed, keys, facts: factsVersion },
    seed,
    salt,
  };
};

/** What the command says before a run: an overlay action that matched nothing, a key that nothing uses. Once, and not in each worker. */
const tellWarnings = ({ warnings }: Contract): void => {
  if (isListing || process.env.TEST_WORKER_INDEX !== undefined) return;
  for (const warning of warnings) process.stderr.write(`${visibleLines(warningLine(warning))}\n`);
};

const deviationsIn = (file: string | undefined, checks: readonly Check[]): readonly Deviation[] => {
  if (file === undefined) return [];
  const planned = [
    ...checks.map(({ id, rule }) => ({ id, clauses: rule.clauses })),
    ...keyPageChecks.map(({ rule, clauses }) => ({ id: checkOf(rule), clauses })),
  ];
  const near = relative(process.cwd(), file);
  return readDeviations(file, { planned, shown: near.startsWith('..') ? file : near });
};

/** What one Playwright run judges. */
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
    return { reportsDir: settings.values.REPORTS_DIR, sessions: [await read('', settings)] };
  }
  const { reportsDir, done } = await forTargets(named, { env, cwd }, (settings, { folder }) => read(folder, settings));
  return { reportsDir, sessions: done };
};

let sessions: Promise<Sessions> | undefined;

/** Reads settings and contracts once a process. Wrong ones end the process with one clear message and exit code 3. */
export const openSessions = async (): Promise<Sessions> => {
  endAsByCtrlC();
  runFolder();
  sessions ??= readAll().then((read) => {
    if (isListing) return read;
    // Found out before anything is sent.
    for (const { project } of read.sessions) prepareReports(join(read.reportsDir, project, 'conformance'));
    return read;
  });
  try {
    return await sessions;
  } catch (error) {
    const wrong = [SettingsError, ContractError, DeviationsError, TargetsError, ReportError].some(
      (kind) => error instanceof kind,
    );
    if (!wrong) throw error;
    process.stderr.write(`${visibleLines(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(exitCodes.usage);
  }
};
