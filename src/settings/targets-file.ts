import { dirname, join, resolve } from 'node:path';
import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { wordsIn } from '../collections.js';
import { ProblemsError } from '../errors.js';
import { camelCase, nearestName } from '../names.js';
import { readEnvFile } from './env-file.js';
import { isWebAddress } from './setting-parser.js';
import { readSettings, type Settings, SettingsError, type SettingsInput } from './settings.js';
import { printableVariable } from './settings-error.js';
import { deploymentSettings, type SettingEntry, schemeKey, settingsTable } from './table.js';
import { readYamlFile, refuse, type YamlReading } from './yaml-file.js';

/** The targets file cannot be used; one line per problem, with `file:line`. */
export class TargetsError extends ProblemsError {
  override readonly name = 'TargetsError';
}

/** One deployment of a targets file. */
export interface NamedTarget {
  readonly name: string;
  /** Folder of its reports, below REPORTS_DIR. */
  readonly folder: string;
  /** `file:line` of its entry. */
  readonly position: string;
  /**
   * Its settings by name, with secrets read from their variables; `undefined` means unset whatever
   * the environment says.
   */
  readonly fixed: Readonly<Record<string, string | undefined>>;
}

/** Settings that targets inherit from the environment. */
const inheritable: readonly string[] = wordsIn(`
  CA_FILE INSECURE_TLS HTTPS_PROXY https_proxy CONTRACT OVERLAY REF_ROOT PARAMETERS
`);

const settings: readonly SettingEntry[] = settingsTable;

interface TargetMember {
  readonly entry: SettingEntry;
  /** The value names an environment variable, since the setting is a secret. */
  readonly variable: boolean;
}

/** Members that are not the setting's name in camel case. */
const memberNames: Readonly<Record<string, string>> = {
  TARGET_NAME: 'name',
  CA_FILE: 'ca',
  API_KEY: 'keyVariable',
  WEB_PASSWORD: 'webPasswordVariable',
  WEB_PASSWORD_WITHOUT_KEY: 'webPasswordWithoutKeyVariable',
  OAUTH_CLIENT_SECRET: 'oauthClientSecretVariable',
  OAUTH_PASSWORD: 'oauthPasswordVariable',
};

/** Settings by member name: `baseUrl`, `ca`, `keyVariable`. */
const members: ReadonlyMap<string, TargetMember> = new Map(
  settings
    .filter(({ name }) => name !== 'API_KEY_FILE' && name !== 'REPORTS_DIR')
    .filter(({ name, secret }) => !secret || name in memberNames)
    .map((entry): readonly [string, TargetMember] => [
      memberNames[entry.name] ?? camelCase(entry.name),
      { entry, variable: entry.secret === true },
    ]),
);

/** Other names that people use for such members. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(memberNames).map(([setting, member]) => [
    member,
    [camelCase(setting), ...(member === 'keyVariable' ? ['key'] : [])],
  ]),
);

const folderOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');

interface TargetContext extends YamlReading {
  readonly variables: Readonly<Record<string, string | undefined>>;
}

const paths: readonly SettingEntry['kind'][] = ['file', 'files', 'folder', 'document'];

const isPath = (kind: SettingEntry['kind'], text: string): boolean =>
  paths.includes(kind) && !(kind === 'document' && isWebAddress(text));

/** The text of a setting: lists with commas, paths resolved from the targets file. */
const settingText = ({ kind }: SettingEntry, value: unknown, base: string): string | undefined => {
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (list.some((each) => !['string', 'number', 'boolean'].includes(typeof each))) return undefined;
  if (list.length > 1 && kind !== 'files' && kind !== 'list') return undefined;
  return list
    .flatMap((each) => (kind === 'files' ? String(each).split(',') : [String(each)]))
    .map((each) => (isPath(kind, each) ? resolve(base, each.trim()) : each))
    .join(',');
};

