import { loadContract } from '../contract/load.js';
import type { Contract, ContractProblem } from '../contract/model.js';
import type { Settings } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { visible } from '../visible.js';

/** Prints one warning: something that does not prevent a run and that its user ought to know. */
export type Warn = (warning: string) => void;

const warningText = ({ file, line, column, message, hint }: ContractProblem): string =>
  `${visible(`${file}:${line}:${column} ${message}`)}${hint ? `\n  ${visible(hint)}` : ''}`;

/**
 * Loads the contract that the settings name.
 * @throws {ContractError} with every problem of the document
 */
export const loadContractOf = async (
  { values, keys }: Settings,
  { paths }: Pick<Target, 'paths'>,
  warn: Warn = () => {},
): Promise<Contract> => {
  const contract = await loadContract(values.CONTRACT, {
    overlay: values.OVERLAY?.join(','),
    refRoot: values.REF_ROOT,
    paths,
    parameters: values.PARAMETERS,
    unsafeMethods: values.UNSAFE_METHODS,
    keys: Object.keys(keys),
  });
  for (const warning of contract.warnings) warn(warningText(warning));
  return contract;
};
