import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isScalar } from 'yaml';
import { orUndefined } from '../collections.js';
import { isSameSetting } from '../names.js';
import type { CommandSource } from './key-source.js';
import { parseFile } from './setting-parser.js';
import {
  type FindValue,
  problemOf,
  type RawValue,
  type SettingProblem,
  type Wrong,
  withoutNewline,
} from './settings-error.js';
import { entryNamed, settingOfScheme } from './table.js';
import { type Parsed, parseKey } from './value-parsers.js';
import { parseYaml } from './yaml-file.js';

/**
 * Which setting holds which key. A run knows its keys by the names of settings: `API_KEY` for the
 * main key, and `API_KEY_<SCHEME>` for a security scheme of its own. The key of API_KEY is given by
 * that variable, by API_KEY_FILE (a file that holds it alone) or by API_KEY_COMMAND (a program that
 * prints it); one of the three. The key of `API_KEY_<SCHEME>` is given by that variable or by
 * API_KEYS_FILE (`readKeysFile`). For schemes of OAuth 2.0 without a key, OAUTH_CLIENT_ID and the
 * settings beside it get a token. Other holders stand in the file of IDENTITIES (`identities.ts`),
 * which names where each of their keys is; their settings are called `API_KEY_OF_<NAME>`. Only a
 * contract tells which schemes there are, so it settles which of these settings each scheme uses
 * (`contract/security.ts`). Keys of programs and tokens are got when a run begins
 * (`keys/key-origins.ts`).
 */

/** An OAuth 2.0 grant with its secrets. */
export interface Grant {
  readonly flow: 'clientCredentials' | 'password';
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  /** Only, and always, for the password flow. */
  readonly account?: { readonly username: string; readonly password: string };
  /** Scopes with spaces between them. */
  readonly scope?: string;
}

const parseCommand = (text: string): Parsed<readonly string[]> => {
  const value = orUndefined((): unknown => JSON.parse(text));
  if (value === undefined)
    return { wrong: 'it is no JSON.', hint: 'no shell reads it: write ["./token.sh", "staging"]' };
  const words: readonly unknown[] = Array.isArray(value) ? value : [];
  const texts = words.filter((word) => typeof word === 'string' && !word.includes('\0'));
  if (words.length === 0 || texts.length < words.length || words[0] === '')
    return { wrong: 'it is no list of texts with a program as the first.' };
  return { value: texts as readonly string[] };
};

/** Reads API_KEY_COMMAND, which runs in `cwd`. Adds to `problems`, which never show the command. */
export const readKeyCommand = (find: FindValue, cwd: string, problems: SettingProblem[]): CommandSource | undefined => {
  const name = 'API_KEY_COMMAND';
  const given = find(name);
  if (!given) return undefined;
  const other = ['API_KEY', 'API_KEY_FILE'].find((each) => find(each));
  const form: Parsed<readonly string[]> =
    given.source === '.env'
      ? {
          wrong:
            'a program is never taken from .env: whoever can write that file, as a checkout does, could run programs here.',
          hint: 'set it in the environment, or name the program in an identities file',
        }
      : other === undefined
        ? parseCommand(given.text)
        : { wrong: `${other} is given too; give one of the two.` };
  if (form.wrong === undefined) return { kind: 'command', command: form.value, folder: cwd };
  problems.push(problemOf(name, given, form));
  return undefined;
};

/**
 * Reads OAUTH_CLIENT_ID and the settings around it. Adds to `problems`, which never hold a secret.
 */
export const readGrant = (find: FindValue, problems: SettingProblem[]): Grant | undefined => {
  const text = (name: string): string | undefined => find(name)?.text;
  const clientId = text('OAUTH_CLIENT_ID');
  const clientSecret = text('OAUTH_CLIENT_SECRET');
  const username = text('OAUTH_USERNAME');
  const password = text('OAUTH_PASSWORD');
  const scope = text('OAUTH_SCOPE');
  const given = { OAUTH_CLIENT_SECRET: clientSecret, OAUTH_USERNAME: username, OAUTH_PASSWORD: password };
  const first = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  const lacking = (name: string, because: string): undefined => {
    problems.push({
      setting: name,
      message: `it is not set, and ${because}.`,
      allowed: entryNamed(name)?.allowed ?? '',
    });
    return undefined;
  };
  if (clientId === undefined)
    return first === undefined ? undefined : lacking('OAUTH_CLIENT_ID', `${first} needs it to get a token with`);
  const common = { clientId, ...(clientSecret === undefined ? {} : { clientSecret }), ...(scope ? { scope } : {}) };
  if (username !== undefined && password !== undefined)
    return { flow: 'password', ...common, account: { username, password } };
  if (username !== undefined) return lacking('OAUTH_PASSWORD', 'OAUTH_USERNAME asks for the password flow');
  if (password !== undefined) return lacking('OAUTH_USERNAME', 'OAUTH_PASSWORD asks for the password flow');
  if (clientSecret === undefined)
    return lacking('OAUTH_CLIENT_SECRET', 'the client credentials flow of OAUTH_CLIENT_ID needs it');
  return { flow: 'clientCredentials', ...common };
};

