import { nearestName } from '../did-you-mean.js';
import { tool } from '../package.js';
import { readArguments } from './arguments.js';
import { type Context, UsageError } from './command.js';
import { commandNames, loadCommand, loadCommands } from './commands/index.js';
import { helpOf, overview } from './help.js';
import { printFailure } from './print-failure.js';

const run = async (words: readonly string[], context: Context): Promise<number> => {
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
export const runApp = async (words: readonly string[], context: Context): Promise<number> => {
  try {
    return await run(words, context);
  } catch (error) {
    return printFailure(error, context);
  }
};
