import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyText } from './forms.js';
import { type Find, type Given, problemOf, shownOf } from './given.js';
import type { SettingProblem } from './problems.js';
import { entryNamed } from './table.js';
import { fileForm } from './values.js';

/** Keys by setting name; API_KEY_FILE fills API_KEY. Problems are added to `problems`, never with a key in them. */
export const readKeys = (
  names: readonly string[],
  find: Find,
  cwd: string,
  problems: SettingProblem[],
): Record<string, string> => {
  const keys: Record<string, string> = {};
  const take = (setting: string, given: Given, text: string): void => {
    const form = keyText(text);
    if (form.wrong === undefined) keys[setting === 'API_KEY_FILE' ? 'API_KEY' : setting] = form.value;
    else problems.push({ ...problemOf(setting, given, form), allowed: entryNamed('API_KEY')?.allowed ?? '' });
  };
  const trimmed = (text: string): string => text.replace(/\r?\n$/, '');
  const file = find('API_KEY_FILE');
  const plain = find('API_KEY');
  if (file && plain)
    problems.push({
      setting: 'API_KEY_FILE',
      ...shownOf('API_KEY_FILE', file),
      source: file.source,
      message: `API_KEY is given too (from ${plain.source === 'environment' ? 'the environment' : plain.source}); give one of the two.`,
    });
  else if (file) {
    const path = resolve(cwd, file.text);
    // A file that is not there was found when all file settings were read.
    if (fileForm(path).wrong === undefined) {
      const text = trimmed(readFileSync(path, 'utf8'));
      if (text === '') problems.push(problemOf('API_KEY_FILE', file, { wrong: 'the file is empty.' }));
      else take('API_KEY_FILE', file, text);
    }
  }
  for (const name of ['API_KEY', ...names]) {
    const given = find(name);
    if (given && !(name === 'API_KEY' && file)) take(name, given, trimmed(given.text));
  }
  return keys;
};
