import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { codeOf } from '../errors.js';
import { didYouMean, editDistance, nearestName } from '../names.js';
import { wrapped } from '../words.js';
import type { SettingProblem } from './settings-error.js';
import { entryNamed, type SettingEntry, schemeKey, settingsTable } from './table.js';

interface EnvFile {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: readonly SettingProblem[];
}

export const suggestSetting = (name: string): string | undefined => nearestName(name, settingsTable);

const isSecret = (name: string): boolean => {
  const entry: SettingEntry | undefined = entryNamed(name);
  return entry?.secret === true || schemeKey.test(name);
};

/** Names a targets file, as `--targets` does. */
export const targetsFileName = 'TARGETS_FILE';

/** Lines that dotenv reads differently than their author probably meant. */
const findSurprises = (text: string, values: Readonly<Record<string, string>>): SettingProblem[] => {
  const lastLineOf = new Map<string, number>();
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [, setting = '', rest = ''] = /^\s*(?:export\s+)?([A-Za-z_][\w-]*)(.*)$/.exec(line) ?? [];
    const problem = (message: string) =>
      ({ setting, source: '.env', message: `line ${index + 1} of .env ${message}` }) as const;
    const quote = /^\s*=\s*(["'`])/.exec(rest)?.[1];
    const isKnown = entryNamed(setting) !== undefined;
    const isCut = /^\s*=\s*[^'"`#\s][^#\r\n]*?(?<!\s)#/.test(rest) && setting in values;
    const isFilled = (isKnown || schemeKey.test(setting)) && /^\s*=\s*[^\s#]/.test(rest);
    const earlier = isFilled ? lastLineOf.get(setting) : undefined;
    if (isFilled) lastLineOf.set(setting, index + 1);
    return [
      ...(earlier === undefined
        ? []
        : [{ ...problem(`gives it again, after line ${earlier}.`), hint: 'leave one of the two out' }]),
      ...(isKnown && !(setting in values) ? [problem('has no = after the name.')] : []),
      ...(isKnown && quote && values[setting]?.startsWith(quote)
        ? [problem('opens a quote that nothing closes.')]
        : []),
      ...(isCut && isSecret(setting)
        ? [
            {
              ...problem('has a # in its value, and what follows a # is a comment.'),
              hint: 'put the value in single quotes',
            },
          ]
        : []),
    ];
  });
};

/** PowerShell 5 writes UTF-16 where it redirects into a file. */
const notUtf8: SettingProblem = { setting: '.env', message: 'the file is not UTF-8 text.', hint: 'Save it as UTF-8.' };

/** Whether `name` may be shown: a line with nothing but a secret is also parsed as a name. */
const looksLikeName = (name: string, values: Readonly<Record<string, string>>): boolean =>
  suggestSetting(name) !== undefined ||
  (/^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:_[a-z]+)*)$/.test(name) &&
    name.length <= 40 &&
    (name.match(/\d/g)?.length ?? 0) <= 2 &&
    !Object.entries(values).some(([other, value]) => isSecret(other) && value.includes(name)));

const lineOf = (name: string, text: string): number =>
  text.split(/\r?\n/).findIndex((line) => line.replace(/^\s*(?:export\s+)?/, '').startsWith(name)) + 1;

/** Reads `.env` of a folder, without touching `process.env`. A missing file is empty. */
export const readEnvFile = (cwd: string): EnvFile => {
  const path = join(cwd, '.env');
  if (!existsSync(path)) return { values: {}, problems: [] };
  let text: string;
  try {
    const bytes = readFileSync(path);
    text = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (!isUtf8(bytes) || text.includes('\0')) return { values: {}, problems: [notUtf8] };
  } catch (error) {
    return { values: {}, problems: [{ setting: '.env', message: `the file cannot be read (${codeOf(error)}).` }] };
  }
  const values: Record<string, string> = parse(text);
  const problems = findSurprises(text, values);
  for (const name of Object.keys(values)) {
    // API_KEY_FIEL is a misspelling, not a scheme.
    const misspeltFile = editDistance(name, 'API_KEY_FILE') === 1;
    if (entryNamed(name) || name === targetsFileName || (schemeKey.test(name) && !misspeltFile)) continue;
    if (!looksLikeName(name, values)) {
      problems.push({
        setting: `line ${lineOf(name, text)}`,
        source: '.env',
        message: 'no setting has the name that stands before the =.',
        hint: 'a key goes behind API_KEY=',
      });
      continue;
    }
    problems.push({
      setting: name,
      source: '.env',
      message: 'no setting has this name.',
      hint: didYouMean(
        name,
        settingsTable,
        'access-conformance help settings lists all; if an identities file has it as the variable of a key, set IDENTITIES to that file',
      ),
    });
  }
  return { values, problems };
};

/** The value of one setting, for what reads no other: the environment's, else that of `.env`. */
export const oneSetting = (
  name: string,
  { env, cwd }: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
): string | undefined => env[name] || readEnvFile(cwd).values[name] || undefined;

/** Quotes a value of `.env` where dotenv would cut or trim it. */
export const envValue = (value: string): string => (/^[^\s#'"`$\\]*$/.test(value) ? value : `'${value}'`);

const shownDefault = (entry: SettingEntry): string | undefined =>
  entry.name === 'CONTRACT' ? 'the shipped contract' : entry.default === undefined ? undefined : String(entry.default);

/** Columns of a comment, without its `# `. */
const width = 98;

const commentOf = (text: string): readonly string[] => wrapped(text, width).map((line) => `# ${line}`);

const block = (entry: SettingEntry): string => {
  const fallback = shownDefault(entry);
  const said = `Allowed: ${entry.allowed}.${fallback === undefined ? '' : ` Default: ${fallback}.`}`;
  const lines = [entry.doc, said].flatMap(commentOf);
  const basic = entry.name === 'BASE_URL' || entry.name === 'API_KEY';
  const value = envValue(String(entry.example ?? entry.default ?? ''));
  return [...lines, basic ? `${entry.name}=` : `# ${entry.name}=${value}`].join('\n');
};

const keysOfSchemes = [
  ...commentOf(
    'Key of one security scheme, if the contract has several: API_KEY_ and the name of the scheme, in upper case, with an underscore between its words.',
  ),
  '# API_KEY_TOKEN_AUTH=',
].join('\n');

/** Makes the text of `.env.example` from the table of settings. */
export const envExample = (): string => {
  const entries: readonly SettingEntry[] = settingsTable;
  const groups = [...new Set(entries.map(({ group }) => group))];
  const head = [
    'Settings of access-conformance. Copy this file to .env, keep that out of git, and fill in the first two. Commands have a flag for each setting (--base-url) but secrets and proxies.',
    'A flag outranks the environment, which outranks .env. An empty value counts as unset.',
  ]
    .flatMap(commentOf)
    .join('\n');
  const sections = groups.map((group) => {
    const blocks = entries
      .filter((entry) => entry.group === group)
      .flatMap((entry) => [block(entry), ...(entry.name === 'API_KEY_FILE' ? [keysOfSchemes] : [])]);
    return [`# ---- ${group} ----`, ...blocks].join('\n\n');
  });
  return `${[head, ...sections].join('\n\n')}\n`;
};
