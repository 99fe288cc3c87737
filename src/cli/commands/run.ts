import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCodes } from '../../engine/outcomes.js';
import type { RunRecord } from '../../engine/results.js';
import { visible } from '../../report/text.js';
import { readKeyPage } from '../../target/key-page.js';
import { describeOptions, readTarget } from '../../target/read-target.js';
import { readSettings, type Settings } from '../../target/settings.js';
import { flagOf } from '../../target/table.js';
import { type Arguments, type Command, type Context, textsFlag, UsageError } from '../command.js';
import { writeProposal } from '../deviations-proposal.js';
import { behaviourFlags, type Embedded, startEmbedded } from '../embedded.js';
import { keepHeapSmall } from '../heap.js';
import { contractOf, ofOneDeployment, shortPath } from '../judged.js';
import { deviationsOf } from '../known-deviations.js';
import { prepareReports } from '../prepare-reports.js';
import { progressOn } from '../progress.js';

/** Settings of a run: one's own deployment, or the embedded service. */
const settingsOf = (input: Arguments, { env, cwd }: Context, embedded: Embedded | undefined): Settings => {
  if (!embedded) {
    const needs = input.flags['key-page'] === true ? (['BASE_URL', 'KEY_PAGE_URL'] as const) : (['BASE_URL'] as const);
    return readSettings({ flags: input.settings, env, cwd, needs });
  }
  const foreign = Object.keys(input.settings).find((name) => name in embedded.settings && name !== 'CONTRACT');
  if (foreign)
    throw new UsageError(
      `--reference judges the embedded service, so ${flagOf(foreign)} has no place.`,
      'leave one of the two out',
    );
  const name = [embedded.variant, embedded.fault].flatMap((behaviour) => behaviour?.name ?? []).join(' + ');
  const fixed: Record<string, string | undefined> = Object.fromEntries(
    ofOneDeployment.filter((each) => !(each in input.settings)).map((each) => [each, undefined]),
  );
  Object.assign(fixed, { TARGET_NAME: `reference service${name ? ` (${name})` : ''}` }, embedded.settings);
  if (input.flags['key-page'] === true) Object.assign(fixed, embedded.pageSettings);
  return readSettings({ flags: input.settings, env, cwd, fixed, envFile: false });
};

const printed = async (record: RunRecord, input: Arguments, context: Context, settings: Settings): Promise<void> => {
  const { terminal, cwd, env } = context;
  const json = input.flags.json === true;
  const say = json ? terminal.err : terminal.out;
  const report = await import('../../report/write.js');
  const { explain } = await import('../../rules/explain.js');
  const paths = await report.writeReports(record, { dir: settings.values.REPORTS_DIR, explain, environment: env });
  const shown = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, shortPath(path, cwd)]),
  ) as unknown as typeof paths;
  if (input.flags.quiet === true) {
    const { verdictSentence } = await import('../../report/sentences.js');
    say(`${verdictSentence(record.results)}. ${shown.page}\n`);
  } else {
    const { consoleSummary } = await import('../../report/console.js');
    const decisive = await report.decisiveExchanges(record);
    say(consoleSummary(record.results, { color: terminal.color, width: terminal.width, decisive, paths: shown }));
  }
  if (env.GITHUB_ACTIONS === 'true') {
    const { githubAnnotations } = await import('../../report/annotations.js');
    for (const line of githubAnnotations(record.results)) say(`${line}\n`);
  }
  if (json) {
    const { resultsJson } = await import('../../report/results-file.js');
    for await (const piece of resultsJson(record)) terminal.out(piece);
  }
};

/** A run that was cut short is never a success, whatever it saw until then. */
const codeOf = ({ results }: RunRecord): number =>
  results.complete || results.verdict === 'non-conformant' ? exitCodes[results.verdict] : exitCodes.incomplete;

