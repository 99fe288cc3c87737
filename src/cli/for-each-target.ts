import { worstCode } from '../engine/outcomes.js';
import { visible } from '../report/text.js';
import { readEnvFile, targetsFileName } from '../settings/env-file.js';
import { readSettings, type Settings } from '../settings/settings.js';
import { forTargets } from '../settings/targets-file.js';
import { type Arguments, type Command, type Context, type Flags, textFlag, UsageError } from './command.js';

export const targetsFlag: Flags = {
  targets: { value: 'FILE', doc: 'Each deployment of a YAML file in turn, as run --targets (TARGETS_FILE).' },
};

/** The targets file: from the flag, or from TARGETS_FILE if no flag names one deployment. */
export const targetsNamed = (input: Arguments, { env, cwd }: Context): string | undefined =>
  textFlag(input, 'targets') ??
  (input.settings.BASE_URL !== undefined
    ? undefined
    : env[targetsFileName] || readEnvFile(cwd).values[targetsFileName] || undefined);

/** Makes a command for one deployment one for each of a targets file: the worst exit code counts. */
export const forEachTarget =
  (ofOne: (settings: Settings, input: Arguments, context: Context) => Promise<number>): Command['run'] =>
  async (input, context) => {
    const { env, cwd, terminal } = context;
    const given = { flags: input.settings, env, cwd, needs: ['BASE_URL'] } as const;
    const named = targetsNamed(input, context);
    if (named === undefined) return ofOne(readSettings(given), input, context);
    if (input.flags.json === true)
      throw new UsageError('--json is of one deployment, and --targets of several.', 'ask for one alone');
    const withDocuments: Context = { ...context, fetched: new Map() };
    const { done } = await forTargets(named, given, async (settings, { name }) => {
      terminal.out(`${terminal.colours.bold(visible(name))}\n\n`);
      const code = await ofOne(settings, input, withDocuments);
      terminal.out('\n');
      return code;
    });
    return worstCode(done);
  };
