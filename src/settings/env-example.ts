import { wrapped } from '../words.js';
import { type SettingEntry, settingsTable } from './table.js';

/** Quotes a value of `.env` where dotenv would cut or trim it. */
export const envValue = (value: string): string => (/^[^\s#'"`$\\]*$/.test(value) ? value : `'${value}'`);

const shownDefault = (entry: SettingEntry): string | undefined =>
  entry.name === 'CONTRACT' ? 'the shipped contract' : entry.default === undefined ? undefined : String(entry.default);

/** Columns of a comment. */
const width = 110;

const block = (entry: SettingEntry): string => {
  const fallback = shownDefault(entry);
  const said = `Allowed: ${entry.allowed}.${fallback === undefined ? '' : ` Default: ${fallback}.`}`;
  const lines = [...wrapped(entry.doc, width), ...wrapped(said, width)].map((line) => `# ${line}`);
  const basic = entry.name === 'BASE_URL' || entry.name === 'API_KEY';
  const value = envValue(String(entry.example ?? entry.default ?? ''));
  return [...lines, basic ? `${entry.name}=` : `# ${entry.name}=${value}`].join('\n');
};

const keysOfSchemes = [
  '# Where the contract has several security schemes, each has its own key: API_KEY_ and the scheme, in upper case, with',
  '# an underscore for every character that is no letter or digit.',
  '# API_KEY_TOKENAUTH=',
].join('\n');

/** Makes the text of `.env.example` from the table of settings. */
export const envExample = (): string => {
  const entries: readonly SettingEntry[] = settingsTable;
  const groups = [...new Set(entries.map(({ group }) => group))];
  const head = [
    '# Settings of access-conformance. Copy this file to .env, which git leaves out, and fill in the first two.',
    '# A flag (--base-url) outranks the environment, which outranks .env. An empty value is an unset one.',
  ].join('\n');
  const sections = groups.map((group) => {
    const blocks = entries
      .filter((entry) => entry.group === group)
      .flatMap((entry) => [block(entry), ...(entry.name === 'API_KEY_FILE' ? [keysOfSchemes] : [])]);
    return [`# ---- ${group} ----`, ...blocks].join('\n\n');
  });
  return `${[head, ...sections].join('\n\n')}\n`;
};
