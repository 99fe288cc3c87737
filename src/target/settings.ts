import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { meantBy, readEnvFile } from './env-file.js';
import {
  type Base,
  type Form,
  httpBase,
  httpsBase,
  keyText,
  pageUrl,
  proxyUrl,
  resolveEntry,
  resourcePath,
} from './forms.js';
import { type Pem, readPem } from './pem.js';
import { type SettingProblem, SettingsError, type Source } from './problems.js';
import {
  entryNamed,
  flagOf,
  type SettingEntry,
  type SettingName,
  type SettingValues,
  schemeKey,
  settingsTable,
} from './table.js';

export { type SettingProblem, SettingsError } from './problems.js';
export { type SettingEntry, type SettingName, type SettingValues, settingsTable } from './table.js';

/** All settings, read and found well-formed. Frozen data; the environment is left as it was. */
export interface Settings {
  /** File names are absolute; CONTRACT, which reports name, is relative to the working directory where it lies below it. */
  readonly values: SettingValues;
  /** BASE_URL, normalised; `undefined` when none was given. */
  readonly base: Base | undefined;
  /** `API_KEY` and `API_KEY_<SCHEME>` → key. */
  readonly keys: Readonly<Record<string, string>>;
  readonly webPassword: string | undefined;
  /** Texts of CA_FILE, CLIENT_CERT_FILE and CLIENT_KEY_FILE. */
  readonly pem: Pem;
  readonly proxy: { readonly url: string; readonly noProxy: string } | undefined;
  /** Names whose value was given, and where. */
  readonly sources: Readonly<Partial<Record<string, Source>>>;
  /** Names in the environment that look like a setting and are none. */
  readonly nearMisses: readonly { readonly given: string; readonly meant: string }[];
}

export interface SettingsInput {
  /** By setting name (`BASE_URL`), as the command line gave them. A list is given with commas. */
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder whose `.env` is read and against which file names are resolved. */
  readonly cwd?: string;
  /** Settings without which this cannot go on. */
  readonly needs?: readonly SettingName[];
}

interface Given {
  readonly text: string;
  readonly source: Source;
}

const reader = (input: Required<Pick<SettingsInput, 'flags' | 'env'>>, file: Readonly<Record<string, string>>) => {
  const from = (value: string | boolean | undefined, source: Source): Given | undefined =>
    value === undefined || value === '' ? undefined : { text: String(value), source };
  return (name: string): Given | undefined =>
    from(input.flags[name], 'flag') ?? from(input.env[name], 'environment') ?? from(file[name], '.env');
};

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

const fileForm = (path: string): Form<string> => {
  try {
    if (!statSync(path).isFile()) return { wrong: 'this is not a file.' };
    accessSync(path, constants.R_OK);
    return { value: path };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return { wrong: code === 'ENOENT' ? 'there is no such file.' : `the file cannot be read (${code}).` };
  }
};

/** The written form as the value that the schema then judges. */
const formed = (entry: SettingEntry, text: string, cwd: string): Form<unknown> => {
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

const open: readonly SettingEntry[] = settingsTable.filter(
  (entry: SettingEntry) => !entry.secret && entry.name !== 'NO_PROXY',
);

const ajvWords = (keyword: string, params: Readonly<Record<string, unknown>>): string => {
  if (keyword === 'minimum') return `it is below ${params.limit}.`;
  if (keyword === 'maximum') return `it is above ${params.limit}.`;
  if (keyword === 'type' && params.type === 'integer') return 'it is no whole number.';
  if (keyword === 'type' && params.type === 'boolean') return 'it says neither yes nor no.';
  return keyword === 'minItems' ? 'it lists nothing.' : 'it takes no such value.';
};

const validate = (values: Readonly<Record<string, unknown>>, given: ReadonlyMap<string, Given>): SettingProblem[] => {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(open.map((entry) => [entry.name, schemaOf(entry)])),
    additionalProperties: false,
  };
  const check = new Ajv({ allErrors: true, strict: true }).compile(schema);
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

const problemOf = (setting: string, given: Given, form: Extract<Form<unknown>, { wrong: string }>): SettingProblem => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  return {
    setting,
    ...(entry?.secret ? {} : { value: form.shown ?? given.text }),
    source: given.source,
    message: form.wrong,
    allowed: entry?.allowed ?? '',
    ...(form.hint ? { hint: form.hint } : {}),
  };
};

