import { inspect } from 'node:util';
import { editDistance } from '../names.js';
import { readEnvFile, suggestSetting } from './env-file.js';
import { noIdentities, type ReadIdentities, readIdentities, variablesNamedIn } from './identities.js';
import type { CommandSource } from './key-source.js';
import { type Grant, readGrant, readKeyCommand, readKeys } from './keys.js';
import {
  collectSecrets,
  type FindValue,
  type RawValue,
  type SettingProblem,
  SettingsError,
  type Source,
} from './settings-error.js';
import { type ProxySetting, relativeToCwd, SettingsReader } from './settings-reader.js';
import { entryNamed, flagOf, type SettingName, type SettingValues, schemeKey } from './table.js';
import { type BaseUrl, type Pem, parseHttpsBase } from './value-parsers.js';

export { type SettingProblem, SettingsError, type Source } from './settings-error.js';
export {
  type SettingEntry,
  type SettingInputOf,
  type SettingName,
  type SettingValueOf,
  type SettingValues,
  settingsTable,
  type TableEntry,
} from './table.js';

/** All settings, parsed and valid. The environment is not modified. */
export interface Settings {
  /**
   * File names are absolute; CONTRACT, which reports name, is relative to the working directory
   * where it lies below it, or an https URL.
   */
  readonly values: SettingValues;
  /** BASE_URL, normalised; `undefined` when none was given. */
  readonly base: BaseUrl | undefined;
  /** `API_KEY` and `API_KEY_<SCHEME>` → key. */
  readonly keys: Readonly<Record<string, string>>;
  /** The program that prints the key of API_KEY. */
  readonly keyCommand: CommandSource | undefined;
  /** How tokens are got for schemes of OAuth 2.0 without a key of their own. */
  readonly grant: Grant | undefined;
  /** The identities of IDENTITIES, with the keys of those that do not hold API_KEY. */
  readonly identities: ReadIdentities;
  readonly webPassword: string | undefined;
  readonly webPasswordWithoutKey: string | undefined;
  /** Texts of CA_FILE, CLIENT_CERT_FILE and CLIENT_KEY_FILE. */
  readonly pem: Pem;
  /** HTTPS_PROXY with, where it is given, HTTP_PROXY. */
  readonly proxy: ProxySetting | undefined;
  /** Sources of the values that were given. */
  readonly sources: Readonly<Partial<Record<string, Source>>>;
  /** Unknown names in the environment that may be a misspelling of this one. */
  readonly mistakenFor: (name: SettingName) => readonly string[];
  /** Unknown names in the environment that are one letter from a setting that was not given. */
  readonly nearMisses: readonly (readonly [given: string, meant: string])[];
}

