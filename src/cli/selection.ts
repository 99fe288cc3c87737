import { loadContractOf } from '../app/load-contract.js';
import { everyCheck } from '../app/prepare.js';
import type { Contract } from '../contract/model.js';
import { worstCode } from '../engine/outcomes.js';
import { type Check, isSelected, type PlannedCheck, selects } from '../engine/plan.js';
import { nearestName } from '../names.js';
import { readEnvFile, targetsFileName } from '../settings/env-file.js';
import { readSettings, type Settings } from '../settings/settings.js';
import { nowhere, readTarget } from '../settings/target.js';
import { forTargets } from '../settings/targets-file.js';
import { visible } from '../visible.js';
import {
  type Arguments,
  type Command,
  type Context,
  type Flags,
  textFlag,
  textsFlag,
  UsageError,
} from './arguments.js';

export const targetsFlag: Flags = {
  targets: { value: 'FILE', doc: 'Each deployment of a YAML file in turn, as run --targets (TARGETS_FILE).' },
};

/** The targets file: from the flag, or from TARGETS_FILE if no flag names one deployment. */
export const targetsNamed = (input: Arguments, { env, cwd }: Context): string | undefined =>
  textFlag(input, 'targets') ??
  (input.settings.BASE_URL !== undefined
    ? undefined
    : env[targetsFileName] || readEnvFile(cwd).values[targetsFileName] || undefined);

/** Makes a command for one deployment one for each of a targets file: the worst exit code counts. */
export const forEachTarget =
  (ofOne: (settings: Settings, input: Arguments, context: Context) => Promise<number>): Command['run'] =>
  async (input, context) => {
    const { env, cwd, terminal } = context;
    const given = { flags: input.settings, env, cwd, needs: ['BASE_URL'] } as const;
    const named = targetsNamed(input, context);
    if (named === undefined) return ofOne(readSettings(given), input, context);
    if (input.flags.json === true)
      throw new UsageError('--json is of one deployment, and --targets of several.', 'ask for one alone');
    const withDocuments: Context = { ...context, fetched: new Map() };
    const { done } = await forTargets(named, given, async (settings, { name }) => {
      terminal.out(`${terminal.colours.bold(visible(name))}\n\n`);
      const code = await ofOne(settings, input, withDocuments);
      terminal.out('\n');
      return code;
    });
    return worstCode(done);
  };

export const readContract = async (
  input: Arguments,
  { env, cwd, terminal }: Context,
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
 * Makes sure that every selector selects a check. One that selects none is a typing error, and a
 * run without its checks would pass for the wrong reason.
 * @throws {UsageError} with the nearest names
 */
export const checkSelectors = (only: readonly string[], all: readonly PlannedCheck[]): void => {
  for (const selector of only) {
    if (all.some((check) => selects(selector, check))) continue;
    const names = all.flatMap((check) => [check.id, check.rule.id, `@${check.operation}`, ...check.rule.clauses]);
    const meant = nearestName(selector, names);
    throw new UsageError(
      `--only ${selector} selects no check.`,
      `${meant ? `did you mean ${meant}? ` : ''}access-conformance list names every check`,
    );
  }
};
