import { relative } from 'node:path';
import { contractFile } from '../app/contract-file.js';
import type { Contract } from '../contract/model.js';
import { visible } from '../report/text.js';
import type { Settings } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import type { Terminal } from './terminal.js';

/**
 * Reads the contract that the settings name, and prints its warnings.
 * @param keepIn folder for a contract that is fetched; a temporary one when absent
 */
export const contractOf = async (
  settings: Settings,
  paths: Target['paths'],
  terminal: Terminal,
  keepIn?: string,
): Promise<Contract> => {
  const { loadContract } = await import('../contract/load.js');
  const { values, keys } = settings;
  const { path, release } = await contractFile(settings, keepIn);
  const contract = await loadContract(path, {
    overlay: values.OVERLAY?.join(','),
    refRoot: values.REF_ROOT,
    paths,
    parameters: values.PARAMETERS,
    unsafeMethods: values.UNSAFE_METHODS,
    keys: Object.keys(keys),
  }).finally(release);
  for (const { file, line, column, message, hint } of contract.warnings)
    terminal.err(
      `${terminal.colours.yellow('warning')} ${visible(`${file}:${line}:${column} ${message}`)}${hint ? `\n  ${visible(hint)}` : ''}\n`,
    );
  return contract;
};

/** A path as it is shortest from where the user is. */
export const shortPath = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
};