const readEntry = (item: unknown, reading: TargetContext): NamedTarget | undefined => {
  const { at, base, variables } = reading;
  if (!isMap(item)) return refuse(reading, item, 'a target is {name, baseUrl, keyVariable, …}');
  const own: Record<string, string> = {};
  for (const { key, value } of item.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const member = members.get(name);
    if (!member) {
      const meant = nearestName(
        name,
        [...members.keys()].map((each) => ({ name: each, alsoCalled: otherNames.get(each) ?? [] })),
      );
      const why = /^(?:api)?key$/i.test(name) ? ': a key stands in no file; name the variable that holds it' : '';
      refuse(reading, key, `a target has no member "${name}"${why}${meant ? `; did you mean ${meant}?` : ''}`);
      continue;
    }
    const plain: unknown = (value as Node | null)?.toJSON();
    if (plain === null || plain === undefined || plain === '') continue;
    const text = settingText(member.entry, plain, base);
    if (text === undefined) refuse(reading, key, `${name} must be text`);
    else if (!member.variable) own[member.entry.name] = text;
    else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text))
      // The text is not shown: it may be the secret.
      refuse(reading, key, `${name} must be the name of an environment variable, as STAGING_API_KEY`);
    else if (!variables[text]) refuse(reading, key, `${printableVariable(text)} is not set`);
    else own[member.entry.name] = variables[text];
  }
  const { TARGET_NAME: name, BASE_URL } = own;
  if (name === undefined) refuse(reading, item, 'the target has no name');
  if (BASE_URL === undefined) refuse(reading, item, 'the target has no baseUrl');
  if (name === undefined || BASE_URL === undefined) return undefined;
  const folder = folderOf(name);
  if (folder === '') refuse(reading, item, 'the name needs a letter or digit, to call a folder by');
  const isolated = [
    ...deploymentSettings.filter((each) => !inheritable.includes(each)),
    ...Object.keys(variables).filter((each) => schemeKey.test(each)),
  ];
  return {
    name,
    folder,
    position: at(item),
    fixed: { ...Object.fromEntries(isolated.map((each) => [each, undefined])), ...own },
  };
};

/**
 * Reads a targets file: a list of `{name, baseUrl, keyVariable, ca, overlay, deviations, …}`.
 * Members are settings in camel case; secrets are named by an environment variable. Settings of a
 * deployment in the environment do not apply.
 * @param file absolute path
 * @param options `shown` is the path in messages
 * @throws {TargetsError} with every problem
 */
export const readTargets = (
  file: string,
  { shown, env, cwd }: { shown: string; env: Readonly<Record<string, string | undefined>>; cwd: string },
): readonly NamedTarget[] => {
  const written = readYamlFile(file, shown, 'targets');
  if (!('contents' in written)) throw new TargetsError(written);
  const { contents, at } = written;
  const problems: string[] = [];
  const list: unknown = isMap(contents) ? contents.get('targets', true) : contents;
  if (!isSeq(list) || list.items.length === 0)
    throw new TargetsError([`${shown}:1 the file must be a list of at least one {name, baseUrl, keyVariable, …}`]);
  const variables = { ...readEnvFile(cwd).values, ...env };
  const reading = { at, problems, base: dirname(file), variables };
  const targets = list.items.flatMap((item) => readEntry(item, reading) ?? []);
  const folders = new Map<string, NamedTarget>();
  for (const target of targets) {
    const before = folders.get(target.folder);
    if (before)
      problems.push(
        `${target.position} ${target.name} has the folder of ${before.name} (${before.position}); name it otherwise`,
      );
    folders.set(target.folder, target);
  }
  if (problems.length > 0) throw new TargetsError(problems);
  return targets;
};

/**
 * Reads a targets file and calls `work` for each target in turn. Its reports go to a folder of
 * their own below REPORTS_DIR.
 * @param named path of the file, from `cwd`
 * @throws {TargetsError} with every problem of the file, or of the settings of every target
 */
export const forTargets = async <T>(
  named: string,
  { flags, env, cwd, needs }: Pick<SettingsInput, 'flags' | 'needs'> & Required<Pick<SettingsInput, 'env' | 'cwd'>>,
  work: (settings: Settings, target: NamedTarget) => Promise<T>,
): Promise<{ readonly reportsDir: string; readonly done: readonly T[] }> => {
  const targets = readTargets(resolve(cwd, named), { shown: named, env, cwd });
  const unset = Object.fromEntries(deploymentSettings.map((name) => [name, undefined]));
  const given = { ...(flags ? { flags } : {}), env, cwd };
  const { REPORTS_DIR: reportsDir } = readSettings({ ...given, fixed: unset }).values;
  const problems: string[] = [];
  const collectProblems = async <R>(
    { name, position }: NamedTarget,
    read: () => R | Promise<R>,
  ): Promise<readonly R[]> => {
    try {
      return [await read()];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(`${position} the target ${name}:`, error.message);
      return [];
    }
  };
  const all: { readonly settings: Settings; readonly target: NamedTarget }[] = [];
  for (const target of targets) {
    const fixed = { ...target.fixed, REPORTS_DIR: join(reportsDir, target.folder) };
    const read = (): Settings => readSettings({ ...given, fixed, ...(needs ? { needs } : {}) });
    for (const settings of await collectProblems(target, read)) all.push({ settings, target });
  }
  // The work may contact the target, so all settings are read first.
  if (problems.length > 0) throw new TargetsError(problems);
  const done: T[] = [];
  for (const { settings, target } of all) done.push(...(await collectProblems(target, () => work(settings, target))));
  if (problems.length > 0) throw new TargetsError(problems);
  return { reportsDir, done };
};
