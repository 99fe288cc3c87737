import { loadContractOf } from '../app/load-contract.js';
import { everyCheck } from '../app/prepare.js';
import type { Contract } from '../contract/model.js';
import { nearestName } from '../did-you-mean.js';
import { type Check, type PlannedCheck, selects } from '../engine/plan.js';
import { readSettings } from '../settings/settings.js';
import { nowhere, readTarget } from '../settings/target.js';
import { type Arguments, type Context, textsFlag, UsageError } from './command.js';

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
  planned.filter(
    (check) =>
      check.excluded === undefined &&
      (selectors.length === 0 || selectors.some((selector) => selects(selector, check))),
  );

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
