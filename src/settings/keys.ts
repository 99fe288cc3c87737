import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { orUndefined } from '../collections.js';
import type { CommandSource } from './key-source.js';
import { addKeysOfFile, givenFrom } from './keys-file.js';
import { parseFile } from './setting-parser.js';
import { type FindValue, problemOf, type RawValue, type SettingProblem, withoutNewline } from './settings-error.js';
import { entryNamed } from './table.js';
import { type Parsed, parseKey } from './value-parsers.js';

/**
 * Which setting holds which key. A run knows its keys by the names of settings: `API_KEY` for the
 * main key, and `API_KEY_<SCHEME>` for a security scheme of its own. The key of API_KEY is given by
 * that variable, by API_KEY_FILE (a file that holds it alone) or by API_KEY_COMMAND (a program that
 * prints it); one of the three. The key of `API_KEY_<SCHEME>` is given by that variable or by
 * API_KEYS_FILE (`keys-file.ts`). For schemes of OAuth 2.0 without a key, OAUTH_CLIENT_ID and the
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
  addKeysOfFile(keys, names, find, cwd, problems);
  return keys;
};
