import { worstCode } from '../engine/outcomes.js';
import { visible } from '../report/text.js';
import { readEnvFile, targetsFileName } from '../target/env-file.js';
import { forTargets } from '../target/targets-file.js';
import { type Arguments, type Command, type Context, type Flag, textFlag, UsageError } from './command.js';

/** For commands that look at the targets of a file one after the other. */
export const targetsFlag: Flag = {
  name: 'targets',
  kind: 'text',
  value: 'FILE',
  doc: 'Each deployment of a YAML file in turn, as run --targets (TARGETS_FILE).',
};

/** The targets file that was named: by the flag, or by TARGETS_FILE where no flag names one deployment. */
export const targetsNamed = (input: Arguments, { env, cwd }: Context): string | undefined =>
  textFlag(input, 'targets') ??
  (input.settings.BASE_URL !== undefined
    ? undefined
    : env[targetsFileName] || readEnvFile(cwd).values[targetsFileName] || undefined);

/**
 * Runs a command for each target of a file, its name as heading.
 * @returns the worst exit code
 */
export const forEachTarget = async (
  command: Command,
  named: string,
  input: Arguments,
  context: Context,
): Promise<number> => {
  const { env, cwd, terminal } = context;
  if (input.flags.json === true)
    throw new UsageError('--json is of one deployment, and --targets of several.', 'ask for one alone');
  const { done } = await forTargets(named, { flags: input.settings, env, cwd }, async (_settings, { name, fixed }) => {
    terminal.out(`${terminal.colours.bold(visible(name))}\n\n`);
    const code = await command.run(input, { ...context, fixed });
    terminal.out('\n');
    return code;
  });
  return worstCode(done);
};
