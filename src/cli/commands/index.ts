import { nearestName } from '../../did-you-mean.js';
import { envExample } from '../../settings/env-example.js';
import { type Command, UsageError } from '../command.js';
import { helpOf, overview } from '../help.js';
import { baseline } from './baseline.js';
import { compare } from './compare.js';
import { doctor } from './doctor.js';
import { explain } from './explain.js';
import { init } from './init.js';
import { judge } from './judge.js';
import { list } from './list.js';
import { merge } from './merge.js';
import { plan } from './plan.js';
import { propose } from './propose.js';
import { run } from './run.js';
import { serve } from './serve.js';

const help: Command = {
  name: 'help',
  summary: 'List the commands, the flags of one, or all settings.',
  usage: '[COMMAND | settings]',
  positionals: [0, 1],
  async run({ positionals: [topic] }, { terminal }) {
    if (topic === undefined) terminal.out(overview(commands, terminal.width));
    else if (topic === 'settings') terminal.out(envExample());
    else {
      const command = commands.find(({ name }) => name === topic);
      if (!command) {
        const meant = nearestName(topic, [...commands, 'settings']);
        throw new UsageError(
          `there is no command "${topic}".`,
          meant ? `did you mean ${meant}?` : 'access-conformance help lists the commands',
        );
      }
      terminal.out(helpOf(command, terminal.width));
    }
    return 0;
  },
};

/** Every command, in the order of help. */
export const commands: readonly Command[] = [
  run,
  doctor,
  plan,
  list,
  explain,
  judge,
  baseline,
  propose,
  compare,
  merge,
  serve,
  init,
  help,
];
