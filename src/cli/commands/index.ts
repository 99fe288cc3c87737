import { didYouMean } from '../../names.js';
import { envExample } from '../../settings/env-file.js';
import { helpOf, overview } from '../arguments.js';
import { type Command, UsageError } from '../command.js';

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
  run: async () => (await import('./run.js')).run,
  doctor: async () => (await import('./doctor.js')).doctor,
  plan: async () => (await import('./plan.js')).plan,
  list: async () => (await import('./list.js')).list,
  explain: async () => (await import('./explain.js')).explain,
  judge: async () => (await import('./judge.js')).judge,
  baseline: async () => (await import('./baseline.js')).baseline,
  propose: async () => (await import('./propose.js')).propose,
  compare: async () => (await import('./compare.js')).compare,
  merge: async () => (await import('./merge.js')).merge,
  serve: async () => (await import('./serve.js')).serve,
  init: async () => (await import('./init.js')).init,
  help: async () => help,
};

/** The names of all commands, in the order of help. */
export const commandNames: readonly string[] = Object.keys(loaders);

export const loadCommand = async (name: string): Promise<Command | undefined> =>
  Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;

/** Every command, in the order of help. */
export const loadCommands = (): Promise<readonly Command[]> =>
  Promise.all(Object.values(loaders).map((load) => load()));