/**
 * Reads the keys by setting name, from variables, API_KEY_FILE and API_KEYS_FILE. Adds to
 * `problems`, which never contain a key.
 */
export const readKeys = (
  names: readonly string[],
  find: FindValue,
  cwd: string,
  problems: SettingProblem[],
): Record<string, string> => {
  const keys: Record<string, string> = {};
  const take = (setting: string, given: RawValue, text: string): void => {
    const form = parseKey(text);
    if (form.wrong === undefined) keys[setting === 'API_KEY_FILE' ? 'API_KEY' : setting] = form.value;
    else problems.push({ ...problemOf(setting, given, form), allowed: entryNamed('API_KEY')?.allowed ?? '' });
  };
  const file = find('API_KEY_FILE');
  const plain = find('API_KEY');
  if (file && plain)
    problems.push(
      problemOf('API_KEY_FILE', file, {
        wrong: `API_KEY is given too (from ${givenFrom(plain)}); give one of the two.`,
      }),
    );
  else if (file) {
    const path = resolve(cwd, file.text);
    // A missing file has already been reported.
    if (parseFile(path).wrong === undefined) {
      const text = withoutNewline(readFileSync(path, 'utf8'));
      if (text === '') problems.push(problemOf('API_KEY_FILE', file, { wrong: 'the file is empty.' }));
      else take('API_KEY_FILE', file, text);
    }
  }
  for (const name of ['API_KEY', ...names]) {
    const given = find(name);
    if (given && !(name === 'API_KEY' && file)) take(name, given, withoutNewline(given.text));
  }
  addKeysOfFile(keys, { names, find, cwd, problems });
  return keys;
};

/** A key of the file, or a problem, which never contains a key. */
type KeyFileEntry =
  | { readonly scheme: string; readonly setting: string; readonly line: number; readonly key: string }
  | Wrong;

/** The source text of a scalar, so that a key of digits keeps its leading zeros. */
const sourceOfScalar = (value: unknown): string | undefined => {
  if (!isScalar(value) || value.value === null) return undefined;
  return typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
};

/**
 * Reads the file of API_KEYS_FILE: a YAML or JSON object, security scheme → key.
 * @param path absolute path of a readable file
 */
const readKeysFile = (path: string): readonly KeyFileEntry[] => {
  const hint = 'write a line "scheme: key" for each security scheme; a key with special characters in single quotes';
  const { contents, errors, warnings, placeAt, placeOf } = parseYaml(readFileSync(path, 'utf8'));
  // The parser's messages may contain a key.
  const [error] = [...errors, ...warnings];
  if (error) return [{ wrong: `line ${placeAt(error.pos[0]).line} cannot be read as YAML or JSON.`, hint }];
  if (!isMap(contents)) return [{ wrong: 'the file must hold an object, security scheme to key.', hint }];
  return contents.items.map(({ key, value }): KeyFileEntry => {
    const { line } = placeOf(key);
    const scheme = sourceOfScalar(key) ?? '';
    const setting = settingOfScheme(scheme);
    const about = (wrong: string, advice?: string): KeyFileEntry => ({
      wrong: `line ${line}: ${wrong}`,
      ...(advice === undefined ? {} : { hint: advice }),
    });
    if (setting === 'API_KEY_') return about('no security scheme stands in front of the colon.', hint);
    const text = sourceOfScalar(value);
    if (text === undefined || text === '') return about(`the scheme "${scheme}" has no key.`, hint);
    const form = parseKey(text);
    return form.wrong === undefined
      ? { scheme, setting, line, key: form.value }
      : about(`the key of "${scheme}" cannot be used: ${form.wrong}`, form.hint);
  });
};

const givenFrom = ({ source }: RawValue): string => (source === 'environment' ? 'the environment' : source);

interface KeySources {
  /** Names of the settings of individual keys. */
  readonly names: readonly string[];
  readonly find: FindValue;
  readonly cwd: string;
  readonly problems: SettingProblem[];
}

const addKeysOfFile = (keys: Record<string, string>, { names, find, cwd, problems }: KeySources): void => {
  const file = find('API_KEYS_FILE');
  const path = file && resolve(cwd, file.text);
  // A missing file has already been reported.
  if (!file || path === undefined || parseFile(path).wrong !== undefined) return;
  const refuse = (form: Wrong): void => void problems.push(problemOf('API_KEYS_FILE', file, form));
  const before = new Map<string, string>();
  for (const found of readKeysFile(path)) {
    if ('wrong' in found) {
      refuse(found);
      continue;
    }
    const { scheme, setting, line, key } = found;
    const other = names.find((name) => isSameSetting(name, setting) && find(name));
    const given = other === undefined ? undefined : find(other);
    const namesake = before.get(setting);
    if (given)
      refuse({ wrong: `line ${line}: ${other} is given too (from ${givenFrom(given)}); give one of the two.` });
    else if (namesake !== undefined)
      refuse({
        wrong: `line ${line}: "${scheme}" and "${namesake}" are both ${setting}.`,
        hint: `give one of them as ${setting}_2`,
      });
    else keys[setting] = key;
    before.set(setting, scheme);
  }
};
