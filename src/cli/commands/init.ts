import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parse } from 'dotenv';
import { orUndefined } from '../../collections.js';
import { exitCodes } from '../../engine/outcomes.js';
import { envValue, readEnvFile } from '../../settings/env-file.js';
import { readSettings } from '../../settings/settings.js';
import { visible } from '../../visible.js';
import { counted } from '../../words.js';
import { type Command, type CommandContext, textFlag, textsFlag, UsageError } from '../arguments.js';
import { type CiSystem, ciFiles, envFile, ignoreFiles, overlayFile, writeNew } from '../files.js';
import {
  asksSomething,
  eachIsEnough,
  type OwnApi,
  overlayName,
  ownEnvFile,
  ownOverlayFile,
  parametersName,
  readOwnApi,
  withoutPrefix,
} from '../own-api.js';

const systems = Object.keys(ciFiles) as CiSystem[];

const isSystem = (name: string): name is CiSystem => (systems as string[]).includes(name);

/** What git prints in a folder; `undefined` where it fails, as outside of a work tree. */
const git = (cwd: string, ...words: readonly string[]): string | undefined =>
  orUndefined(() => execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());

/** Whether git would commit the file, so that the next push would publish its key. */
const gitWouldTake = (cwd: string, file: string): boolean =>
  git(cwd, 'rev-parse', '--is-inside-work-tree') !== undefined && git(cwd, 'check-ignore', '-q', file) === undefined;

/** Where CI systems look for their files: the root of the git work tree, or else the folder. */
const rootOf = (cwd: string): string => {
  const root = git(cwd, 'rev-parse', '--show-toplevel');
  // Git prints the real path, so the folder's real path is needed to compare them.
  return root ? join(cwd, relative(realpathSync(cwd), root)) : cwd;
};

type GivenSettings = Readonly<Record<string, string | undefined>>;

/** Settings that give the key of every scheme. */
const givesAllKeys = ['API_KEY', 'API_KEY_FILE', 'API_KEYS_FILE', 'API_KEY_COMMAND', 'IDENTITIES'];

const hasKey = (name: string, given: GivenSettings): boolean =>
  [name, ...givesAllKeys].some((each) => (given[each] ?? '') !== '');

/** Settings among `names` that have no key, and that some operation needs. */
const settingsWithoutKey = (
  names: readonly string[],
  { opensWith }: OwnApi,
  given: GivenSettings,
): readonly string[] => {
  const isGiven = (name: string): boolean => hasKey(name, given);
  const closed = opensWith.filter((alternatives) => !alternatives.some((settings) => settings.every(isGiven)));
  const known = new Set(opensWith.flat(2));
  const needed = new Set(closed.flat(2));
  return names.filter((name) => !isGiven(name) && (needed.has(name) || !known.has(name)));
};

/** Lines of `text` that the `.env` lacks: settings with a value, and keys without one. */
const linesMissing = (text: string, api: OwnApi, given: GivenSettings): string => {
  const lines = parse(text);
  const empty = Object.keys(lines).filter((name) => name.startsWith('API_KEY') && !(name in given));
  const keys = settingsWithoutKey(empty, api, given);
  return Object.entries(lines)
    .filter(([name, value]) => (value === '' ? keys.includes(name) : given[name] !== value))
    .map(([name, value]) => `${name}=${envValue(value)}`)
    .join(', ');
};

/**
 * What a person has to do before a run, a line each.
 * @param given the settings of the `.env` that is there
 */
const whatIsLeft = (api: OwnApi, given: GivenSettings): string[] => {
  const { contract, baseUrl, baseUrlFrom, basePathHint, unstated, withoutValue } = api;
  const written = given.BASE_URL || undefined;
  const isGuessed = baseUrl !== undefined && baseUrlFrom !== 'flag' && (written ?? baseUrl) === baseUrl;
  const place = baseUrlFrom === 'server' ? 'first server of the document' : 'address of the document';
  const needs = `${counted(withoutValue.length, 'read')} ${withoutValue.length === 1 ? 'needs' : 'need'}`;
  const lines = [
    !baseUrl && !written && `.env: write BASE_URL; ${contract} names no https server that could be it.`,
    isGuessed && `BASE_URL: ${visible(baseUrl)} is the ${place}. Is that what you want judged?`,
    basePathHint && visible(`BASE_URL: ${basePathHint}`),
    whichKeysAreLeft(api, given),
    unstated.length > 0 &&
      `${overlayName}: ${counted(unstated.length, 'operation')}, with or without a key? The document does not say.`,
    api.allPublic.length > 0 &&
      api.keys.size > 0 &&
      `${overlayName}: which operations need a key? The document says that each takes one or none.`,
    ...withoutPrefix(api).map(
      ({ name, field }) =>
        `${overlayName}: what stands before the key of ${visible(name)} in ${field}? The document does not say; as it is, nothing.`,
    ),
    withoutValue.length > 0 && `${parametersName}: ${needs} a value that a run would not find by itself.`,
  ];
  return lines.flatMap((line) => line || []);
};

