import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { contractFolder } from '../app/contract-file.js';
import { idleSelector } from '../app/idle-selector.js';
import { loadContractOf } from '../app/load-contract.js';
import { everyCheck } from '../app/prepare.js';
import { mirroredIn } from '../contract/kept-document.js';
import { loadContract } from '../contract/load.js';
import type { AppliedOverlay, Contract } from '../contract/model.js';
import { leaveOut } from '../engine/deviations.js';
import { worstCode } from '../engine/outcomes.js';
import { type Check, isSelected, type PlannedCheck } from '../engine/plan.js';
import type { RunRecord } from '../engine/results.js';
import { asset } from '../package.js';
import { contractName } from '../report/run-summary.js';
import { oneSetting, targetsFileName } from '../settings/env-file.js';
import { readSettings, type Settings } from '../settings/settings.js';
import { nowhere, readTarget } from '../settings/target.js';
import { forTargets } from '../settings/targets-file.js';
import { visible } from '../visible.js';
import {
  type Arguments,
  type Command,
  type CommandContext,
  type Flags,
  textFlag,
  textsFlag,
  UsageError,
} from './arguments.js';
import type { Terminal } from './terminal.js';

export const targetsFlag: Flags = {
  targets: { value: 'FILE', doc: 'Each deployment of a YAML file in turn, as run --targets (TARGETS_FILE).' },
};

/** The targets file: from the flag, or from TARGETS_FILE if no flag names one deployment. */
export const targetsNamed = (input: Arguments, context: CommandContext): string | undefined =>
  textFlag(input, 'targets') ??
  (input.settings.BASE_URL !== undefined ? undefined : oneSetting(targetsFileName, context));

/** Names in the environment that are a letter from a setting. A missing key has its own words. */
export const printNearMisses = ({ nearMisses }: Settings, { err }: Terminal): void => {
  for (const [given, meant] of nearMisses)
    if (meant !== 'API_KEY')
      err(`The environment has ${visible(given)}, which is no setting: did you mean ${meant}?\n`);
};

/**
 * Makes a command for one deployment one for each of a targets file: the worst exit code counts.
 */
export const forEachTarget =
  (ofOne: (settings: Settings, input: Arguments, context: CommandContext) => Promise<number>): Command['run'] =>
  async (input, context) => {
    const { env, cwd, terminal } = context;
    const given = { flags: input.settings, env, cwd, needs: ['BASE_URL'] } as const;
    const named = targetsNamed(input, context);
    const runFor = (settings: Settings, its: CommandContext): Promise<number> => {
      printNearMisses(settings, terminal);
      return ofOne(settings, input, its);
    };
    if (named === undefined) return runFor(readSettings(given), context);
    if (input.flags.json === true)
      throw new UsageError('--json is of one deployment, and --targets of several.', 'ask for one alone');
    const withDocuments: CommandContext = { ...context, fetched: new Map() };
    const { done } = await forTargets(named, given, async (settings, { name }) => {
      terminal.out(`${terminal.colours.bold(visible(name))}\n\n`);
      const code = await runFor(settings, withDocuments);
      terminal.out('\n');
      return code;
    });
    return worstCode(done);
  };

export const readContract = async (
  input: Arguments,
  { env, cwd, terminal }: CommandContext,
): Promise<{ readonly contract: Contract; readonly checks: readonly PlannedCheck[] }> => {
  const settings = readSettings({ flags: { BASE_URL: nowhere, ...input.settings }, env, cwd });
  const target = readTarget(settings);
  const contract = await loadContractOf(settings, target, { warn: terminal.warn });
  return { contract, checks: everyCheck(contract, target) };
};

/** The selectors of `--only`: repeated or separated by commas. */
export const selectorsOf = (input: Arguments): readonly string[] =>
  textsFlag(input, 'only').flatMap((text) => text.split(',').map((part) => part.trim()));

/** The checks of a plan that send requests: selected and not excluded. No selector selects all. */
export const requestingChecks = (planned: readonly Check[], selectors: readonly string[] = []): readonly Check[] =>
  planned.filter((check) => check.excluded === undefined && (selectors.length === 0 || isSelected(selectors, check)));

/**
 * Makes sure that every selector selects a check.
 * @throws {UsageError} with the nearest names
 */