export interface SettingsInput {
  /** By setting name (`BASE_URL`), as the command line gave them. A list is given with commas. */
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.env` is read and against which file names are resolved. */
  readonly cwd?: string;
  /** Required settings. */
  readonly needs?: readonly SettingName[];
  /** Settings that the caller fixes: they override everything, and `undefined` means unset. */
  readonly fixed?: Readonly<Record<string, string | undefined>>;
  /** False: ignore `.env`. */
  readonly envFile?: boolean;
}

const createFinder = (
  { fixed, flags, env }: Required<Pick<SettingsInput, 'flags' | 'env' | 'fixed'>>,
  file: Readonly<Record<string, string>>,
): FindValue => {
  const from = (value: string | boolean | undefined, source: Source): RawValue | undefined =>
    value === undefined || value === '' ? undefined : { text: String(value), source };
  return (name) =>
    name in fixed
      ? from(fixed[name], 'default')
      : (from(flags[name], 'flag') ?? from(env[name], 'environment') ?? from(file[name], '.env'));
};

/** The problem of a required setting without a value. */
const missingProblem = (name: SettingName, mistakenFor: Settings['mistakenFor']): SettingProblem => {
  const near = mistakenFor(name);
  const hints = near.length > 0 ? [`the environment has ${near.join(', ')}: did you mean ${name}?`] : [];
  if (name === 'BASE_URL')
    hints.push(
      'give it as a flag:                access-conformance run --base-url https://api.example.com',
      'or in the environment:            BASE_URL=https://api.example.com access-conformance run',
      'or in a file .env in this folder: BASE_URL=https://api.example.com   (access-conformance init writes one)',
      'No deployment at hand? The embedded service: access-conformance run --reference   (in a checkout: npm run demo)',
    );
  else hints.push(`give it as ${flagOf(name)}, in the environment or in .env`);
  return {
    setting: name,
    message: name === 'BASE_URL' ? 'it is not set, and no target has a default.' : 'it is not set.',
    allowed: entryNamed(name)?.allowed ?? '',
    hint: hints.join('\n'),
  };
};

/** The names of an environment that are no setting. */
class UnknownNames {
  /** Each with the setting that it may mean. */
  readonly #meant: readonly (readonly [given: string, meant: string | undefined])[];

  constructor(env: NonNullable<SettingsInput['env']>) {
    const unknown = Object.keys(env).filter((given) => env[given] && !entryNamed(given) && !schemeKey.test(given));
    this.#meant = unknown.map((given) => [given, suggestSetting(given)]);
  }

  /** Names that may be a misspelling of a setting. */
  mistakenFor(name: SettingName): readonly string[] {
    return this.#meant.flatMap(([given, meant]) => (meant === name ? [given] : []));
  }

  /**
   * Those one letter from a setting. One letter makes another word of a short name, as DATE is of
   * RATE.
   */
  nearMisses(): readonly (readonly [given: string, meant: string])[] {
    return this.#meant.flatMap(([given, meant]): [string, string][] =>
      meant !== undefined && meant.length > 4 && editDistance(given, meant) === 1 ? [[given, meant]] : [],
    );
  }
}

/**
 * Reads all settings: a flag outranks the environment, which outranks `.env` in `cwd`; an empty
 * value is an unset one.
 * @throws {SettingsError} with every problem found, not only the first.
 */
export const readSettings = ({
  flags = {},
  env = {},
  cwd = process.cwd(),
  needs = [],
  fixed = {},
  envFile = true,
}: SettingsInput): Settings => {
  const file = envFile ? readEnvFile(cwd) : { values: {}, problems: [] };
  const find = createFinder({ fixed, flags, env }, file.values);
  const reader = new SettingsReader(cwd, find, file.problems);
  const { problems, sources, values } = reader;
  reader.readPrintable();

  const variables = { ...file.values, ...env };
  const identitiesFile = typeof values.IDENTITIES === 'string' ? values.IDENTITIES : undefined;
  const named = new Set(identitiesFile === undefined ? [] : variablesNamedIn(identitiesFile));
  const schemeNames = Object.keys(variables).filter((name) => schemeKey.test(name) && !named.has(name));
  const keys = readKeys(schemeNames, find, cwd, problems);
  const keyCommand = readKeyCommand(find, cwd, problems);
  const grant = readGrant(find, problems);
  const identities =
    identitiesFile === undefined
      ? noIdentities
      : readIdentities(identitiesFile, {
          shown: String(relativeToCwd(identitiesFile)),
          variables,
          main: keys,
          isMainFetched: keyCommand !== undefined || grant !== undefined,
        });
  for (const message of identities.problems)
    problems.push({ setting: 'IDENTITIES', source: sources.IDENTITIES ?? 'default', message });
  reader.noteSourcesOfKeys(keys);
  Object.assign(keys, identities.main);

  const unknown = new UnknownNames(env);
  const mistakenFor: Settings['mistakenFor'] = (name) => unknown.mistakenFor(name);
  for (const name of needs) if (!find(name)) problems.push(missingProblem(name, mistakenFor));
  const proxy = reader.readProxy();
  const pem = reader.readPem();
  reader.throwProblems(collectSecrets(schemeNames, find, { ...keys, ...identities.keys }), named);

  const base = reader.given.get('BASE_URL');
  const settings: Settings = {
    // Every member was parsed by its entry.
    values: values as unknown as SettingValues,
    base: base ? parseHttpsBase(base.text).value : undefined,
    keys,
    keyCommand,
    grant,
    identities,
    webPassword: find('WEB_PASSWORD')?.text,
    webPasswordWithoutKey: find('WEB_PASSWORD_WITHOUT_KEY')?.text,
    pem,
    proxy,
    sources,
    mistakenFor,
    nearMisses: unknown.nearMisses().filter(([, meant]) => !find(meant)),
  };
  return hideInLogs(settings, 'keys', 'grant', 'identities', 'webPassword', 'webPasswordWithoutKey', 'pem', 'proxy');
};

export const otherSecrets = ({
  webPassword,
  webPasswordWithoutKey,
  grant,
  identities,
}: Settings): readonly string[] => {
  const grants = Object.values(identities.fetched).flatMap((each) => (each.kind === 'grant' ? [each.grant] : []));
  const ofGrants = [...(grant ? [grant] : []), ...grants].flatMap(({ clientSecret, account }) => [
    clientSecret,
    account?.password,
  ]);
  return [webPassword, webPasswordWithoutKey, ...ofGrants].flatMap((secret) => secret || []);
};

export const keyNames = ({ keys, keyCommand, identities }: Settings): readonly string[] => [
  ...Object.keys(keys),
  ...Object.keys(identities.fetched).filter((name) =>
    identities.identities.every((each) => !Object.values(each.keys ?? {}).includes(name)),
  ),
  ...(keyCommand ? ['API_KEY'] : []),
];

/** The error for a required setting without a value, for callers that find out later. */
export const missingSetting = (name: SettingName, settings: Settings): SettingsError =>
  new SettingsError([missingProblem(name, settings.mistakenFor)]);

/**
 * Makes an object print `<hidden>` for these members, in `console.log` and as JSON. A copy of the
 * object prints them.
 */
export const hideInLogs = <Of extends object>(object: Of, ...secret: readonly (keyof Of)[]): Of => {
  const printed = (): object =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        value !== undefined && secret.includes(name as keyof Of) ? '<hidden>' : value,
      ]),
    );
  return Object.defineProperties(object, { toJSON: { value: printed }, [inspect.custom]: { value: printed } });
};
