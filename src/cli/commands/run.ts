import { readSettings, type Settings } from '../../settings/settings.js';
import { deploymentSettings, flagOf } from '../../settings/table.js';
import { type Arguments, type Command, type CommandContext, UsageError } from '../arguments.js';
import { behaviourFlags, type Embedded, startEmbedded } from '../embedded-service.js';
import { targetsNamed } from '../selection.js';

const notWithReference = (flag: string): UsageError =>
  new UsageError(`--reference judges the embedded service, so ${flag} has no place.`, 'leave one of the two out');

/** The settings of a run of the user's deployment or of the embedded service. */
const settingsForRun = (input: Arguments, { env, cwd }: CommandContext, embedded: Embedded | undefined): Settings => {
  if (!embedded) {
    const needs = input.flags['key-page'] === true ? (['BASE_URL', 'KEY_PAGE_URL'] as const) : (['BASE_URL'] as const);
    return readSettings({ flags: input.settings, env, cwd, needs });
  }
  const foreign = Object.keys(input.settings).find((name) => name in embedded.settings && name !== 'CONTRACT');
  if (foreign) throw notWithReference(flagOf(foreign));
  const name = [embedded.variant, embedded.fault].flatMap((behaviour) => behaviour?.name ?? []).join(' + ');
  const fixed: Record<string, string | undefined> = Object.fromEntries(
    deploymentSettings.filter((each) => !(each in input.settings)).map((each) => [each, undefined]),
  );
  Object.assign(fixed, { TARGET_NAME: `reference service${name ? ` (${name})` : ''}` }, embedded.settings);
  if (input.flags['key-page'] === true) Object.assign(fixed, embedded.pageSettings);
  return readSettings({ flags: input.settings, env: { ...env, ...embedded.variables }, cwd, fixed, envFile: false });
};

const judgeOne = async (input: Arguments, context: CommandContext, embedded?: Embedded): Promise<number> => {
  const settings = settingsForRun(input, context, embedded);
  const { judgeTarget, prepareTarget } = await import('../judge-target.js');
  const { code } = await judgeTarget(await prepareTarget(settings, input, context), input, context);
  return code;
};

export const run: Command = {
  name: 'run',
  summary: 'Judge a deployment, and write the reports.',
  usage: '[--base-url URL | --reference | --targets FILE] [--only SELECTOR] [flags]',
  flags: {
    reference: { doc: 'Judge the embedded service, started for this run on free ports.' },
    ...behaviourFlags,
    only: {
      value: 'SELECTOR',
      repeats: true,
      doc: 'Judge these alone: a clause (AUTH-3), a rule, either of them at one operation (AUTH-3@listWorkouts), an operation (@listWorkouts); * stands for anything. May be given several times.',
    },
    targets: {
      value: 'FILE',
      doc: 'Judge the deployments of a YAML file one after the other, a reports folder each, and set them beside each other (TARGETS_FILE).',
    },
    resume: { doc: 'Go on where a run of this target was cut short (Ctrl-C, MAX_REQUESTS, a crash).' },
    'key-page': { doc: 'Judge the web page where a key is made too (KEY_PAGE_URL).' },
    quiet: { doc: 'Print one line, the verdict.' },
    json: { doc: 'Print results.json to the standard output, and all else to the error output.' },
    'write-deviations': {
      optional: true,
      value: 'FILE',
      doc: 'Propose a deviations file with every failed check; deviations.yaml when no name is given.',
    },
  },
  takesSettings: true,
  examples: [
    'access-conformance run --reference',
    'API_KEY_FILE=key.txt access-conformance run --base-url https://api.example.com --strict',
    "access-conformance run --only AUTH-3 --only 'refuses-*@listWorkouts'",
  ],
  async run(input, context) {
    if (input.flags.reference !== true) {
      for (const name of ['demo', 'fault', 'variant'])
        if (input.flags[name] !== undefined)
          throw new UsageError(`--${name} is for the embedded service.`, `add --reference`);
      const targets = targetsNamed(input, context);
      if (targets === undefined) return judgeOne(input, context);
      const { judgeTargets } = await import('../judge-target.js');
      return judgeTargets(targets, input, context);
    }
    if (input.flags.targets !== undefined) throw notWithReference('--targets');
    if (input.flags.resume === true) throw notWithReference('--resume');
    const embedded = await startEmbedded(input);
    try {
      return await judgeOne(input, context, embedded);
    } finally {
      await embedded.service.close();
    }
  },
};
