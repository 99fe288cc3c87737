import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readKeysFile } from './keys-file.js';
import { type FindValue, printableValue, problemOf, type RawValue } from './raw-value.js';
import { parseFile } from './setting-parser.js';
import type { SettingProblem } from './settings-error.js';
import { entryNamed } from './table.js';
import { parseKey } from './value-parsers.js';

const placeOf = ({ source }: RawValue): string => (source === 'environment' ? 'the environment' : source);

/** Word boundaries in scheme names are unknown, so underscores are ignored. */
const sameName = (a: string, b: string): boolean => a.replaceAll('_', '') === b.replaceAll('_', '');

/** Adds the keys of API_KEYS_FILE to the individual ones. */
const addKeysOfFile = (
  keys: Record<string, string>,
  names: readonly string[],
  find: FindValue,
  cwd: string,
  problems: SettingProblem[],
): void => {
  const file = find('API_KEYS_FILE');
  const path = file && resolve(cwd, file.text);
  // A missing file has already been reported.
  if (!file || path === undefined || parseFile(path).wrong !== undefined) return;
  const refuse = (message: string, hint?: string): void => {
    problems.push({
      setting: 'API_KEYS_FILE',
      ...printableValue('API_KEYS_FILE', file),
      source: file.source,
      message,
      allowed: entryNamed('API_KEYS_FILE')?.allowed ?? '',
      ...(hint === undefined ? {} : { hint }),
    });
  };
  const before = new Map<string, string>();
  for (const found of readKeysFile(path)) {
    if ('wrong' in found) {
      refuse(found.wrong, found.hint);
      continue;
    }
    const { scheme, setting, line, key } = found;
    const other = names.find((name) => sameName(name, setting) && find(name));
    const given = other === undefined ? undefined : find(other);
    const namesake = before.get(setting);
    if (given) refuse(`line ${line}: ${other} is given too (from ${placeOf(given)}); give one of the two.`);
    else if (namesake !== undefined)
      refuse(`line ${line}: "${scheme}" and "${namesake}" are both ${setting}.`, `give one of them as ${setting}_2`);
    else keys[setting] = key;
    before.set(setting, scheme);
  }
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
  const trimmed = (text: string): string => text.replace(/\r?\n$/, '');
  const file = find('API_KEY_FILE');
  const plain = find('API_KEY');
  if (file && plain)
    problems.push({
      setting: 'API_KEY_FILE',
      ...printableValue('API_KEY_FILE', file),
      source: file.source,
      message: `API_KEY is given too (from ${placeOf(plain)}); give one of the two.`,
    });
  else if (file) {
    const path = resolve(cwd, file.text);
    // A missing file has already been reported.
    if (parseFile(path).wrong === undefined) {
      const text = trimmed(readFileSync(path, 'utf8'));
      if (text === '') problems.push(problemOf('API_KEY_FILE', file, { wrong: 'the file is empty.' }));
      else take('API_KEY_FILE', file, text);
    }
  }
  for (const name of ['API_KEY', ...names]) {
    const given = find(name);
    if (given && !(name === 'API_KEY' && file)) take(name, given, trimmed(given.text));
  }
  addKeysOfFile(keys, names, find, cwd, problems);
  return keys;
};