const judge = async (input: Arguments, context: Context, embedded: Embedded | undefined): Promise<number> => {
  const { terminal, signal, cwd } = context;
  const settings = settingsOf(input, context, embedded);
  const target = readTarget(settings);
  const contract = await contractOf(settings, target.paths, terminal);
  keepHeapSmall(contract.operations.length);
  const { runConformance } = await import('../../engine/run.js');
  const { checkSelectors, wholePlan } = await import('../selection.js');
  const { keyPageChecksOf } = await import('../key-page.js');
  const selectors = textsFlag(input, 'only').flatMap((text) => text.split(',').map((part) => part.trim()));
  if (selectors.length > 0) checkSelectors(selectors, wholePlan(contract, target));
  const only = selectors.length > 0 ? selectors : undefined;
  const known = await deviationsOf({ settings, contract, target, cwd });
  prepareReports(join(settings.values.REPORTS_DIR, 'conformance'));
  const proposal = input.flags['write-deviations'];
  const proposalPath =
    proposal === undefined || proposal === false
      ? undefined
      : resolve(cwd, proposal === true ? 'deviations.yaml' : String(proposal));
  if (proposalPath && existsSync(proposalPath))
    throw new UsageError(
      `${shortPath(proposalPath, cwd)} is there already, and is not overwritten.`,
      'name another file: --write-deviations=FILE',
    );

  const others = await keyPageChecksOf({
    contract,
    target,
    settings: input.flags['key-page'] === true ? readKeyPage(settings) : undefined,
    whyNot: 'The key page was not asked for; --key-page with KEY_PAGE_URL judges it.',
    only,
    signal,
    screenshotsDir: join(settings.values.REPORTS_DIR, 'conformance'),
  });
  if (!target.keys.API_KEY && Object.keys(target.keys).length === 0 && input.flags.quiet !== true)
    terminal.err(`${terminal.colours.yellow('No key was given')} (API_KEY), so what needs one cannot be judged.\n`);
  const stopping = (): void => terminal.err('\nStopping; what there is gets written. Ctrl-C again ends at once.\n');
  signal.addEventListener('abort', stopping, { once: true });
  const record = await runConformance({
    contract,
    target,
    options: describeOptions(settings),
    signal,
    ...(only ? { only } : {}),
    ...(others ? { others } : {}),
    ...(known ? { deviate: known.deviate } : {}),
    ...(settings.webPassword ? { secrets: [settings.webPassword] } : {}),
    ...(input.flags.quiet === true ? {} : { onProgress: progressOn(terminal) }),
  });
  terminal.status('');
  try {
    if (proposalPath) {
      await writeProposal(proposalPath, record.results.checks, target);
      terminal.err(
        `wrote ${shortPath(proposalPath, cwd)}; say in it why each deviation is accepted, then set DEVIATIONS to it\n`,
      );
    }
    await printed(record, input, context, settings);
  } finally {
    await record.dispose();
  }
  const stale = known?.stale(record.results.checks) ?? [];
  for (const line of stale) terminal.err(`${terminal.colours.red(`access-conformance: ${visible(line)}`)}\n`);
  return stale.length > 0 ? exitCodes.usage : codeOf(record);
};

export const run: Command = {
  name: 'run',
  summary: 'Judge a deployment, and write the reports.',
  usage: '[--base-url URL | --reference] [--only SELECTOR] [flags]',
  flags: [
    { name: 'reference', kind: 'boolean', doc: 'Judge the embedded service, started for this run on free ports.' },
    ...behaviourFlags,
    {
      name: 'only',
      kind: 'texts',
      value: 'SELECTOR',
      doc: 'Judge these alone: a clause (AUTH-3), a rule, a check (refuses-missing-key@listWorkouts), an operation (@listWorkouts); * stands for anything. May be given several times.',
    },
    { name: 'key-page', kind: 'boolean', doc: 'Judge the web page where a key is made too (KEY_PAGE_URL).' },
    { name: 'quiet', kind: 'boolean', doc: 'Print one line, the verdict.' },
    {
      name: 'json',
      kind: 'boolean',
      doc: 'Print results.json to the standard output, and all else to the error output.',
    },
    {
      name: 'write-deviations',
      kind: 'text',
      optional: true,
      value: 'FILE',
      doc: 'Propose a deviations file with every failed check; deviations.yaml when no name is given.',
    },
  ],
  takesSettings: true,
  positionals: [0, 0],
  examples: [
    'access-conformance run --reference',
    'API_KEY_FILE=key.txt access-conformance run --base-url https://api.example.com --strict',
    "access-conformance run --only AUTH-3 --only 'refuses-*@listWorkouts'",
  ],
  async run(input, context) {
    if (input.flags.reference !== true) {
      for (const name of ['fault', 'variant'])
        if (input.flags[name] !== undefined)
          throw new UsageError(`--${name} is for the embedded service.`, `add --reference`);
      return judge(input, context, undefined);
    }
    const embedded = await startEmbedded(input);
    try {
      return await judge(input, context, embedded);
    } finally {
      await embedded.service.close();
    }
  },
};
