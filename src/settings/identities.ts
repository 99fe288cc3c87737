import { readFileSync } from 'node:fs';
import { basename, isAbsolute, relative } from 'node:path';
import { present } from '../collections.js';
import { codeOf } from '../errors.js';
import { upperSnake } from '../names.js';
import { type GivenIdentity, type Identity, readIdentitiesFile } from './identities-file.js';
import type { CommandSource, FlowSource, KeySource, SecretSource } from './key-source.js';
import type { Grant } from './keys.js';
import { printableVariable, withoutNewline } from './settings-error.js';
import { schemeKey, settingOfScheme } from './table.js';
import { parseKey } from './value-parsers.js';

/** A key that a run fetches, of a security scheme. `position`: `file:line` where it is written. */
export type FetchedSource = { readonly scheme: string; readonly position: string } & (
  | { readonly kind: 'command'; readonly command: CommandSource }
  | { readonly kind: 'grant'; readonly grant: Grant }
);

/** The identities of a file, and the keys that could be read. */
export interface ReadIdentities {
  readonly identities: readonly Identity[];
  /** Keys of the first identity, where API_KEY was not given: `API_KEY_<SCHEME>` → key. */
  readonly main: Readonly<Record<string, string>>;
  /** Setting → key of the others, of variables and files. */
  readonly keys: Readonly<Record<string, string>>;
  /** Setting → how its key is got, of commands and OAuth flows, which are run later. */
  readonly fetched: Readonly<Record<string, FetchedSource>>;
  /**
   * Setting → where its key is, for commands that a person runs: `variable MARA_KEY`,
   * `file keys/mara` (from the working folder), `program identities.yaml:17:5`, `token …`.
   */
  readonly places: Readonly<Record<string, string>>;
  /** Where the keys of a scheme are named (`file:line:column`), for those who know the contract. */
  readonly schemes: readonly { readonly scheme: string; readonly position: string }[];
  /** Problems, one line each; never with a key. */
  readonly problems: readonly string[];
}

/** Variables that the file of IDENTITIES names: they may stand in `.env` and hold no other key. */
export const variablesNamedIn = (path: string): readonly string[] =>
  readIdentitiesFile(path, '').identities.flatMap(({ keys }) => [...keys.values()].flatMap(variablesIn));

export const noIdentities: ReadIdentities = {
  identities: [],
  main: {},
  keys: {},
  fetched: {},
  places: {},
  schemes: [],
  problems: [],
};

const variablesIn = (source: KeySource): readonly string[] => {
  if (source.kind === 'variable') return [source.variable];
  if (source.kind !== 'flow') return [];
  return [source.clientId, source.clientSecret, source.username, source.password].flatMap((secret) =>
    secret?.kind === 'variable' ? [secret.variable] : [],
  );
};

/** The text of a variable or file; a problem, without its value, where there is none. */
const readSecret = (
  source: SecretSource,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly text: string } | { readonly wrong: string } => {
  if (source.kind === 'variable') {
    const text = withoutNewline(variables[source.variable] ?? '');
    return text === '' ? { wrong: `${printableVariable(source.variable)} is not set` } : { text };
  }
  try {
    const text = withoutNewline(readFileSync(source.file, 'utf8'));
    return text === '' ? { wrong: 'the file of the key is empty' } : { text };
  } catch (error) {
    return { wrong: `the file of the key cannot be read (${codeOf(error)})` };
  }
};

/**
 * The grant of a flow, with its secrets; `undefined` where one is not there, which `refuse` is
 * told.
 */
const grantOf = (
  { flow, clientId, clientSecret, username, password, scope }: FlowSource,
  variables: Readonly<Record<string, string | undefined>>,
  refuse: (wrong: string) => void,
): Grant | undefined => {
  const read = (source: SecretSource | undefined): string | undefined => {
    const found = source && readSecret(source, variables);
    if (found && 'wrong' in found) refuse(found.wrong);
    return found && 'text' in found ? found.text : undefined;
  };
  const [id, secret, user, word] = [clientId, clientSecret, username, password].map(read);
  if (id === undefined) return undefined;
  return present({
    flow,
    clientId: id,
    clientSecret: secret,
    account: user === undefined || word === undefined ? undefined : { username: user, password: word },
    scope,
  });
};

/**
 * Names the settings of an identity's keys: the variable, where it is named like a setting, so that
 * printed commands run as they stand.
 */
const namesOfSettings = (
  { name, keys }: GivenIdentity,
  used: Set<string>,
  isMain: boolean,
): ReadonlyMap<string, string> => {
  const own = upperSnake(name);
  return new Map(
    [...keys].map(([scheme, source]) => {
      if (isMain) return [scheme, settingOfScheme(scheme)];
      const variable = source.kind === 'variable' ? source.variable : '';
      const isSetting = schemeKey.test(variable) && !used.has(variable);
      const made = keys.size === 1 ? `API_KEY_OF_${own}` : `${settingOfScheme(scheme)}_OF_${own}`;
      const setting = isSetting ? variable : made;
      used.add(setting);
      return [scheme, setting];
    }),
  );
};

