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
