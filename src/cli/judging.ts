import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Contract } from '../contract/model.js';
import type { Journal } from '../engine/journal.js';
import { exitCodeWith } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import type { OtherChecks } from '../engine/run.js';
import { prepareReports } from '../report/prepare-reports.js';
import { reportNames } from '../report/report-names.js';
import { visible } from '../report/text.js';
import { readKeyPage, revokedKeyWarning } from '../settings/key-page.js';
import { describeOptions, readTarget, unusedInResolve } from '../settings/read-target.js';
import { otherSecrets, type Settings } from '../settings/settings.js';
import type { Target } from '../settings/target.js';
import { type Arguments, type Context, textsFlag, UsageError } from './command.js';
import { writeProposal } from './deviations-proposal.js';
import { keepHeapSmall } from './heap.js';
import { contractOf, shortPath } from './judged.js';
import { deviationsOf, type KnownDeviations } from './known-deviations.js';
import { progressOn } from './progress.js';

/** Writes and prints the reports. */
const printed = async (
  record: RunRecord,
  input: Arguments,
  context: Context,
  { settings, stale }: { readonly settings: Settings; readonly stale: readonly string[] },
): Promise<void> => {
  const { terminal, cwd, env } = context;
  const json = input.flags.json === true;
  const say = json ? terminal.err : terminal.out;
  const report = await import('../report/write.js');
  const { explain } = await import('../rules/explain.js');
  const paths = await report.writeReports(record, {
    dir: settings.values.REPORTS_DIR,
    explain,
    environment: env,
    stale,
  });
  const shown = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, shortPath(path, cwd)]),
  ) as unknown as typeof paths;
  if (input.flags.quiet === true) {
    const { verdictSentence } = await import('../report/sentences.js');
    say(`${verdictSentence(record.results)}. ${shown.page}\n`);
  } else {
    const { consoleSummary } = await import('../report/console.js');
    const decisive = await report.decisiveExchanges(record);
    say(consoleSummary(record.results, { color: terminal.color, width: terminal.width, decisive, paths: shown }));
  }
  if (env.GITHUB_ACTIONS === 'true') {
    const { githubAnnotations } = await import('../report/annotations.js');
    for (const line of githubAnnotations(record.results, { cwd, workspace: env.GITHUB_WORKSPACE || cwd }))
      say(`${line}\n`);
  }
  if (json) {
    const { resultsJson } = await import('../report/results-file.js');
    for await (const piece of resultsJson(record)) terminal.out(piece);
  }
};

/** One deployment, its contract and what is asked of it: everything that can be found wrong before a request is sent has been. */
interface Prepared {
  readonly settings: Settings;
  readonly target: Target;
  readonly contract: Contract;
  readonly only: readonly string[] | undefined;
  readonly known: KnownDeviations | undefined;
  readonly others: OtherChecks | undefined;
  readonly proposalPath: string | undefined;
  /** Settings whose keys were put an end to by the key page's action, once it was pressed. */
  readonly ended: readonly string[];
}

/**
 * Reads what a run needs, and sends nothing.
 * @throws errors for people: settings, contract, selectors, deviations, a folder that cannot be written
 */
export const prepare = async (settings: Settings, input: Arguments, context: Context): Promise<Prepared> => {
  const { terminal, signal, cwd } = context;
  const target = readTarget(settings);
  for (const entry of unusedInResolve(settings, target))
    terminal.err(
      `${terminal.colours.yellow('warning')} RESOLVE: ${visible(entry)} is for no host and port that BASE_URL or HTTP_BASE_URL names\n`,
    );
  const contract = await contractOf(settings, target.paths, terminal);
  keepHeapSmall(contract.operations.length);
  const { checkSelectors, wholePlan } = await import('./selection.js');
  const { keyPageChecksOf } = await import('./key-page.js');
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

  const ended: string[] = [];
  const others = await keyPageChecksOf({
    contract,
    target,
    onEnded: (names) => void ended.push(...names),
    settings: input.flags['key-page'] === true ? readKeyPage(settings) : undefined,
    whyNot: 'The key page was not asked for; --key-page with KEY_PAGE_URL judges it.',
    only,
    signal,
    screenshotsDir: join(settings.values.REPORTS_DIR, 'conformance'),
  });
  return { settings, target, contract, only, known, others, proposalPath, ended };
};

interface Judged {
  readonly code: number;
  readonly results: RunRecord['results'];
}

/** Judges a deployment, writes and prints its reports, and gives the exit code and its results without exchanges. */
export const judge = async (prepared: Prepared, input: Arguments, context: Context): Promise<Judged> => {
  const { watchdog, cwd } = context;
  if (!watchdog) return judgeTold(prepared, input, context);
  const { Journal } = await import('../engine/journal.js');
  const dir = resolve(cwd, prepared.settings.values.REPORTS_DIR);
  const journal = new Journal();
  const shown = visible(shortPath(join(dir, 'conformance', reportNames.results), cwd));
  watchdog.keep({ journal: journal.descriptor, dir, shown });
  try {
    return await judgeTold(prepared, input, context, journal);
  } finally {
    watchdog.keep(undefined);
    journal.close();
  }
};

const judgeTold = async (
  { settings, target, contract, only, known, others, proposalPath, ended }: Prepared,
  input: Arguments,
  context: Context,
  journal?: Journal,
): Promise<Judged> => {
  const { terminal, signal, cwd } = context;
  const { runConformance } = await import('../engine/run.js');
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
    ...(journal ? { journal } : {}),
    secrets: otherSecrets(settings),
    ...(input.flags.quiet === true ? {} : { onProgress: progressOn(terminal) }),
  });
  signal.removeEventListener('abort', stopping);
  terminal.status('');
  const stale = known?.stale(record.results.checks) ?? [];
  try {
    await printed(record, input, context, { settings, stale });
    if (proposalPath) {
      await writeProposal(proposalPath, record.results.checks, target);
      terminal.err(
        `wrote ${shortPath(proposalPath, cwd)}; say in it why each deviation is accepted, then set DEVIATIONS to it\n`,
      );
    }
  } finally {
    await record.dispose();
  }
  for (const name of ended) terminal.err(`${terminal.colours.red(revokedKeyWarning(name))}\n`);
  for (const line of stale) terminal.err(`${terminal.colours.red(`access-conformance: ${visible(line)}`)}\n`);
  return { code: exitCodeWith(record.results, stale), results: record.results };
};
