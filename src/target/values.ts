import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { type Form, httpBase, httpsBase, pageUrl, resolveEntry, resourcePath } from './forms.js';
import type { Given } from './given.js';
import type { SettingProblem } from './problems.js';
import { entryNamed, type SettingEntry, settingsTable } from './table.js';

const truth: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  false: false,
  '0': false,
  no: false,
};

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A file that is there and can be read; a pipe is one too. */
export const fileForm = (path: string): Form<string> => {
  try {
    if (statSync(path).isDirectory()) return { wrong: 'this is a folder, not a file.' };
    accessSync(path, constants.R_OK);
    return { value: path };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return { wrong: code === 'ENOENT' ? 'there is no such file.' : `the file cannot be read (${code}).` };
  }
};

/** The written form as the value that the schema then judges. */
export const formed = (entry: SettingEntry, text: string, cwd: string): Form<unknown> => {
  switch (entry.kind) {
    case 'boolean':
      return { value: truth[text.toLowerCase()] ?? text };
    case 'integer':
      return { value: /^[0-9]{1,9}$/.test(text) ? Number(text) : text };
    case 'choice':
      return { value: text };
    case 'file':
      return fileForm(resolve(cwd, text));
    case 'files': {
      const files = listOf(text).map((name) => ({ name, form: fileForm(resolve(cwd, name)) }));
      const bad = files.find(({ form }) => form.wrong !== undefined);
      return bad ? { wrong: `${bad.name}: ${bad.form.wrong}` } : { value: files.map(({ form }) => form.value) };
    }
    case 'folder':
      return { value: resolve(cwd, text) };
    case 'path':
      return resourcePath(text);
    case 'list': {
      const bad = listOf(text)
        .map(resolveEntry)
        .find((form) => form.wrong !== undefined);
      return bad ?? { value: listOf(text) };
    }
    case 'url':
      if (entry.name === 'BASE_URL') {
        const form = httpsBase(text);
        return form.wrong === undefined ? { value: form.value.origin + form.value.basePath } : form;
      }
      return entry.name === 'HTTP_BASE_URL' ? httpBase(text) : pageUrl(text);
    case 'text':
      return /\p{Cc}/u.test(text) ? { wrong: 'it has a control character in it.' } : { value: text };
  }
};

const schemaOf = (entry: SettingEntry): object => {
  const { minimum, maximum, choices } = entry;
  if (entry.kind === 'boolean') return { type: 'boolean' };
  if (entry.kind === 'integer') return { type: 'integer', minimum, maximum };
  if (entry.kind === 'choice') return { enum: choices };
  if (entry.kind === 'files' || entry.kind === 'list') return { type: 'array', items: { type: 'string' }, minItems: 1 };
  return { type: 'string', minLength: 1 };
};

/** The settings whose values may be shown. */
export const openSettings: readonly SettingEntry[] = settingsTable.filter(
  (entry: SettingEntry) => !entry.secret && entry.name !== 'NO_PROXY',
);

const ajvWords = (keyword: string, params: Readonly<Record<string, unknown>>): string => {
  if (keyword === 'minimum') return `it is below ${params.limit}.`;
  if (keyword === 'maximum') return `it is above ${params.limit}.`;
  if (keyword === 'type' && params.type === 'integer') return 'it is no whole number.';
  if (keyword === 'type' && params.type === 'boolean') return 'it says neither yes nor no.';
  return keyword === 'minItems' ? 'it lists nothing.' : 'it takes no such value.';
};

/** Ranges, choices and types by a JSON Schema made from the table. */
export const validate = (
  values: Readonly<Record<string, unknown>>,
  given: ReadonlyMap<string, Given>,
): SettingProblem[] => {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(openSettings.map((entry) => [entry.name, schemaOf(entry)])),
    additionalProperties: false,
  };
  const check = new Ajv({ allErrors: true, strict: true, meta: false, validateSchema: false }).compile(schema);
  if (check(values)) return [];
  const problems = new Map<string, SettingProblem>();
  for (const { instancePath, keyword, params } of check.errors ?? []) {
    const setting = instancePath.split('/')[1] ?? '';
    const from = given.get(setting);
    problems.set(setting, {
      setting,
      ...(from ? { value: from.text, source: from.source } : {}),
      message: ajvWords(keyword, params),
      allowed: entryNamed(setting)?.allowed ?? '',
    });
  }
  return [...problems.values()];
};