const readKeys = (
  names: readonly string[],
  find: (name: string) => Given | undefined,
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
      value: file.text,
      source: file.source,
      message: `API_KEY is given too (from ${plain.source === 'environment' ? 'the environment' : plain.source}); give one of the two.`,
    });
  else if (file) {
    const form = fileForm(resolve(cwd, file.text));
    if (form.wrong !== undefined) problems.push(problemOf('API_KEY_FILE', file, form));
    else {
      const text = trimmed(readFileSync(form.value, 'utf8'));
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

/** Reports name the document as its user sees it, not by where it lies on the machine. */
const asNamed = (path: unknown): unknown => {
  if (typeof path !== 'string') return path;
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
};

/** How to give a base URL, and what to do without one. */
const missing = (name: SettingName, nearMisses: Settings['nearMisses']): SettingProblem => {
  const near = nearMisses.filter(({ meant }) => meant === name).map(({ given }) => given);
  const hints = near.length > 0 ? [`the environment has ${near.join(', ')}: did you mean ${name}?`] : [];
  if (name === 'BASE_URL')
    hints.push(
      'give it as a flag:                access-conformance run --base-url https://api.example.com',
      'or in the environment:            BASE_URL=https://api.example.com access-conformance run',
      'or in a file .env in this folder: BASE_URL=https://api.example.com   (access-conformance init writes one)',
      'No deployment at hand? The embedded service: npx access-conformance run --reference   (in a checkout: npm run demo)',
    );
  else hints.push(`give it as ${flagOf(name)}, in the environment or in .env`);
  return {
    setting: name,
    message: name === 'BASE_URL' ? 'it is not set, and no target has a default.' : 'it is not set.',
    allowed: entryNamed(name)?.allowed ?? '',
    hint: hints.join('\n'),
  };
};

/**
 * Reads all settings: a flag outranks the environment, which outranks `.env` in `cwd`; an empty value is an unset one.
 * @throws {SettingsError} with every problem found, not only the first.
 */
export const readSettings = ({ flags = {}, env = {}, cwd = process.cwd(), needs = [] }: SettingsInput): Settings => {
  const file = readEnvFile(cwd);
  const problems = [...file.problems];
  const find = reader({ flags, env }, file.values);
  const sources: Record<string, Source> = {};
  const givenBy = new Map<string, Given>();
  const values: Record<string, unknown> = {};

  for (const entry of open) {
    const given = find(entry.name);
    if (!given) {
      if (entry.default !== undefined)
        values[entry.name] = entry.kind === 'folder' ? resolve(cwd, String(entry.default)) : entry.default;
      continue;
    }
    givenBy.set(entry.name, given);
    sources[entry.name] = given.source;
    const form = formed(entry, given.text, cwd);
    if (form.wrong === undefined) values[entry.name] = form.value;
    else problems.push(problemOf(entry.name, given, form));
  }
  problems.push(...validate(values, givenBy));
  values.CONTRACT = asNamed(values.CONTRACT);

  const schemeNames = [...Object.keys(env), ...Object.keys(file.values)].filter(
    (name) => schemeKey.test(name) && name !== 'API_KEY_FILE',
  );
  const keys = readKeys([...new Set(schemeNames)], find, cwd, problems);
  for (const name of Object.keys(keys)) sources[name] = find(name)?.source ?? find('API_KEY_FILE')?.source ?? 'default';

  const nearMisses = Object.keys(env).flatMap((given) => {
    if (!env[given] || entryNamed(given) || schemeKey.test(given)) return [];
    const meant = meantBy(given);
    return meant === 'BASE_URL' || meant === 'API_KEY' || meant === 'KEY_PAGE_URL' ? [{ given, meant }] : [];
  });
  for (const name of needs) if (!find(name)) problems.push(missing(name, nearMisses));

  const proxyGiven = find('HTTPS_PROXY') ?? find('https_proxy');
  const proxyForm = proxyGiven && proxyUrl(proxyGiven.text);
  if (proxyGiven && proxyForm?.wrong !== undefined) problems.push(problemOf('HTTPS_PROXY', proxyGiven, proxyForm));
  if (proxyGiven) sources.HTTPS_PROXY = proxyGiven.source;

  const pem = readPem(values, (setting, wrong) => {
    const given = givenBy.get(setting);
    if (given) problems.push(problemOf(setting, given, wrong));
  });
  if (problems.length > 0) throw new SettingsError(problems);

  const base = givenBy.get('BASE_URL');
  return {
    // The schema above has just found every member to be of the type that the table gives it.
    values: values as unknown as SettingValues,
    base: base ? httpsBase(base.text).value : undefined,
    keys,
    webPassword: find('WEB_PASSWORD')?.text,
    pem,
    proxy: proxyForm?.value
      ? { url: proxyForm.value, noProxy: (find('NO_PROXY') ?? find('no_proxy'))?.text ?? '' }
      : undefined,
    sources,
    nearMisses,
  };
};

/** The problem of a needed setting that nobody gave, for callers that find out later than `readSettings`. */
export const missingSetting = (name: SettingName, settings: Settings): SettingsError =>
  new SettingsError([missing(name, settings.nearMisses)]);
