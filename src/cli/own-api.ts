import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import { contractFile } from '../app/contract-file.js';
import { type Warn, warnOf } from '../app/load-contract.js';
import { groupBy } from '../collections.js';
import { loadContractThrough } from '../contract/load.js';
import type { Unstated } from '../contract/load-options.js';
import type { Contract, Operation, SecurityScheme, UnprobedOperation } from '../contract/model.js';
import { sentAlike } from '../contract/security-schemes.js';
import { shellWord } from '../engine/shell-words.js';
import { contractWithSources } from '../engine/values/recording.js';
import { unlikeServers } from '../rules/documented-request/base-path.js';
import { envValue } from '../settings/env-file.js';
import { isWebAddress } from '../settings/setting-parser.js';
import { readSettings } from '../settings/settings.js';
import { nowhere } from '../settings/target.js';
import { jsonText, visible } from '../visible.js';
import { envFile, offeredSchemes } from './files.js';
import { parametersSkeleton } from './operation-words.js';

/** The facts of a document from which `init --contract` writes its files. */
export interface OwnApi {
  readonly contract: string;
  /** OVERLAY: the document is read with these. */
  readonly overlays: readonly string[];
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
  /** The operations, where the document says that none of them needs a key; else empty. */
  readonly allPublic: readonly Pick<Operation, 'method' | 'path' | 'alternatives' | 'ownSecurity'>[];
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
  if (all.some(({ access }) => access !== 'public')) return [];
  return schemes.length === 0 ? all : operations;
};

/** Settings of which each one alone opens every protected read, where there are several. */
export const eachIsEnough = ({ keys, opensWith }: Pick<OwnApi, 'keys' | 'opensWith'>): readonly string[] => {
  const found = [...keys.keys()].filter((name) =>
    opensWith.every((alternatives) => alternatives.some(([only, ...more]) => only === name && more.length === 0)),
  );
  return opensWith.length > 0 && found.length > 1 ? found : [];
};

interface OwnApiInput {
  readonly contract: string;
  readonly baseUrl: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly warn: Warn;
}

