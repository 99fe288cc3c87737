import { nearestName } from '../../did-you-mean.js';
import { envExample } from '../../settings/env-example.js';
import { type Command, UsageError } from '../command.js';
import { helpOf, overview } from '../help.js';

/** @param all every command, this one among them */
export const helpOn = (all: () => readonly Command[]): Command => ({
  name: 'help',
  summary: 'List the commands, the flags of one, or all settings.',
  usage: '[COMMAND | settings]',
  flags: [],
  takesSettings: false,
  positionals: [0, 1],
  async run({ positionals: [topic] }, { terminal }) {
    const commands = all();
    if (topic === undefined) terminal.out(overview(commands, terminal.width));
    else if (topic === 'settings') terminal.out(envExample());
    else {
      const command = commands.find(({ name }) => name === topic);
      if (!command) {
        const meant = nearestName(topic, [...commands, { name: 'settings' }]);
        throw new UsageError(
          `there is no command "${topic}".`,
          meant ? `did you mean ${meant}?` : 'access-conformance help lists the commands',
        );
      }
      terminal.out(helpOf(command, terminal.width));
    }
    return 0;
  },
});
