import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '../collections.js';
import { problemTexts } from '../contract/errors.js';
import { loadContractThrough } from '../contract/load.js';
import type { Contract, ContractProblem, Operation } from '../contract/model.js';
import { createSourceCache, type ReadSource, readSource } from '../contract/source.js';
import { leaveOutByFile } from '../engine/read-deviations.js';
import { nearestName } from '../names.js';
import { shortPath } from '../package.js';
import { unlikeServers } from '../rules/documented-request/base-path.js';
import { isWebAddress } from '../settings/setting-parser.js';
import { keyNames, type Settings, SettingsError } from '../settings/settings.js';
import type { SettingProblem } from '../settings/settings-error.js';
import { nowhere, type Target } from '../settings/target.js';
import { parseResolveEntries } from '../settings/value-parsers.js';
import { visible } from '../visible.js';
import type { FetchDocument, FetchedDocument } from '../wire/https-request.js';
import { occursIn } from '../wire/secret-spellings.js';

/** Shorter keys occur in texts by chance. */
const minLength = 8;

/**
 * Replaces keys in the texts and header fields of a contract by placeholders: documents may hold a
 * key as an example. The wire client puts the key back into what is sent. A key in a URL is
 * refused.
 */
export const withoutKeys = (contract: Contract, { keys, identities }: Settings): Contract => {
  const known = Object.entries({ ...identities.keys, ...keys }).filter(([, key]) => key.length >= minLength);
  if (known.length === 0) return contract;
  const masked = (text: string): string =>
    known.reduce((plain, [setting, key]) => plain.replaceAll(key, `<${setting}>`), text);
  const operation = (of: Operation): Operation => ({
    ...of,
    headers: of.headers.map(([name, value]) => [name, masked(value)] as const),
  });
  return {
    ...contract,
    title: masked(contract.title),
    version: masked(contract.version),
    clauses: contract.clauses.map((clause) => ({ ...clause, text: masked(clause.text) })),
    gaps: contract.gaps.map((gap) => ({ ...gap, question: masked(gap.question) })),
    operations: contract.operations.map(operation),
  };
};

const refuse = (settings: readonly string[], problem: Omit<SettingProblem, 'setting'>): void => {
  if (settings.length > 0) throw new SettingsError(settings.map((setting) => ({ setting, ...problem })));
};

/**
 * A request without the key would carry a key that stands in its path.
 * @throws {SettingsError} for such keys, without their text
 */
export const refuseKeysInPaths = ({ operations }: Pick<Contract, 'operations'>, { basePath, keys }: Target): void => {
  const isRefused = (key: string): boolean => operations.some(({ path }) => occursIn(key, `${basePath}${path}`));
  refuse(
    Object.keys(keys).filter((setting) => isRefused(keys[setting] ?? '')),
    {
      message: 'its value is part of a path that is asked without the key, so it can be no key.',
      hint: 'is it the value of another setting?',
    },
  );
};

/** Whether `user:password` is encoded already. Base64 has no colon. */
const isEncoded = (key: string): boolean => {
  const decoded = Buffer.from(key, 'base64');
  const unpadded = (text: string): string => text.replace(/=+$/, '');
  return (
    !key.includes(':') &&
    /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(decoded.toString()) &&
    unpadded(decoded.toString('base64')) === unpadded(key)
  );
};

/**
 * Users and passwords are encoded when they are sent. Encoded twice they open nothing.
 * @throws {SettingsError} for keys that are encoded already, without their text
 */
export const refuseEncodedKeys = ({ schemes }: Pick<Contract, 'schemes'>, { keys }: Pick<Target, 'keys'>): void => {
  const refused = schemes.filter(({ encoding, setting }) => encoding === 'base64' && isEncoded(keys[setting] ?? ''));
  refuse(
    refused.map(({ setting }) => setting),
    {
      message: 'its value is a user and a password in base64 already.',
      allowed: 'user:password as it is; it is encoded when it is sent',
    },
  );
};

/** Folder of a fetched contract beside the results. */
export const contractFolder = 'contract';

interface ContractFile {
  readonly path: string;
  /** Reads the file and those beside it. What was already parsed when it was fetched is cached. */
  readonly read: ReadSource;
  /** Deletes what was fetched for this process alone. */
  release(): Promise<void>;
}

/** Fetched documents by their address and the route to it. Several targets share them. */
export type Fetched = Map<string, Promise<FetchedDocument>>;

const nothing = async (): Promise<void> => undefined;

/**
 * The file of CONTRACT; a URL is fetched first, with every file of its origin that it refers to.
 * @param keepIn folder that the fetched files stay in, emptied before; a temporary one when absent
 * @param fetched what is there is not fetched again
 * @throws {ContractError} where the document cannot be fetched
 */
export const contractFile = async (
  settings: Settings,
  keepIn?: string,
  fetched: Fetched = new Map(),
): Promise<ContractFile> => {
  const { values, pem, proxy } = settings;
  if (!isWebAddress(values.CONTRACT)) return { path: values.CONTRACT, read: readSource, release: nothing };
  const { createDocumentFetcher } = await import('../wire/https-request.js');
  const { mirrorDocument } = await import('../contract/mirror.js');
  const way = JSON.stringify([values.RESOLVE, pem.ca, proxy]);
  const fetchNow = createDocumentFetcher({
    timeoutMs: values.TIMEOUT_MS,
    resolve: parseResolveEntries(values.RESOLVE),
    ca: pem.ca,
    proxy,
  });
  const fetch: FetchDocument = (url) => {
    const name = `${url.href} ${way}`;
    const known = fetched.get(name) ?? fetchNow(url);
    fetched.set(name, known);
    return known;
  };
  const folder = keepIn ?? (await mkdtemp(join(tmpdir(), 'access-conformance-')));
  const release = keepIn === undefined ? () => rm(folder, { recursive: true, force: true }) : nothing;
  try {
    const read = createSourceCache();
    return { path: await mirrorDocument(values.CONTRACT, folder, fetch, read), read, release };
  } catch (error) {
    await release();
    throw error;
  }
};

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