const whichKeysAreLeft = (api: OwnApi, given: GivenSettings): string => {
  const { keys, unstated, allPublic } = api;
  const missing = settingsWithoutKey([...keys.keys()], api, given);
  const enough = eachIsEnough(api);
  const some = enough.length > 0 ? ` Of ${enough.join(', ')} one is enough.` : '';
  if (missing.length > 0)
    return `.env: ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no key yet.${some}`;
  if (keys.size > 0) return '';
  if (unstated.length > 0)
    return `The document has no security scheme: if it needs a key, say in ${overlayName} how it is sent, and write it into .env.`;
  return allPublic.length > 0
    ? `The document says that no operation needs a key. If one does, say in ${overlayName} which one and how the key is sent, and write the key into .env.`
    : '';
};

const documentName = 'openapi.yaml';

/** Writes a first document of a service that has none. */
const writeDocument = async (url: string, paths: readonly string[], context: CommandContext): Promise<number> => {
  const { cwd, terminal } = context;
  const wrong = paths.find((path) => !path.startsWith('/'));
  if (paths.length === 0 || wrong !== undefined)
    throw new UsageError(
      wrong === undefined ? '--from-url needs paths to ask.' : `--path is "${wrong}".`,
      'name each with --path, from the slash on: --path /v1/orders --path /v1/products',
    );
  if (existsSync(join(cwd, documentName)))
    throw new UsageError(`${documentName} is there already.`, 'move it away, or add the paths to it by hand');
  const { findApi, foundDocument } = await import('../document-from-url.js');
  const found = await findApi({ url, paths: [...new Set(paths)], context });
  for (const { path, seen, reason } of found.paths)
    terminal.out(`${seen.padEnd(9)}  ${visible(path)}${reason === undefined ? '' : `: ${visible(reason)}`}\n`);
  if (found.paths.every(({ seen }) => seen === 'absent' || seen === 'unclear')) {
    terminal.err('access-conformance: no path opened, so there is nothing to write.\n');
    return exitCodes.incomplete;
  }
  await writeNew(join(cwd, documentName), foundDocument(found));
  terminal.out(
    `wrote ${documentName}${found.scheme ? `; the key travels as ${found.scheme.words}` : ''}\n\nNext:\n` +
      `  access-conformance init --contract ${documentName} --base-url ${visible(url)}\n` +
      '  access-conformance run      judges the deployment\n' +
      '  access-conformance propose  writes what was seen as contract, for you to accept\n',
  );
  return exitCodes.conformant;
};

interface Asked {
  readonly contract: string | undefined;
  readonly baseUrl: string | undefined;
  readonly system: CiSystem | undefined;
  readonly withOverlay: boolean;
}

/** @throws UsageError, and SettingsError for a base URL that is none */
const readFlags = (input: Parameters<Command['run']>[0], cwd: string): Asked => {
  const system = textFlag(input, 'ci');
  if (system !== undefined && !isSystem(system))
    throw new UsageError(`--ci is "${system}".`, `allowed: ${systems.join(' or ')}`);
  const baseUrl = textFlag(input, 'base-url');
  if (baseUrl !== undefined) readSettings({ flags: { BASE_URL: baseUrl }, cwd, envFile: false });
  const contract = textFlag(input, 'contract');
  const withOverlay = input.flags['overlay-skeleton'] === true;
  if (contract !== undefined && withOverlay)
    throw new UsageError(
      '--overlay-skeleton is for the shipped contract.',
      'with --contract, overlay.yaml is written where the document leaves something out',
    );
  return { contract, baseUrl, system, withOverlay };
};

interface FileToWrite {
  readonly path: string;
  readonly text: string;
  readonly secret?: true;
}

const filesFor = (
  { system, withOverlay }: Asked,
  api: OwnApi | undefined,
  envText: string,
  cwd: string,
): readonly FileToWrite[] => {
  const files: FileToWrite[] = [{ path: '.env', text: envText, secret: true }];
  if (api !== undefined && api.withoutValue.length > 0) files.push({ path: parametersName, text: api.parameters });
  if (api !== undefined && asksSomething(api)) files.push({ path: overlayName, text: ownOverlayFile(api) });
  if (system !== undefined) {
    const root = rootOf(cwd);
    const overlay = relative(root, join(cwd, 'overlay.yaml')).split(sep).join('/');
    const { path, text } = ciFiles[system];
    files.push({ path: relative(cwd, join(root, path)), text: text(withOverlay ? overlay : undefined) });
  }
  if (withOverlay) files.push({ path: 'overlay.yaml', text: overlayFile() });
  return files;
};

