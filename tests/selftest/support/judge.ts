import { tmpdir } from 'node:os';
import { loadContractOf } from '../../../src/app/load-contract.js';
import type { Contract } from '../../../src/contract/model.js';
import type { Outcome } from '../../../src/engine/outcomes.js';
import type { Finding, RunRecord } from '../../../src/engine/results.js';
import { runWithParts } from '../../../src/engine/run.js';
import type { RunInput } from '../../../src/engine/run-input.js';
import type { RunParts } from '../../../src/engine/session.js';
import { asset } from '../../../src/package.js';
import { faults, type ReferenceOptions, startReference, variants } from '../../../src/reference/index.js';
import { readSettings, type Settings } from '../../../src/settings/settings.js';
import { describeOptions, readTarget, type Target } from '../../../src/settings/target.js';
import type { Exchange } from '../../../src/wire/types.js';

/**
 * Whole runs for rule authors: a real service on a real socket, the real client, every rule or some
 * of them.
 */

export interface JudgedRun {
  readonly results: RunRecord['results'];
  /**
   * All of them, as they are written to results.json; throws where `JudgeOptions.exchanges` did not
   * ask for them.
   */
  readonly exchanges: readonly Exchange[];
  /** Ids of the clauses that came out failed, sorted. */
  readonly failedClauses: readonly string[];
  /**
   * Finds a check by its whole id, or by its rule where one operation alone has it; throws when
   * there is none or more than one.
   */
  check(id: string): Finding;
  /** Outcomes of a rule's checks, operation by operation. */
  outcomesOf(rule: string): readonly Outcome[];
}

type Engine = Pick<
  RunInput,
  'only' | 'rules' | 'seed' | 'salt' | 'signal' | 'onProgress' | 'secrets' | 'deviate' | 'baseline' | 'supply'
>;

export interface JudgeOptions extends Engine {
  /**
   * Settings by name, over those of the fault or variant and of the running service: `{ STRICT:
   * 'true' }`.
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether to read back what was sent and came. */
  readonly exchanges?: boolean;
  /**
   * An OpenAPI document; the shipped contract when absent. CONTRACT in `settings` does the same.
   */
  readonly contract?: string;
  /** What an interrupted run has left, and where this one keeps its own. */
  readonly evidence?: RunParts['evidence'];
}

export interface JudgeReferenceOptions extends JudgeOptions {
  readonly fault?: string;
  readonly variant?: string;
  /** How the service is started beyond fault and variant (latency, key, certificate, pages). */
  readonly service?: Omit<ReferenceOptions, 'fault' | 'variant'>;
}

/** Where a service runs and what opens it; `startReference` and `startTestServer` give this. */
export interface Running {
  readonly baseUrl: string;
  readonly httpBaseUrl?: string;
  readonly key?: string;
  readonly caFile?: string;
  readonly resolve?: string;
}

/**
 * The settings of a test, for a service that runs. Neither `.env` nor the environment of the test
 * run has a say.
 */
const settingsFor = (running: Running, given: Readonly<Record<string, string>>): Settings =>
  readSettings({
    env: {
      BASE_URL: running.baseUrl,
      ...(running.httpBaseUrl === undefined ? {} : { HTTP_BASE_URL: running.httpBaseUrl }),
      ...(running.key === undefined ? {} : { API_KEY: running.key }),
      ...(running.caFile === undefined ? {} : { CA_FILE: running.caFile }),
      ...(running.resolve === undefined ? {} : { RESOLVE: running.resolve }),
      // Of a server that answers; what is to time out says so itself.
      TIMEOUT_MS: '60000',
      // How many a server bears is not what most tests are about.
      CONCURRENCY: '8',
      ...given,
    },
    envFile: false,
    cwd: tmpdir(),
  });

const shippedContract = asset('openapi', 'fitness-data-service.yaml');

/**
 * The shipped contract by the settings that it was loaded with: most tests load it with the same.
 */
const loaded = new Map<string, Promise<Contract>>();

/** Target and contract for a service, as a run has them. */
export const prepare = async (
  running: Running,
  given: Readonly<Record<string, string>> = {},
): Promise<{ readonly settings: Settings; readonly target: Target; readonly contract: Contract }> => {
  const settings = settingsFor(running, given);
  const target = readTarget(settings);
  const path = given.CONTRACT ?? shippedContract;
  const name = JSON.stringify([Object.keys(settings.keys), given]);
  const contract = loaded.get(name) ?? loadContractOf(settings, target, { path });
  // Files that tests write may have the same name and other contents.
  if (path === shippedContract && given.OVERLAY === undefined && given.DEVIATIONS === undefined)
    loaded.set(name, contract);
  return { settings, target, contract: await contract };
};

/** Judges a service that runs already. */
export const judgeRunning = async (running: Running, options: JudgeOptions = {}): Promise<JudgedRun> => {
  const { settings: given = {}, contract: file, exchanges: wanted = false, evidence, ...engine } = options;
  const { settings, target, contract } = await prepare(running, {
    ...(file === undefined ? {} : { CONTRACT: file }),
    ...given,
  });
  const record = await runWithParts({ contract, target, options: describeOptions(settings), ...engine }, { evidence });
  try {
    const exchanges: Exchange[] = [];
    if (wanted) for await (const exchange of record.exchanges()) exchanges.push(exchange);
    return judgedRun(record.results, wanted ? exchanges : undefined);
  } finally {
    await record.dispose();
  }
};

/**
 * Starts the embedded service with a fault or variant, judges it and stops it. A fault's and a
 * variant's own settings are set.
 */
export const judgeReference = async (options: JudgeReferenceOptions = {}): Promise<JudgedRun> => {
  const { fault, variant, service: how, settings, ...rest } = options;
  const service = await startReference({
    ...how,
    ...(fault === undefined ? {} : { fault }),
    ...(variant === undefined ? {} : { variant }),
  });
  try {
    return await judgeRunning(service, {
      ...rest,
      settings: {
        ...variants.find(({ name }) => name === variant)?.settings,
        ...faults.find(({ name }) => name === fault)?.settings,
        ...settings,
      },
    });
  } finally {
    await service.close();
  }
};

export const judgedRun = (results: RunRecord['results'], exchanges?: readonly Exchange[]): JudgedRun => ({
  results,
  get exchanges() {
    if (exchanges) return exchanges;
    throw new Error('the exchanges were not asked for');
  },
  failedClauses: results.clauses
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ id }) => id)
    .sort(),
  check: (id) => {
    const found = results.checks.filter((check) => check.id === id || check.rule === id);
    const [check] = found;
    if (!check || found.length > 1)
      throw new Error(
        `${found.length} checks are called ${id}; there are ${results.checks.map((one) => one.id).join(', ')}`,
      );
    return check;
  },
  outcomesOf: (rule) => results.checks.filter((check) => check.rule === rule).map(({ outcome }) => outcome),
});
