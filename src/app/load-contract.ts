import { present } from '../collections.js';
import { problemTexts } from '../contract/errors.js';
import { loadContractThrough } from '../contract/load.js';
import type { Contract, ContractProblem } from '../contract/model.js';
import { readSource } from '../contract/source.js';
import { leaveOutByFile } from '../engine/deviations.js';
import { nearestName } from '../names.js';
import { shortPath } from '../package.js';
import { unlikeServers } from '../rules/documented-request/base-path.js';
import { keyNames, type Settings, SettingsError } from '../settings/settings.js';
import { nowhere, type Target } from '../settings/target.js';
import { visible } from '../visible.js';
import { contractFile, type Fetched } from './contract-file.js';
import { withoutKeys } from './keys-in-contract.js';

/** Checks IDENTITIES against the contract: its security schemes, and the scopes that it states. */
const checkIdentities = (
  { identities, sources }: Settings,
  contract: Contract,
  warn: (warning: string) => void,
): void => {
  const known = contract.schemes.map(({ name }) => name);
  const unknown = identities.schemes.filter(({ scheme }) => !known.includes(scheme));
  if (unknown.length > 0)
    throw new SettingsError(
      unknown.map(({ scheme, position }) => {
        const meant = nearestName(scheme, known);
        return present({
          setting: 'IDENTITIES',
          source: sources.IDENTITIES,
          message: `${position} no operation of the contract uses a security scheme "${scheme}".`,
          allowed: known.length > 0 ? known.join(', ') : 'nothing: the contract uses no security scheme',
          hint: meant && `did you mean ${meant}?`,
        });
      }),
    );
  const stated = [
    ...new Set(
      [...contract.operations, ...contract.unprobed].flatMap(({ requirements = [] }) =>
        requirements.flat().flatMap(({ scopes }) => scopes),
      ),
    ),
  ];
  if (stated.length === 0) return;
  for (const { name, scopes = [] } of identities.identities)
    for (const scope of scopes.filter((each) => !stated.includes(each))) {
      const meant = nearestName(scope, stated);
      if (meant !== undefined && !scopes.includes(meant))
        warn(`IDENTITIES: "${name}" holds ${scope}, which no operation states; did you mean ${meant}?`);
    }
};

/** Prints a warning: something that does not prevent a run but that its user should know. */
export type Warn = (warning: string) => void;

/** Prints the warnings about a contract; each names a few places at most. */
export const warnOf = (warnings: readonly ContractProblem[], warn: Warn): void => {
  for (const text of problemTexts(warnings, 3)) warn(text);
};

interface LoadingOptions {
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
  { warn = () => {}, path, keepIn, fetched }: LoadingOptions,
): Promise<Contract> => {
  const { values, identities } = settings;
  const file =
    path === undefined
      ? await contractFile(settings, keepIn, fetched)
      : { path, read: readSource, release: async () => {} };
  const loaded = await loadContractThrough(file.read, file.path, {
    overlay: values.OVERLAY?.join(','),
    refRoot: values.REF_ROOT,
    paths: target.paths,
    parameters: values.PARAMETERS,
    unsafeMethods: values.UNSAFE_METHODS,
    unstated: values.UNSTATED,
    keys: keyNames(settings),
    grant: settings.grant !== undefined,
    certificate: settings.pem.clientCert !== undefined,
    identities: identities.identities.length > 0,
  }).finally(file.release);
  const document = withoutKeys(loaded, settings);
  const contract =
    values.DEVIATIONS === undefined
      ? document
      : leaveOutByFile(document, values.DEVIATIONS, shortPath(values.DEVIATIONS, process.cwd()));
  warnOf(contract.warnings, warn);
  checkIdentities(settings, contract, warn);
  const hint = target.origin === nowhere ? undefined : unlikeServers(target, contract.serverPaths);
  if (hint) warn(visible(`BASE_URL: ${hint.says} ${hint.advice}`));
  return contract;
};