/** What a program is called with may be a secret, and so may the path of a file elsewhere. */
const keySourceWords = (source: KeySource): string => {
  if (source.kind === 'variable') return `variable ${source.variable}`;
  const position = isAbsolute(source.position) ? basename(source.position) : source.position;
  if (source.kind === 'command') return `program ${position}`;
  if (source.kind === 'flow') return `token ${position}`;
  const near = relative(process.cwd(), source.file);
  const isPlain = /^[\w@%+=:,.][\w@%+=:,./-]*$/.test(near) && !near.startsWith('..');
  return isPlain ? `file ${near}` : `elsewhere ${position}`;
};

interface IdentityInput {
  /** Path for messages. */
  readonly shown: string;
  /** The environment, over `.env`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Keys of API_KEY and API_KEY_<SCHEME>, which do not name identities. */
  readonly main: Readonly<Record<string, string>>;
  /** Whether API_KEY is got in another way than from a variable or file. */
  readonly isMainFetched?: boolean;
}

/** The keys of one identity, by setting: those that could be read, and how the others are got. */
const readKeysOf = (
  { name, keys }: GivenIdentity,
  settings: ReadonlyMap<string, string>,
  variables: IdentityInput['variables'],
  problems: string[],
) => {
  const read: Record<string, string> = {};
  const fetched: Record<string, FetchedSource> = {};
  for (const [scheme, source] of keys) {
    const setting = settings.get(scheme) ?? '';
    const { position } = source;
    const refuse = (wrong: string): void => void problems.push(`${position} ${name}.keys.${scheme}: ${wrong}`);
    if (source.kind === 'command') fetched[setting] = { kind: 'command', command: source, scheme, position };
    else if (source.kind === 'flow') {
      const grant = grantOf(source, variables, refuse);
      if (grant) fetched[setting] = { kind: 'grant', grant, scheme, position };
    } else {
      const found = readSecret(source, variables);
      const form = 'wrong' in found ? found : parseKey(found.text);
      if (form.wrong !== undefined) refuse(form.wrong);
      else read[setting] = form.value;
    }
  }
  return { read, fetched };
};

/**
 * Reads the file of IDENTITIES with the keys that it names. The holder of API_KEY is the identity
 * without keys, the one whose key that is, or, where API_KEY was not given, the first one: its keys
 * are then those of `API_KEY_<SCHEME>`.
 * @param path absolute path of a readable file
 */
export const readIdentities = (
  path: string,
  { shown, variables, main, isMainFetched }: IdentityInput,
): ReadIdentities => {
  const { identities: given, problems: wrong } = readIdentitiesFile(path, shown);
  const problems = [...wrong];
  const keys: Record<string, string> = {};
  const fetched: Record<string, FetchedSource> = {};
  const places: Record<string, string> = {};
  const mainKeys = new Set(Object.values(main));
  const isMainGiven = mainKeys.size > 0 || isMainFetched === true || given.some((each) => each.keys.size === 0);
  const used = new Set(Object.keys(main));
  const ownMain: Record<string, string> = {};
  const holderOf = new Map<string, GivenIdentity>();
  const identities = given.map((each, index): Identity => {
    const { name, scopes, peers, owns } = each;
    const isFirst = index === 0 && !isMainGiven;
    const settings = namesOfSettings(each, used, isFirst);
    const own = readKeysOf(each, settings, variables, problems);
    Object.assign(fetched, own.fetched);
    const read = Object.values(own.read);
    const isWhole = read.length === each.keys.size;
    const isHolder = isFirst || (isWhole && read.every((key) => mainKeys.has(key)));
    const secret = isWhole ? JSON.stringify(isHolder && !isFirst ? 'API_KEY' : read.sort()) : '';
    const other = holderOf.get(secret);
    if (other && secret !== '')
      problems.push(`${each.position} "${name}" has the same key as "${other.name}" (${other.position})`);
    holderOf.set(secret, each);
    Object.assign(isFirst ? ownMain : isHolder ? {} : keys, own.read);
    if (isFirst || !isHolder)
      for (const [scheme, source] of each.keys) places[settings.get(scheme) ?? ''] = keySourceWords(source);
    return present({ name, keys: isHolder ? undefined : Object.fromEntries(settings), scopes, peers, owns });
  });
  return {
    identities,
    main: ownMain,
    keys,
    fetched,
    places,
    problems,
    schemes: given.flatMap((each) => [...each.keys].map(([scheme, { position }]) => ({ scheme, position }))),
  };
};