/** @param linesForEnv what an `.env` that is there already lacks */
const writeFiles = async (
  files: readonly FileToWrite[],
  linesForEnv: string,
  { cwd, terminal }: CommandContext,
): Promise<void> => {
  const { green, dim } = terminal.colours;
  for (const { path, text, secret } of files) {
    const written = await writeNew(join(cwd, path), text, secret ? 0o600 : undefined);
    const missed = secret && linesForEnv ? `; put ${linesForEnv} into it` : '';
    terminal.out(
      written ? `${green('wrote')} ${path}\n` : `${dim('kept ')} ${path}, which is there already${missed}\n`,
    );
  }
};

const ignoreKeyAndReports = async ({ cwd, terminal }: CommandContext): Promise<void> => {
  const added = await ignoreFiles(cwd, ['.env', 'reports/']);
  terminal.out(
    added.length > 0
      ? `${terminal.colours.green('added')} ${added.join(' and ')} to .gitignore\n`
      : `${terminal.colours.dim('kept ')} .gitignore, which has .env and reports/\n`,
  );
};

export const init: Command = {
  name: 'init',
  summary: 'Write a .env, for your own API with --contract or --from-url, and a CI file. Existing files are kept.',
  usage:
    '[--contract FILE|URL | --from-url URL --path /v1/orders …] [--base-url URL] [--ci github|gitlab] [--overlay-skeleton]',
  flags: {
    contract: {
      value: 'FILE|URL',
      doc: 'Your own OpenAPI document: .env gets every key that it needs, and what it leaves out gets a file to fill in.',
    },
    'from-url': {
      value: 'URL',
      doc: 'Write openapi.yaml for a service without a document: what answers at --path with and without the key.',
    },
    path: { value: 'PATH', repeats: true, doc: 'A path to ask with GET, for --from-url; as often as wanted.' },
    ci: { value: systems.join('|'), doc: 'Also write a CI file for this system.' },
    'overlay-skeleton': { doc: 'Also write overlay.yaml, to fill the gaps of the contract.' },
    'base-url': { value: 'URL', doc: 'Put this base URL into .env.' },
  },
  examples: [
    'access-conformance init --base-url https://api.example.com --ci github',
    'access-conformance init --from-url https://api.example.com --path /v1/orders --path /v1/products',
    'access-conformance init --contract openapi.yaml --base-url https://api.example.com',
  ],
  async run(input, context) {
    const { cwd, env, terminal } = context;
    const fromUrl = textFlag(input, 'from-url');
    if (fromUrl !== undefined) return writeDocument(fromUrl, textsFlag(input, 'path'), context);
    const asked = readFlags(input, cwd);
    const { contract, baseUrl } = asked;
    const set = Object.fromEntries(Object.entries(env).filter(([, value]) => (value ?? '') !== ''));
    const before: GivenSettings = { ...readEnvFile(cwd).values, ...set };
    const given = { ...env, OVERLAY: before.OVERLAY };
    const api =
      contract === undefined
        ? undefined
        : await readOwnApi({ contract, baseUrl, env: given, cwd, warn: terminal.warn });
    const envText = api
      ? ownEnvFile(api, env.CA_FILE ?? '')
      : envFile([`BASE_URL=${envValue(baseUrl ?? '')}`, 'API_KEY=']);
    const linesForEnv = api ? linesMissing(envText, api, before) : baseUrl && `BASE_URL=${baseUrl}`;
    await writeFiles(filesFor(asked, api, envText, cwd), linesForEnv || '', context);
    if (api) await ignoreKeyAndReports(context);
    if (existsSync(join(cwd, '.env')) && gitWouldTake(cwd, '.env'))
      terminal.out(
        `${terminal.colours.yellow('careful')} git does not ignore .env, which will hold your key: add a line .env to .gitignore\n`,
      );
    const left = api ? whatIsLeft(api, { ...readEnvFile(cwd).values, ...set }) : [];
    if (left.length > 0) terminal.out(`\n${left.join('\n')}\n`);
    terminal.out(api ? '\nNext:\n' : `\nNext: put ${baseUrl ? 'the key' : 'base URL and key'} into .env, then\n`);
    terminal.out('  access-conformance doctor   looks for common setup problems\n');
    terminal.out('  access-conformance plan     prints every request that a run would send\n');
    terminal.out('  access-conformance run      judges the deployment\n');
    return 0;
  },
};
