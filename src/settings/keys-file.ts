import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isScalar } from 'yaml';
import { isSameSetting } from '../upper-snake.js';
import { parseFile } from './setting-parser.js';
import { type FindValue, problemOf, type RawValue, type SettingProblem, type Wrong } from './settings-error.js';
import { settingOfScheme } from './table.js';
import { parseKey } from './value-parsers.js';
import { parseYaml } from './yaml-file.js';

/** A key of the file, or a problem, which never contains a key. */
type KeyFileEntry =
  | { readonly scheme: string; readonly setting: string; readonly line: number; readonly key: string }
  | Wrong;

/** The source text of a scalar, so that a key of digits keeps its leading zeros. */
const textOf = (value: unknown): string | undefined => {
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
    const scheme = textOf(key) ?? '';
    const setting = settingOfScheme(scheme);
    const about = (wrong: string, advice?: string): KeyFileEntry => ({
      wrong: `line ${line}: ${wrong}`,
      ...(advice === undefined ? {} : { hint: advice }),
    });
    if (setting === 'API_KEY_') return about('no security scheme stands in front of the colon.', hint);
    const text = textOf(value);
    if (text === undefined || text === '') return about(`the scheme "${scheme}" has no key.`, hint);
    const form = parseKey(text);
    return form.wrong === undefined
      ? { scheme, setting, line, key: form.value }
      : about(`the key of "${scheme}" cannot be used: ${form.wrong}`, form.hint);
  });
};

export const givenFrom = ({ source }: RawValue): string => (source === 'environment' ? 'the environment' : source);

/** Adds the keys of API_KEYS_FILE to the individual ones. */
export const addKeysOfFile = (
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
