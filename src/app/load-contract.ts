import { groupBy } from '../collections.js';
import { loadContractThrough } from '../contract/load.js';
import type { Contract, ContractProblem } from '../contract/model.js';
import { readSource } from '../contract/source.js';
import { nearestName } from '../did-you-mean.js';
import { leaveOutByFile } from '../engine/deviations.js';
import { unlikeServers } from '../rules/documented-request/base-path.js';
import { keyNames, type Settings, SettingsError } from '../settings/settings.js';
import { nowhere, type Target } from '../settings/target.js';
import { visible } from '../visible.js';
import { counted } from '../words.js';
import { contractFile, type Fetched } from './contract-file.js';
import { withoutKeys } from './keys-in-contract.js';
import { shortPath } from './output.js';

/**
 * Holds IDENTITIES against the contract: its security schemes, and the scopes that it states.
 * @throws {SettingsError} for a scheme that no operation of the contract uses
 */
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
        return {
          setting: 'IDENTITIES',
          ...(sources.IDENTITIES ? { source: sources.IDENTITIES } : {}),
          message: `${position} no operation of the contract uses a security scheme "${scheme}".`,
          allowed: known.length > 0 ? known.join(', ') : 'nothing: the contract uses no security scheme',
          ...(meant === undefined ? {} : { hint: `did you mean ${meant}?` }),
        };
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

/** Prints one warning: something that does not prevent a run and that its user ought to know. */
export type Warn = (warning: string) => void;

/** Places that a warning names besides the first. */
const mostPlaces = 3;

/** Warnings about a contract, for people: what is said of several places is said once. */
export const warningTexts = (warnings: readonly ContractProblem[]): readonly string[] =>
  [...groupBy(warnings, ({ file, message, hint }) => JSON.stringify([file, message, hint])).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return [];
      const { file, line, column, message, hint } = first;
      const places = others.slice(0, mostPlaces).map((other) => `${other.line}:${other.column}`);
      const more = others.length > mostPlaces ? ', …' : '';
      const also =
        others.length > 0 ? ` (and at ${counted(others.length, 'more place')}: ${places.join(', ')}${more})` : '';
      return `${visible(`${file}:${line}:${column} ${message}${also}`)}${hint ? `\n  ${visible(hint)}` : ''}`;
    },
  );

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
  const loaded = await loadContractThrough(file.read, file.path, {
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
  const document = withoutKeys(loaded, settings);
  const contract =
    values.DEVIATIONS === undefined
      ? document
      : leaveOutByFile(document, values.DEVIATIONS, shortPath(values.DEVIATIONS, process.cwd()));
  for (const warning of warningTexts(contract.warnings)) warn(warning);
  checkIdentities(settings, contract, warn);
  const hint = target.origin === nowhere ? undefined : unlikeServers(target, contract.serverPaths);
  if (hint) warn(visible(`BASE_URL: ${hint.says} ${hint.advice}`));
  return contract;
};
