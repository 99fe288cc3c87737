import { loadContractOf } from '../app/load-contract.js';
import { everyCheck } from '../app/prepare.js';
import type { Contract } from '../contract/model.js';
import type { PlannedCheck } from '../engine/planned-check.js';
import { readTarget } from '../settings/read-target.js';
import { readSettings } from '../settings/settings.js';
import { nowhere } from '../settings/target.js';
import type { Arguments, Context } from './command.js';

export const readContract = async (
  input: Arguments,
  { env, cwd, terminal }: Context,
): Promise<{ readonly contract: Contract; readonly checks: readonly PlannedCheck[] }> => {
  const settings = readSettings({ flags: { BASE_URL: nowhere, ...input.settings }, env, cwd });
  const target = readTarget(settings);
  const contract = await loadContractOf(settings, target, { warn: terminal.warn });
  return { contract, checks: everyCheck(contract, target) };
};
