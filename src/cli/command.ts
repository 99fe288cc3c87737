import type { Fetched } from '../app/load-contract.js';
import type { SettingEntry } from '../settings/table.js';
import type { Terminal } from './terminal.js';

/** A flag of a command that is no setting; settings are flags by themselves. */
export interface Flag {
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
export interface Context {
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
  run(input: Arguments, context: Context): Promise<number>;
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
