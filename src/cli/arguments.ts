import { parseArgs } from 'node:util';
import type { Fetched } from '../app/contract-file.js';
import { exitCodes } from '../engine/outcomes.js';
import { nearestName } from '../names.js';
import { tool } from '../package.js';
import { flagOf, type SettingEntry, schemeKey, settingsTable } from '../settings/table.js';
import { wrapped } from '../words.js';
import type { Terminal } from './terminal.js';

/** A flag of a command that is no setting; settings are flags by themselves. */
interface Flag {
  /** Placeholder of the value in help: `NAME`. A flag without one is true or false. */
  readonly value?: string;
  /** It may be given several times. */
  readonly repeats?: true;
  /** Its value may be omitted (`--write-deviations[=FILE]`). */
  readonly optional?: true;
  readonly doc: string;
}

/** Flags by name, without dashes: `reference`. */
export type Flags = Readonly<Record<string, Flag>>;

export interface Arguments {
  /** By flag name; one that repeats is a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** By setting name, as `readSettings` takes them. */
  readonly settings: Readonly<Record<string, string | boolean>>;
  readonly positionals: readonly string[];
}

/** The environment of a command; commands do not read `process` themselves. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Documents from the web, where a command works on several targets. */
  readonly fetched?: Fetched;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What follows the command's name: `[--reference] [flags]`. */
  readonly usage: string;
  readonly flags?: Flags;
  /** Whether every setting that is no secret is a flag too. */
  readonly takesSettings?: true;
  /** Groups of settings that this command uses and its help shows; all when absent. */
  readonly uses?: readonly SettingEntry['group'][];
  /** Least and most positional arguments; none when absent. */
  readonly positionals?: readonly [least: number, most: number];
  readonly examples?: readonly string[];
  /** Resolves to the exit code (design section 5). */
  run(input: Arguments, context: CommandContext): Promise<number>;
}

/** The command was called wrongly: exit code 3. `hint` says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export const recordedContractFlags: Flags = {
  contract: { value: 'FILE', doc: 'The contract of the run; found by its checksum when not given.' },
  overlay: { value: 'FILE,…', doc: 'Overlays that were applied to it.' },
  'ref-root': { value: 'FOLDER', doc: 'Folder of the files that it refers to; its own when not given.' },
  parameters: { value: 'FILE', doc: 'Values for parameters, where the run had some.' },
};

export const textFlag = (input: Arguments, name: string): string | undefined => {
  const value = input.flags[name];
  return typeof value === 'string' ? value : undefined;
};

export const textsFlag = (input: Arguments, name: string): readonly string[] => {
  const value = input.flags[name];
  return Array.isArray(value) ? value : [];
};

interface KnownFlag extends Flag {
  readonly name: string;
  readonly kind: 'boolean' | 'text' | 'texts';
  readonly setting?: string;
}

const own = (flags: Flags): readonly KnownFlag[] =>
  Object.entries(flags).map(([name, flag]) => ({
    ...flag,
    name,
    kind: flag.value === undefined ? 'boolean' : flag.repeats ? 'texts' : 'text',
  }));

const settings: readonly SettingEntry[] = settingsTable;

const bare = (entry: SettingEntry): string => flagOf(entry.name).slice(2);

const flagsOf = (command: Command): readonly KnownFlag[] => [
  ...own({ ...command.flags, help: { doc: 'Say what this command does and takes.' } }),
  ...(command.takesSettings
    ? settings
        .filter((entry) => !entry.secret && entry.flag !== false)
        .map(
          (entry): KnownFlag => ({
            name: bare(entry),
            kind:
              entry.kind === 'boolean' ? 'boolean' : entry.kind === 'files' || entry.kind === 'list' ? 'texts' : 'text',
            doc: entry.doc,
            setting: entry.name,
          }),
        )
    : []),
];

/** Refuses flags for secrets: other processes, shell histories and CI logs see command lines. */
const refuseSecret = (name: string): void => {
  const setting = name.toUpperCase().replaceAll('-', '_');
  const entry = settings.find((candidate) => candidate.name === setting);
  const kinds = ['API_TOKEN', 'TOKEN', 'PASSWORD'];
  if (entry?.flag === false)
    throw new UsageError(`--${name} is no flag.`, `${setting} is taken from the environment or .env`);
  if (!entry?.secret && !kinds.includes(setting) && !schemeKey.test(setting)) return;
  const meant =
    entry?.secret || schemeKey.test(setting) ? setting : setting === 'PASSWORD' ? 'WEB_PASSWORD' : 'API_KEY';
  throw new UsageError(
    `--${name} is no flag: a secret on the command line is seen by every process of this machine, and kept in shell histories and CI logs.`,
    `put ${meant} into the environment${meant === 'API_KEY_COMMAND' ? '' : ' or into .env'}${meant === 'API_KEY' ? ', or its file name into API_KEY_FILE' : ''}`,
  );
};