const baseUrlOf = (
  { contract, baseUrl }: OwnApiInput,
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
export const readOwnApi = async (input: OwnApiInput): Promise<OwnApi> => {
  const { contract, baseUrl = nowhere, env, cwd, warn } = input;
  const settings = readSettings({ flags: { CONTRACT: contract, BASE_URL: baseUrl }, env, cwd, envFile: false });
  const { OVERLAY, REF_ROOT: refRoot } = settings.values;
  const file = await contractFile(settings);
  const load = (unstated: Unstated): Promise<Contract> =>
    loadContractThrough(file.read, file.path, { overlay: OVERLAY?.join(','), refRoot, unstated });
  try {
    const document = await load('ask');
    warnOf(document.warnings, warn);
    const unstated = document.unprobed.filter(({ why }) => why === 'access-unstated');
    // Schemes that no operation names are found only if unstated operations count as protected.
    const { schemes } = document.schemes.length > 0 || unstated.length === 0 ? document : await load('protected');
    // Counted as public, they show which parameters lack a value, whatever key they may need.
    const planned = contractWithSources(unstated.length === 0 ? document : await load('public'));
    const keys = areSentAlike(schemes) ? new Map([['API_KEY', schemes]]) : groupBy(schemes, ({ setting }) => setting);
    const hint = input.baseUrl && settings.base ? unlikeServers(settings.base, document.serverPaths) : undefined;
    return {
      contract,
      overlays: (env.OVERLAY || undefined)?.split(/\s*,\s*/) ?? [],
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

/**
 * The files that `init --contract` writes: what the document says, and what only its owner knows.
 */

export const overlayName = 'overlay.yaml';
export const parametersName = 'parameters.yaml';

/** The overlay to complete, for a document that asks for no key: the file, or what writes it. */
export const skeletonOf = ({ file }: Pick<Contract, 'file'>): string =>
  existsSync(overlayName)
    ? `complete ${overlayName}, and set OVERLAY=${overlayName}`
    : `access-conformance init --contract ${shellWord(file)} writes one to complete`;

const placeNames = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const;

const sentAs = ({ name, in: place, field, prefix, encoding }: SecurityScheme): string => {
  const what = encoding === 'base64' ? 'user:password, sent in base64' : 'the key alone';
  const shown = place === 'header' ? `: ${prefix}<key>` : '';
  return visible(`# ${name}: ${what}; ${placeNames[place]} ${field}${shown}`);
};

/** Schemes of which the document does not say what stands before the key. */
export const withoutPrefix = ({ schemes }: Pick<OwnApi, 'schemes'>): readonly SecurityScheme[] =>
  schemes.filter(({ prefix, doubt }) => prefix === '' && doubt !== undefined);

/** Whether the document leaves open what an overlay can say. */
export const asksSomething = (api: OwnApi): boolean =>
  api.unstated.length > 0 || api.allPublic.length > 0 || withoutPrefix(api).length > 0;

export const ownEnvFile = (api: OwnApi, caFile: string): string => {
  const enough = eachIsEnough(api);
  const when = (condition: boolean, ...lines: readonly string[]): readonly string[] => (condition ? lines : []);
  const mayNeedKey = api.keys.size === 0 && api.unstated.length + api.allPublic.length > 0;
  const lines = [
    `CONTRACT=${envValue(api.contract)}`,
    ...when(api.baseUrl === undefined, '# What stands in front of the paths of the document:'),
    `BASE_URL=${envValue(api.baseUrl ?? '')}`,
    ...when(enough.length > 0, `# Each of ${enough.join(', ')} opens every operation that a run reads: one is enough.`),
    ...[...api.keys].flatMap(([setting, schemes]) => [...schemes.map(sentAs), `${setting}=`]),
    ...when(
      api.schemes.length > 0 && api.schemes.every(({ in: place }) => place === 'query'),
      '# The key travels in the URL, and URLs are kept in logs. Without this it is not sent:',
      '# PROBE_KEY_IN_URL=true',
    ),
    ...when(
      mayNeedKey,
      `# The document asks for no key. If the service does, ${overlayName} has to say how it is sent:`,
      'API_KEY=',
    ),
    ...when(api.withoutValue.length > 0, `PARAMETERS=${parametersName}`),
    ...when(api.overlays.length > 0, `OVERLAY=${envValue(api.overlays.join(','))}`),
    ...when(
      asksSomething(api) && !api.overlays.includes(overlayName),
      `# Remove the "# " when you have taken a decision in ${overlayName}:`,
      `# OVERLAY=${envValue([...api.overlays, overlayName].join(','))}`,
    ),
  ];
  return envFile(lines, caFile);
};

/** The overlay that `init --contract` writes: what only the owner of the document knows. */

/** One YAML line in a comment, whatever the text holds. */
const comment = (text: string, indent = ''): string => `${indent}# ${visible(text).replaceAll('\n', ' ')}`;

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const methodNames = /^(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY)$/;

/** A JSONPath to an operation (RFC 9535; a string of JSON is one of its name selectors). */
const targetOf = ({ path, method }: Pick<Operation, 'method' | 'path'>): string =>
  `$.paths[${jsonText(path)}].${methodNames.test(method) ? method.toLowerCase() : `additionalOperations[${jsonText(method)}]`}`;

const action = (target: string, does: string, why: string): string =>
  [comment(`- target: ${singleQuoted(target)}  # ${why}`, '  '), comment(`  ${does}`, '  ')].join('\n');

/** Takes `{}` out of a requirement, by which a client may send no key. An update would only add. */
const noLongerOptional = (security: string): string =>
  action(`${security}[?length(@) == 0]`, 'remove: true', 'needs a key');

/** The scheme that an overlay may add to a document that has none. */
const ownScheme = 'key';

const inOneLine = (value: object): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, singleQuote: true, lineWidth: 0 }).trim();

const howAKeyIsSent: readonly string[] = [
  '  # How a key is sent, if one is needed; the document has no security scheme. One of these:',
  ...offeredSchemes.flatMap(({ words, definition }) => [
    comment(`- target: $  # ${words}`, '  '),
    comment(`  update: {components: {securitySchemes: {${ownScheme}: ${inOneLine(definition)}}}}`, '  '),
  ]),
  '',
];

/** What may stand before a key in Authorization. */
const prefixChoices = ({ name, field }: SecurityScheme): readonly string[] => {
  const target = `$.components.securitySchemes[${jsonText(name)}]`;
  const choice = (scheme: string, separator: string): string => {
    const update = `{x-access-credential: {scheme: '${scheme}', separator: '${separator}'}}`;
    return action(target, `update: ${update}`, `${field}: ${scheme}${separator}<key>`);
  };
  const question = comment(`What stands before the key of ${name} in ${field}? As it is, nothing:`, '  ');
  return ['', question, choice('', ''), choice('Bearer', ' '), choice('Token', ' ')];
};

/**
 * An overlay with what the document does not state: the access of operations, and what stands
 * before a key. All of it is commented out: an operation that is open may be a hole.
 */
export const ownOverlayFile = (api: OwnApi): string => {
  const { unstated, allPublic, schemes } = api;
  const names = schemes.length === 0 ? [ownScheme] : schemes.map(({ name }) => jsonText(name));
  const locked = `[${names.map((name) => `{${name}: []}`).join(', ')}]`;
  const needsKey = (target: string): string => action(target, `update: {security: ${locked}}`, 'needs a key');
  const choices = (target: string): string[] => [
    action(target, 'update: {security: []}', 'public on purpose: the document has an error'),
    needsKey(target),
  ];
  const access = [
    ...(schemes.length > 0 ? [] : howAKeyIsSent),
    '  # Does it need a key? The document does not say. If one answers without a key: is that a hole in',
    '  # the service, or an error of the document? The last actions hold for all operations that the',
    '  # others leave out.',
    ...unstated.flatMap((operation) => [
      comment(`${operation.method} ${operation.path}`, '  '),
      ...choices(targetOf(operation)),
      '',
    ]),
    '  # All that are left, at once:',
    ...choices('$.paths.*[?@.responses && !@.security]'),
  ];
  const optional = allPublic.filter(({ alternatives }) => alternatives !== undefined);
  const optionalAt = [
    ...(optional.some(({ ownSecurity }) => !ownSecurity) ? ['$'] : []),
    ...(optional.some(({ ownSecurity }) => ownSecurity) ? ['$.paths.*.*'] : []),
  ];
  const allNeedNone = [
    ...(schemes.length > 0 ? [] : howAKeyIsSent),
    '  # The document says that no operation needs a key. Each that needs one all the same:',
    ...allPublic.map((operation) =>
      operation.alternatives && operation.ownSecurity
        ? noLongerOptional(`${targetOf(operation)}.security`)
        : needsKey(targetOf(operation)),
    ),
    '',
    ...(schemes.length > 0
      ? ['  # All that take a key already, at once:', ...optionalAt.map((at) => noLongerOptional(`${at}.security`))]
      : ['  # All of them, at once:', needsKey('$.paths.*[?@.responses]')]),
  ];
  return [
    '# What the document does not say, and you decide: remove the "# " in front of both lines of one action,',
    '# and of OVERLAY in .env.',
    'overlay: 1.0.0',
    'info:',
    '  title: Who may read what',
    '  version: 1.0.0',
    'actions:',
    ...(unstated.length > 0 ? access : []),
    ...(allPublic.length > 0 ? allNeedNone : []),
    ...withoutPrefix(api).flatMap(prefixChoices),
    '',
  ].join('\n');
};