export const checkSelectors = (only: readonly string[], all: readonly PlannedCheck[]): void => {
  const idle = idleSelector(only, all);
  if (idle)
    throw new UsageError(
      `--only ${idle.selector} selects no check.`,
      `${idle.hint} access-conformance list names every check`.trim(),
    );
};

const shipped = asset('openapi', 'fitness-data-service.yaml');

const filledString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const unstatedIn = (value: unknown): 'public' | 'protected' | 'ask' =>
  value === 'public' || value === 'protected' ? value : 'ask';

const filesIn = (named: string, cwd: string): string =>
  named
    .split(',')
    .map((each) => resolve(cwd, each.trim()))
    .join(',');

/** The overlays at the paths in the results. The contract's checksum shows whether they changed. */
const overlaysIn = (overlays: readonly AppliedOverlay[] = [], cwd: string): string | undefined => {
  const files = overlays.map(({ file }) => resolve(cwd, file));
  return files.length > 0 && files.every((file) => existsSync(file)) ? files.join(',') : undefined;
};

const leftOutIn = ({
  operations,
}: RunRecord['results']): ((operation: { readonly id: string }) => string | undefined) => {
  const reasons = new Map(
    operations.flatMap(({ id, why, reason }) => (why === 'left-out' ? [[id, reason ?? '']] : [])),
  );
  return ({ id }) => reasons.get(id);
};

/**
 * The contract that a recorded run was judged by, found by its checksum: the file that the user
 * names, the path in the results, or the shipped contract.
 * @param beside folder of the results file: a contract that was fetched is kept below it
 * @throws {UsageError} when none of them has the same bytes
 */
export const contractRecordedIn = async (
  { results }: RunRecord,
  input: Arguments,
  { cwd, env, beside }: Pick<CommandContext, 'cwd' | 'env'> & { readonly beside: string },
): Promise<Contract> => {
  const { options, contract: recorded, recording } = results;
  const inFolder = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(cwd, file);
  const fileOf = (flag: string): string | undefined => inFolder(textFlag(input, flag));
  const parameters =
    fileOf('parameters') ??
    (options.PARAMETERS === true ? inFolder(oneSetting('PARAMETERS', { env, cwd })) : undefined);
  if (options.PARAMETERS === true && parameters === undefined)
    throw new UsageError(
      'the run took values for parameters from a file, which the results do not hold.',
      'name it with --parameters FILE or PARAMETERS',
    );
  const paths = Object.fromEntries(
    ['EXERCISE_PATH', 'INGREDIENT_PATH'].flatMap((name) => {
      const path = filledString(options[name]);
      return path === undefined ? [] : [[name, path]];
    }),
  );
  const ofIdentities = new Set((recording.identities ?? []).flatMap(({ keys = {} }) => Object.values(keys)));
  const overlays = textFlag(input, 'overlay');
  const overlay = overlays === undefined ? overlaysIn(recorded.overlays, cwd) : filesIn(overlays, cwd);
  const named = fileOf('contract');
  const fetched = mirroredIn(join(beside, contractFolder));
  const likely = [...(fetched === undefined ? [] : [fetched]), resolve(cwd, recorded.file), shipped];
  for (const file of named === undefined ? likely.filter((each) => existsSync(each)) : [named]) {
    const contract = await loadContract(file, {
      overlay,
      refRoot: fileOf('ref-root') ?? inFolder(oneSetting('REF_ROOT', { env, cwd })),
      paths,
      parameters,
      unsafeMethods: options.UNSAFE_METHODS === true,
      unstated: unstatedIn(options.UNSTATED),
      keys: Object.keys(recording.keys).filter((setting) => !ofIdentities.has(setting)),
      identities: recording.identities !== undefined,
    });
    if (contract.sha256 === recorded.sha256) {
      // As recorded: the run replaced keys in them.
      const { title, version } = recorded;
      return leaveOut({ ...contract, title, version }, leftOutIn(results));
    }
    if (named !== undefined)
      throw new UsageError(
        `${textFlag(input, 'contract')} is not the contract that the run was judged by: its checksum is ${contract.sha256.slice(0, 12)}…, and the results say ${recorded.sha256.slice(0, 12)}….`,
        'take the document as it was at the time of the run, with its overlays (--overlay FILE,…)',
      );
  }
  throw new UsageError(
    `the contract of the run (${contractName(recorded)}: ${recorded.file}, checksum ${recorded.sha256.slice(0, 12)}…) was not found.`,
    'name it with --contract FILE, and its overlays with --overlay FILE,…',
  );
};
