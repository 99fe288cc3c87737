import { entryNamed, keyFiles } from './table.js';
import type { Parsed } from './value-parsers.js';

/** Where a value came from. */
export type Source = 'flag' | 'environment' | '.env' | 'default';

/** One problem of the settings. */
export interface SettingProblem {
  readonly setting: string;
  /** The value as given; never set for a secret. */
  readonly value?: string;
  readonly source?: Source;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** The allowed values; absent for an unknown name. */
  readonly allowed?: string;
  /** What to do next. */
  readonly hint?: string;
}

const quoted = (value: string): string => {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const sourceWords: Record<Source, string> = {
  flag: 'a flag',
  environment: 'the environment',
  '.env': '.env',
  default: 'its default',
};

const formatProblem = ({ setting, value, source, message, allowed, hint }: SettingProblem): string => {
  const from = source && source !== 'default' ? ` (from ${sourceWords[source]})` : '';
  const lines = [`${setting}${value === undefined ? '' : ` is ${quoted(value)}`}${from}: ${message}`];
  if (allowed) lines.push(`  allowed: ${allowed}`);
  if (hint) lines.push(...hint.split('\n').map((line) => `  ${line}`));
  return lines.join('\n');
};

/**
 * The settings cannot be used; the command exits with 3. `message` is for people, `problems` for
 * programs.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map(formatProblem).join('\n\n'));
    this.problems = problems;
  }
}

/** The text of a value, and its source. */
export interface RawValue {
  readonly text: string;
  readonly source: Source;
}

/** The text of a secret, without the newline at the end of a file. */
export const withoutNewline = (text: string): string => text.replace(/\r?\n$/, '');

/** The code of an error of the file system. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

/** Looks up the value of a setting. */
export type FindValue = (name: string) => RawValue | undefined;

/** Whether a text looks like a file name. A user may have put the key itself there. */
const looksLikePath = (text: string): boolean =>
  !/[+=\s]/.test(text) &&
  (/^(?:[./~\\]|[a-z]:[\\/])/i.test(text) || /\.[a-z]{1,5}$/i.test(text) || /^[a-z]{1,12}$/.test(text));

/** The value of a setting for messages; never a secret. */
const printableValue = (
  setting: string,
  { text }: RawValue,
  shown?: string,
): { readonly value?: string; readonly hint?: string } => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  if (entry?.secret) return {};
  if (keyFiles.includes(setting) && !looksLikePath(text))
    return { hint: 'this takes the name of a file; what was given is not shown, it may be the key itself' };
  return { value: shown ?? text };
};

export type Wrong = Extract<Parsed<unknown>, { wrong: string }>;

export const problemOf = (setting: string, given: RawValue, form: Wrong): SettingProblem => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  return {
    setting,
    ...printableValue(setting, given, form.shown),
    source: given.source,
    message: form.wrong,
    allowed: entry?.allowed ?? '',
    ...(form.hint ? { hint: form.hint } : {}),
  };
};
