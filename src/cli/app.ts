import { tmpdir } from 'node:os';
import { relative } from 'node:path';
import { exitCodes } from '../engine/outcomes.js';
import { isForUsers } from '../errors.js';
import { didYouMean, nearestName } from '../names.js';
import { tool } from '../package.js';
import { whyNot } from '../report/reports-folder.js';
import { envExample } from '../settings/env-file.js';
import { visibleLines } from '../visible.js';
import { type Command, type CommandContext, helpOf, overview, readArguments, UsageError } from './arguments.js';
import type { Terminal } from './terminal.js';

const help: Command = {
  name: 'help',
  summary: 'List the commands, the flags of one, or all settings.',
  usage: '[COMMAND | settings]',
  positionals: [0, 1],
  async run({ positionals: [topic] }, { terminal }) {
    if (topic === undefined) terminal.out(overview(await loadCommands(), terminal.width));
    else if (topic === 'settings') terminal.out(envExample());
    else {
      const command = await loadCommand(topic);
      if (!command)
        throw new UsageError(
          `there is no command "${topic}".`,
          didYouMean(topic, [...commandNames, 'settings'], 'access-conformance help lists the commands'),
        );
      terminal.out(helpOf(command, terminal.width));
    }
    return 0;
  },
};

/** Loads each command when it is named: most need a great part of the suite, and few the same. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.js')).run,
  doctor: async () => (await import('./commands/doctor.js')).doctor,
  plan: async () => (await import('./commands/plan.js')).plan,
  list: async () => (await import('./commands/list.js')).list,
  explain: async () => (await import('./commands/explain.js')).explain,
  judge: async () => (await import('./commands/judge.js')).judge,
  baseline: async () => (await import('./commands/baseline.js')).baseline,
  propose: async () => (await import('./commands/propose.js')).propose,
  compare: async () => (await import('./commands/compare.js')).compare,
  merge: async () => (await import('./commands/merge.js')).merge,
  serve: async () => (await import('./commands/serve.js')).serve,
  init: async () => (await import('./commands/init.js')).init,
  help: async () => help,
};

/** The names of all commands, in the order of help. */
export const commandNames: readonly string[] = Object.keys(loaders);

const loadCommand = async (name: string): Promise<Command | undefined> =>
  Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;

/** Every command, in the order of help. */
const loadCommands = (): Promise<readonly Command[]> => Promise.all(Object.values(loaders).map((load) => load()));

const run = async (words: readonly string[], context: CommandContext): Promise<number> => {
  const { terminal } = context;
  const [name, ...rest] = words;
  if (name === undefined)
    throw new UsageError(
      'a command is missing.',
      'access-conformance help lists them; access-conformance run --reference shows a run',
    );
  if (name === '--version' || name === '-v' || name === '-V') {
    terminal.out(`${tool.version}\n`);
    return 0;
  }
  if (name === '--help' || name === '-h') {
    terminal.out(overview(await loadCommands(), terminal.width));
    return 0;
  }
  const command = await loadCommand(name);
  if (!command) {
    const meant = nearestName(name, [...commandNames, '--help', '--version']);
    const what = name.startsWith('-') ? 'the command comes first' : `there is no command "${name}"`;
    throw new UsageError(
      `${what}.`,
      meant ? `did you mean access-conformance ${meant}?` : `the commands are ${commandNames.join(', ')}`,
    );
  }
  const input = readArguments(command, rest);
  if (input.flags.help === true) {
    terminal.out(helpOf(command, terminal.width));
    return 0;
  }
  return command.run(input, context);
};

/** Runs one command line and returns its exit code. It never rejects. */
export const runApp = async (words: readonly string[], context: CommandContext): Promise<number> => {
  try {
    return await run(words, context);
  } catch (error) {
    return printFailure(error, context);
  }
};

/** System calls that write a file or make a folder. */
const writing: ReadonlySet<string> = new Set(['open', 'write', 'mkdir', 'mkdtemp', 'rename', 'ftruncate', 'fsync']);

/** Whether a path is a temporary file of the suite. Errors of an open file have no path. */
const isAside = (path: string | undefined): boolean =>
  path === undefined || /^(?:access-conformance|reference-service)-/.test(relative(tmpdir(), path));

/** Why a file could not be written, and what to do; `undefined` for another error. */
const unwritten = (error: Error): Failure | undefined => {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === undefined || !writing.has(syscall)) return undefined;
  if (!isAside(path)) return { message: `cannot write ${path}: ${whyNot(error)}` };
  return {
    message: `cannot keep what was seen in ${tmpdir()}: ${whyNot(error)}`,
    hint: 'set TMPDIR to a folder that is there, with room; nothing was judged',
  };
};

type Failure = Pick<UsageError, 'message'> & Partial<Pick<UsageError, 'hint'>>;

const failureOf = (error: unknown): Failure => {
  if (error instanceof UsageError || isForUsers(error)) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  const file = error instanceof Error ? unwritten(error) : undefined;
  return (
    file ?? { message: message.split(/\r?\n/)[0] ?? '', hint: 'This is unexpected. DEBUG=1 shows where it happened.' }
  );
};

/** Prints what went wrong and what to do, with DEBUG the stack too, and returns the exit code. */
export const printFailure = (
  error: unknown,
  { env, terminal }: { env: Readonly<Record<string, string | undefined>>; terminal: Terminal },
): number => {
  const { message, hint } = failureOf(error);
  const say = (line: string): string => terminal.colours.red(`access-conformance: ${line}`);
  const text = visibleLines(message);
  terminal.err(text.includes('\n') ? `${say('this cannot be used as it is.')}\n\n${text}\n` : `${say(text)}\n`);
  if (hint) terminal.err(`  ${visibleLines(hint)}\n`);
  if (env.DEBUG && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
  return exitCodes.usage;
};
