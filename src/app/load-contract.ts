import { loadContractThrough } from '../contract/load.js';
import type { Contract, ContractProblem } from '../contract/model.js';
import { readSource } from '../contract/source.js';
import { leaveOutByFile } from '../engine/leave-out.js';
import { unlikeServers } from '../rules/documented-request/base-path.js';
import { keyNames, type Settings } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { visible } from '../visible.js';
import { contractFile, type Fetched } from './contract-file.js';
import { checkIdentities } from './identities.js';
import { shortPath } from './output.js';

/** Prints one warning: something that does not prevent a run and that its user ought to know. */
export type Warn = (warning: string) => void;

/** One warning about a contract, for people. */
export const warningText = ({ file, line, column, message, hint }: ContractProblem): string =>
  `${visible(`${file}:${line}:${column} ${message}`)}${hint ? `\n  ${visible(hint)}` : ''}`;

export interface LoadingOptions {
  readonly warn?: Warn;
  /** Path of the contract if it was fetched already. */
  readonly path?: string | undefined;
  /** Folder that a contract from the web is kept in; a temporary one when absent. */
  readonly keepIn?: string;
  /** Documents from the web that were fetched for other targets. */
  readonly fetched?: Fetched | undefined;
}

/**
 * Loads the contract that the settings name.
 * @throws {ContractError} with every problem of the document, or where it cannot be fetched
 */
export const loadContractOf = async (
  settings: Settings,
  target: Pick<Target, 'origin' | 'basePath' | 'paths'>,
  { warn = () => {}, path, keepIn, fetched }: LoadingOptions = {},
): Promise<Contract> => {
  const { values, identities } = settings;
  const file =
    path === undefined
      ? await contractFile(settings, keepIn, fetched)
      : { path, read: readSource, release: async () => {} };
  const document = await loadContractThrough(file.read, file.path, {
    overlay: values.OVERLAY?.join(','),
    refRoot: values.REF_ROOT,
    paths: target.paths,
    parameters: values.PARAMETERS,
    unsafeMethods: values.UNSAFE_METHODS,
    unstated: values.UNSTATED,
    keys: keyNames(settings),
    grant: settings.grant !== undefined,
    identities: identities.identities.length > 0,
  }).finally(file.release);
  const contract =
    values.DEVIATIONS === undefined
      ? document
      : leaveOutByFile(document, values.DEVIATIONS, shortPath(values.DEVIATIONS, process.cwd()));
  for (const warning of contract.warnings) warn(warningText(warning));
  checkIdentities(settings, contract, warn);
  const hint = unlikeServers(target, contract.serverPaths);
  if (hint) warn(visible(`BASE_URL: ${hint.says} ${hint.advice}`));
  return contract;
};
