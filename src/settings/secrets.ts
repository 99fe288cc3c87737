import { percentDecoded } from '../urls.js';
import type { FindValue, RawValue, SettingProblem } from './settings-error.js';
import { keyFiles } from './table.js';

/** Minimum length of a secret that is not in another value by chance. */
const minLength = 8;

const userNames = ['WEB_USERNAME', 'WEB_USERNAME_WITHOUT_KEY', 'OAUTH_USERNAME', 'OAUTH_CLIENT_ID'];

/** Secrets beside the keys. */
const secretSettings = ['WEB_PASSWORD', 'WEB_PASSWORD_WITHOUT_KEY', 'OAUTH_CLIENT_SECRET', 'OAUTH_PASSWORD'];

/** Secrets that no message or report may contain. */
export interface KnownSecrets {
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

/** The problem with all secrets masked. */
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
