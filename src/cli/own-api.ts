import { contractFile, type Warn, warningTexts } from '../app/load-contract.js';
import { groupBy } from '../collections.js';
import { loadContractThrough } from '../contract/load.js';
import type { Contract, Operation, SecurityScheme, UnprobedOperation } from '../contract/model.js';
import { sentAlike } from '../contract/security.js';
import { contractWithSources } from '../engine/values/recording.js';
import { unlikeServers } from '../rules/documented-request/base-path.js';
import { isWebAddress } from '../settings/setting-parser.js';
import { readSettings } from '../settings/settings.js';
import { nowhere } from '../settings/target.js';
import { parametersSkeleton } from './operation-words.js';

/** The facts of a document from which `init --contract` writes its files. */
export interface OwnApi {
  readonly contract: string;
  /** BASE_URL; absent where neither a flag nor the document says it. */
  readonly baseUrl?: string;
  readonly baseUrlFrom: 'flag' | 'server' | 'address of the document';
  /** Set where the document's servers have another path than a BASE_URL that was given. */
  readonly basePathHint?: string;
  /** Schemes by the setting of their key. */
  readonly keys: ReadonlyMap<string, readonly SecurityScheme[]>;
  /** For each protected operation the settings whose keys open it, by alternative. */
  readonly opensWith: readonly (readonly (readonly string[])[])[];
  readonly schemes: readonly SecurityScheme[];
  readonly unstated: readonly UnprobedOperation[];
  /** All operations, where the document says that none of them takes a key; else empty. */
  readonly allPublic: readonly Pick<Operation, 'method' | 'path'>[];
  /** Reads that lack nothing but values of parameters, which a run would not find by itself. */
  readonly withoutValue: readonly UnprobedOperation[];
  readonly parameters: string;
}

/** Whether one key serves all of several schemes: they make the same request. */
const areSentAlike = ([first, ...others]: readonly SecurityScheme[]): boolean =>
  first !== undefined && others.length > 0 && others.every((other) => sentAlike(first, other));

const opensWith = (operations: Contract['operations']): OwnApi['opensWith'] =>
  operations
    .filter(({ access }) => access === 'protected')
    .map(({ security, alternatives = [] }) =>
      [security, ...alternatives].map((schemes) => schemes.map(({ setting }) => setting)),
    );

const allPublicIn = ({ operations, unprobed, schemes }: Contract): OwnApi['allPublic'] => {
  const all = [...operations, ...unprobed];
  return schemes.length === 0 && all.every(({ access }) => access === 'public') ? all : [];
};

/** Settings of which each one alone opens every protected operation, where there are several. */
export const eachIsEnough = ({ keys, opensWith }: Pick<OwnApi, 'keys' | 'opensWith'>): readonly string[] => {
  const found = [...keys.keys()].filter((name) =>
    opensWith.every((alternatives) => alternatives.some(([only, ...more]) => only === name && more.length === 0)),
  );
  return opensWith.length > 0 && found.length > 1 ? found : [];
};

/**
 * The fewest settings whose keys open every protected operation, together with keys that are given.
 * Settings that come first in the document are preferred.
 */
export const fewestKeys = (
  { opensWith }: Pick<OwnApi, 'opensWith'>,
  isGiven: (setting: string) => boolean = () => false,
): readonly string[] => {
  const lacking = new Map(
    opensWith.map((ways) => {
      const toGive = ways.map((settings) => settings.filter((name) => !isGiven(name)));
      return [JSON.stringify(toGive), toGive];
    }),
  );
  let best: readonly string[] = [...new Set([...lacking.values()].flat(2))];
  const extend = (chosen: readonly string[]): void => {
    if (chosen.length >= best.length) return;
    const closed = [...lacking.values()].find(
      (ways) => !ways.some((settings) => settings.every((name) => chosen.includes(name))),
    );
    if (closed === undefined) best = chosen;
    else for (const settings of closed) extend([...new Set([...chosen, ...settings])]);
  };
  extend([]);
  return best;
};

interface Input {
  readonly contract: string;
  readonly baseUrl: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly warn: Warn;
}

const baseUrlOf = (
  { contract, baseUrl }: Input,
  { server, serverPaths }: Contract,
): Pick<OwnApi, 'baseUrl' | 'baseUrlFrom'> => {
  if (baseUrl !== undefined) return { baseUrl, baseUrlFrom: 'flag' };
  // The URL parser leaves out line breaks, which would start another line of `.env`.
  if (server !== undefined) return { baseUrl: new URL(server).href.replace(/\/+$/, ''), baseUrlFrom: 'server' };
  if (!isWebAddress(contract)) return { baseUrlFrom: 'server' };
  // Relative servers are below the document's own address (OpenAPI 3.1, section 4.8.5).
  const { origin } = new URL(contract);
  return { baseUrl: `${origin}${serverPaths[0] ?? ''}`, baseUrlFrom: 'address of the document' };
};

/**
 * Reads a document for `init`. A document at an https URL is fetched without credentials.
 * @throws {SettingsError} when an argument or a setting is wrong
 * @throws {ContractError} with every problem of the document, or where it cannot be fetched
 */
export const readOwnApi = async (input: Input): Promise<OwnApi> => {
  const { contract, baseUrl = nowhere, env, cwd, warn } = input;
  const settings = readSettings({ flags: { CONTRACT: contract, BASE_URL: baseUrl }, env, cwd, envFile: false });
  const file = await contractFile(settings);
  const load = (unstated: 'ask' | 'protected'): Promise<Contract> =>
    loadContractThrough(file.read, file.path, { refRoot: settings.values.REF_ROOT, unstated });
  try {
    const document = await load('ask');
    const planned = contractWithSources(document);
    for (const warning of warningTexts(document.warnings)) warn(warning);
    const unstated = document.unprobed.filter(({ why }) => why === 'access-unstated');
    // Schemes that no operation names are found only if unstated operations count as protected.
    const { schemes } = document.schemes.length > 0 || unstated.length === 0 ? document : await load('protected');
    const keys = areSentAlike(schemes) ? new Map([['API_KEY', schemes]]) : groupBy(schemes, ({ setting }) => setting);
    const hint = input.baseUrl && settings.base ? unlikeServers(settings.base, document.serverPaths) : undefined;
    return {
      contract,
      ...baseUrlOf(input, document),
      ...(hint === undefined ? {} : { basePathHint: `${hint.says} ${hint.advice}` }),
      keys,
      opensWith: opensWith(document.operations),
      schemes,
      unstated,
      allPublic: allPublicIn(document),
      withoutValue: planned.unprobed.filter(({ fillable }) => fillable !== undefined),
      parameters: parametersSkeleton(planned),
    };
  } finally {
    await file.release();
  }
};