const refuseUnknown = (name: string, command: Command, written: string): never => {
  const meant = written.startsWith('--') ? nearestName(name, flagsOf(command)) : undefined;
  throw new UsageError(
    `access-conformance ${command.name} has no flag ${written}.`,
    meant ? `did you mean --${meant}?` : `access-conformance help ${command.name} lists its flags`,
  );
};

/** The positional arguments that are missing, as the command's usage names them: `ID`. */
const missingOf = (usage: string, least: number, there: number): string => {
  const [before = ''] = usage.split(/ ?[[-]/);
  return before.split(' ').slice(there, least).join(' and ');
};

/** How a message shows an unexpected argument: only the name of `API_KEY=…`, and never a key. */
const shown = (word: string): string => {
  const [, name] = /^([A-Za-z_]\w{0,40})=/.exec(word) ?? [];
  if (name !== undefined) return `"${name}=…"`;
  return word.length <= 40 && (!/\d/.test(word) || /^[./]|\.[a-z]{1,5}$/.test(word)) ? `"${word}"` : 'The last of them';
};

/**
 * Reads the arguments after the command's name.
 * @throws {UsageError} for an unknown flag, a secret, a missing value, or too many or few arguments
 */
export const readArguments = (command: Command, words: readonly string[]): Arguments => {
  const known = new Map(flagsOf(command).map((flag) => [flag.name, flag]));
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(
        [...known.values()].map(({ name, kind, optional }) => [
          name,
          { type: kind === 'boolean' || optional ? 'boolean' : 'string' } as const,
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  });
  const flags: Record<string, string | boolean | readonly string[]> = {};
  const given: Record<string, string | boolean> = {};
  const positionals: string[] = [];

  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    refuseSecret(token.name);
    const denied = token.name.startsWith('no-') ? known.get(token.name.slice(3)) : undefined;
    const flag = known.get(token.name) ?? (denied?.kind === 'boolean' ? denied : undefined);
    if (!flag) return refuseUnknown(token.name, command, token.rawName);
    let value: string | boolean | readonly string[];
    if (flag === denied) value = false;
    else if (flag.kind === 'boolean' || flag.optional) value = token.value ?? true;
    else {
      if (token.value === undefined || (!token.inlineValue && token.value.startsWith('--')))
        throw new UsageError(`--${flag.name} needs a value.`, `for example --${flag.name}=${flag.value ?? 'VALUE'}`);
      value = token.value;
    }
    if (typeof value === 'string' && value.trim() === '' && !flag.setting)
      throw new UsageError(`--${flag.name} is empty.`, `for example --${flag.name}=${flag.value ?? 'VALUE'}`);
    if (flag.setting) {
      const before = given[flag.setting];
      if (before !== undefined && flag.kind !== 'texts') throw new UsageError(`--${flag.name} is given twice.`);
      given[flag.setting] = before === undefined || typeof value !== 'string' ? value : `${before},${value}`;
    } else if (flag.kind === 'texts') {
      const before = flags[flag.name];
      flags[flag.name] = [...(Array.isArray(before) ? before : []), String(value)];
    } else if (flag.kind === 'boolean' && typeof value === 'string') {
      throw new UsageError(`--${flag.name} takes no value.`);
    } else if (flag.kind === 'text' && flags[flag.name] !== undefined) {
      throw new UsageError(`--${flag.name} is given twice.`);
    } else flags[flag.name] = value;
  }

  const [least, most] = command.positionals ?? [0, 0];
  if (flags.help !== true && (positionals.length < least || positionals.length > most))
    throw new UsageError(
      positionals.length < least
        ? `access-conformance ${command.name} needs ${missingOf(command.usage, least, positionals.length)}.`
        : `${shown(positionals[most] ?? '')} is one argument too many.`,
      `access-conformance ${command.name} ${command.usage}`.trim(),
    );
  return { flags, settings: given, positionals };
};

const columns = (rows: readonly (readonly [string, string])[], width: number): string[] => {
  const left = Math.min(34, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.flatMap(([name, text]) => {
    const lines = wrapped(text, width - left - 4);
    const gap = ' '.repeat(left + 4);
    const first = name.length > left ? [`  ${name}`, `${gap}${lines[0]}`] : [`  ${name.padEnd(left)}  ${lines[0]}`];
    return [...first, ...lines.slice(1).map((rest) => gap + rest)];
  });
};

const exits = `Exit codes: ${exitCodes.conformant} conformant (or deviating in known ways), ${exitCodes['non-conformant']} not conformant, ${exitCodes.incomplete} could not be judged in full, ${exitCodes.usage} wrong usage or settings.`;

export const overview = (commands: readonly Command[], width: number): string =>
  [
    `${tool.name} ${tool.version}: does a deployment keep the access contract of its REST API?`,
    '',
    'Usage: access-conformance COMMAND [flags]',
    '',
    ...columns(
      commands.map((command) => [command.name, command.summary] as const),
      width,
    ),
    '',
    'First steps:',
    '  access-conformance run --reference      judge the embedded service, to see what a run gives',
    '  access-conformance init                 write a .env for your own deployment, then: access-conformance run',
    '',
    'access-conformance help COMMAND lists the flags of a command, help settings all settings.',
    exits,
    '',
  ].join('\n');

const valueNames: Readonly<Partial<Record<SettingEntry['kind'], string>>> = {
  integer: 'NUMBER',
  file: 'FILE',
  document: 'FILE|URL',
  files: 'FILE,…',
  folder: 'FOLDER',
  url: 'URL',
};

const valueNameOf = ({ kind, choices = [] }: SettingEntry): string =>
  kind === 'choice' ? choices.join('|') : (valueNames[kind] ?? 'TEXT');

export const helpOf = (command: Command, width: number): string => {
  const rows = flagsOf(command).map((flag) => {
    const entry = settingsTable.find((candidate: SettingEntry) => candidate.name === flag.setting);
    const name = flag.value ?? (entry ? valueNameOf(entry) : 'TEXT');
    const value = flag.kind === 'boolean' ? '' : flag.optional ? `[=${name}]` : ` ${name}`;
    const useful = entry === undefined || (command.uses?.includes(entry.group) ?? true);
    return { useful, setting: flag.setting !== undefined, row: [`--${flag.name}${value}`, flag.doc] as const };
  });
  const own = rows.filter(({ setting }) => !setting).map(({ row }) => row);
  const settings = rows.filter(({ setting, useful }) => setting && useful).map(({ row }) => row);
  return [
    `${command.summary}`,
    '',
    `Usage: access-conformance ${command.name} ${command.usage}`.trimEnd(),
    '',
    ...columns(own, width),
    ...(settings.length > 0
      ? [
          '',
          'Settings, which the environment and .env take as well (--base-url is BASE_URL there):',
          ...columns(settings, width),
          '',
          'Secrets (API_KEY, API_KEY_<SCHEME>, WEB_PASSWORD, WEB_PASSWORD_WITHOUT_KEY) come from the environment, .env or a file, never from a flag.',
        ]
      : []),
    ...(command.examples ? ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)] : []),
    '',
    ...(command.name === 'run' ? [exits, ''] : []),
  ].join('\n');
};
