import { percentDecoded } from '../urls.js';
import { entryNamed, keyFiles } from './table.js';
import type { Parsed } from './value-parsers.js';

/** Where a value came from. */
export type Source = 'flag' | 'environment' | '.env' | 'default';

export interface SettingProblem {
  readonly setting: string;
  /** The value as given; never set for a secret. */
  readonly value?: string;
  readonly source?: Source;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** The allowed values; absent for an unknown name. */
  readonly allowed?: string;
  readonly hint?: string;
}

const quoted = (value: string): string => {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const sourceWords: Record<Source, string> = {
  flag: 'a flag',
  environment: 'the environment',
  '.env': '.env',
  default: 'its default',
};

const formatProblem = ({ setting, value, source, message, allowed, hint }: SettingProblem): string => {
  const from = source && source !== 'default' ? ` (from ${sourceWords[source]})` : '';
  const lines = [`${setting}${value === undefined ? '' : ` is ${quoted(value)}`}${from}: ${message}`];
  if (allowed) lines.push(`  allowed: ${allowed}`);
  if (hint) lines.push(...hint.split('\n').map((line) => `  ${line}`));
  return lines.join('\n');
};

/**
 * The settings cannot be used; the command exits with 3. `message` is for people, `problems` for
 * programs.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map(formatProblem).join('\n\n'));
    this.problems = problems;
  }
}

/** The text of a value, and its source. */
export interface RawValue {
  readonly text: string;
  readonly source: Source;
}

/** The text of a secret, without the newline at the end of a file. */
export const withoutNewline = (text: string): string => text.replace(/\r?\n$/, '');

/** Looks up the value of a setting. */
export type FindValue = (name: string) => RawValue | undefined;

/** Whether a text looks like a file name. A user may have put the key itself there. */
const looksLikePath = (text: string): boolean =>
  !/[+=\s]/.test(text) &&
  (/^(?:[./~\\]|[a-z]:[\\/])/i.test(text) || /\.[a-z]{1,5}$/i.test(text) || /^[a-z]{1,12}$/.test(text));

/**
 * A variable for messages. A name in other letters than the usual capitals may be the secret
 * itself.
 */
export const printableVariable = (name: string): string =>
  /^[A-Z_][A-Z0-9_]*$/.test(name) ? `the variable ${name}` : 'the variable (its name is not shown, it may be the key)';

/** The value of a setting for messages; never a secret. */
const printableValue = (
  setting: string,
  { text }: RawValue,
  shown?: string,
): { readonly value?: string; readonly hint?: string } => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  if (entry?.secret) return {};
  if (keyFiles.includes(setting) && !looksLikePath(text))
    return { hint: 'this takes the name of a file; what was given is not shown, it may be the key itself' };
  return { value: shown ?? text };
};

export type Wrong = Extract<Parsed<unknown>, { wrong: string }>;

export const problemOf = (setting: string, given: RawValue, form: Wrong): SettingProblem => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  return {
    setting,
    ...printableValue(setting, given, form.shown),
    source: given.source,
    message: form.wrong,
    allowed: entry?.allowed ?? '',
    ...(form.hint ? { hint: form.hint } : {}),
  };
};

/** Minimum length of a secret that is not in another value by chance. */
const minLength = 8;

const userNames = ['WEB_USERNAME', 'WEB_USERNAME_WITHOUT_KEY', 'OAUTH_USERNAME', 'OAUTH_CLIENT_ID'];

const secretSettings = ['WEB_PASSWORD', 'WEB_PASSWORD_WITHOUT_KEY', 'OAUTH_CLIENT_SECRET', 'OAUTH_PASSWORD'];

/** Secrets that no message or report may contain. */
interface KnownSecrets {
  readonly keys: readonly string[];
  readonly passwords: readonly string[];
}

/** Collects the secrets that were given, valid or not. */
export const collectSecrets = (
  names: readonly string[],
  find: FindValue,
  keys: Readonly<Record<string, string>>,
): KnownSecrets => {
  const given = ['API_KEY', ...names];
  const whole = [...Object.values(keys), ...given.flatMap((name) => find(name)?.text.trim() ?? [])];
  const inBasic = whole.flatMap((key) => /^[^:]+:(.+)$/s.exec(key)?.[1] ?? []);
  const passwords = secretSettings.flatMap((name) => find(name)?.text ?? []);
  const telling = (texts: readonly string[]): string[] =>
    [...new Set(texts)].filter((text) => text.length >= minLength);
  return { keys: telling([...whole, ...inBasic]), passwords: telling(passwords) };
};

/**
 * Reports settings that contain a secret: their values get into every report. A user name may equal
 * the password, as in test accounts; names are in no report.
 */
export const settingsWithSecrets = (given: ReadonlyMap<string, RawValue>, secrets: KnownSecrets): SettingProblem[] =>
  [...given]
    .filter(([setting, { text }]) => {
      if (keyFiles.includes(setting)) return false;
      const unwanted = userNames.includes(setting) ? secrets.keys : [...secrets.keys, ...secrets.passwords];
      return unwanted.some((secret) => text.includes(secret) || percentDecoded(text).includes(secret));
    })
    .map(([setting, { source }]) => ({
      setting,
      source,
      message: 'it has a key or a password in it, and its value gets into reports and requests.',
      hint: 'a key goes into API_KEY alone',
    }));

export const maskSecrets = (problem: SettingProblem, { keys, passwords }: KnownSecrets): SettingProblem => {
  const secrets = [...keys, ...passwords].sort((a, b) => b.length - a.length);
  const masked = (text: string): string => secrets.reduce((plain, secret) => plain.replaceAll(secret, '…'), text);
  return {
    ...problem,
    setting: masked(problem.setting),
    message: masked(problem.message),
    ...(problem.value === undefined ? {} : { value: masked(problem.value) }),
    ...(problem.hint === undefined ? {} : { hint: masked(problem.hint) }),
  };
};
