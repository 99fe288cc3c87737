import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { stringify } from 'yaml';
import { concludeTargets, type TargetResults } from '../app/conclude.js';
import { foreseenContract, type PreparedRun, planWithoutKeys, prepareRun } from '../app/prepare.js';
import { keepEvidence } from '../app/resume.js';
import { judgePrepared } from '../app/run.js';
import { planSize } from '../engine/budget/plan-size.js';
import { keyPageChecks } from '../engine/key-page.js';
import { exitCodes, isBroken, worstCode } from '../engine/outcomes.js';
import type { Finding, RunRecord } from '../engine/results.js';
import { operationForKeys } from '../keypage/key/try-key.js';
import { shortPath } from '../package.js';
import { prepareReports } from '../report/reports-folder.js';
import type { Settings } from '../settings/settings.js';
import { deploymentSettings, flagOf } from '../settings/table.js';
import { forTargets } from '../settings/targets-file.js';
import { keyEndWarning } from '../settings/value-parsers.js';
import { visible } from '../visible.js';
import { clip } from '../words.js';
import { type Arguments, type CommandContext, UsageError } from './arguments.js';
import { writeNew } from './files.js';
import { checkSelectors, printNearMisses, requestingChecks, selectorsOf } from './selection.js';
import { progressOn } from './terminal.js';

/** Operations from which memory matters, and from which it matters more than time. */
const many = 500;
const veryMany = 5_000;

/**
 * Bytes of code that a function runs before V8 compiles it for speed: seven times the default, with
 * which a fifth of a run's processor time goes into compiling.
 */
const interruptBudget = 500_000;

/**
 * Sets V8 up for a run over so many operations, in a process of the suite. Garbage is collected
 * when the heap has doubled, or sooner: by default it would grow to several times its size.
 */
export const setV8Flags = (operations: number): void => {
  setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
  if (operations > many) setFlagsFromString(`--heap-growing-percent=${operations > veryMany ? 15 : 100}`);
};

/** Proposes a deviations file with every broken check. The reasons are for a person to write. */
export const proposalOf = (findings: readonly Finding[], { strict }: { readonly strict: boolean }): string => {
  const entries = findings
    .filter(({ outcome, deviation }) => isBroken(outcome, strict) && !deviation)
    .map(({ id, title, reason }) => {
      const said = clip(visible(`${title}: ${reason}`), 200);
      return `# ${said}\n${stringify([{ check: id, reason: '' }])}`;
    });
  return [
    '# Known deviations. Say why each one is known and accepted: an entry without a reason is refused.',
    '# Optional: expires (a date) and link. A * in place of an operation stands for all of them.',
    ...entries,
  ].join('\n');
};

export interface TargetRun {
  readonly prepared: PreparedRun;
  readonly only: readonly string[] | undefined;
  readonly proposalPath: string | undefined;
}

/**
 * Prepares the run of one target. Sends nothing.
 * @throws errors for users, for everything that can be wrong before a run
 */
export const prepareTarget = async (
  settings: Settings,
  input: Arguments,
  context: CommandContext,
): Promise<TargetRun> => {
  const { terminal, cwd, fetched } = context;
  const prepared = await prepareRun(settings, { cwd, warn: terminal.warn, fetched });
  const { contract, target } = prepared;
  setV8Flags(contract.operations.length);
  const selectors = selectorsOf(input);
  const planned = planWithoutKeys(contract, target);
  checkSelectors(selectors, [...planned, ...keyPageChecks(contract, prepared.rules)]);
  const size = planSize(requestingChecks(planned, selectors), foreseenContract(contract, target).operations, target);
  if (size.warning !== undefined) terminal.warn(size.warning);
  for (const [name, key] of Object.entries(target.keys)) {
    const warning = keyEndWarning(key, size.seconds);
    if (warning !== undefined) terminal.warn(`${name}: ${warning}`);
  }
  prepareReports(join(settings.values.REPORTS_DIR, 'conformance'));
  if (input.flags['key-page'] === true && !operationForKeys(contract))
    throw new UsageError(
      'the contract has no operation on which a key from the key page could be tried.',
      'run without --key-page',
    );
  return { prepared, only: selectors.length > 0 ? selectors : undefined, proposalPath: proposalPathOf(input, cwd) };
};

/** @throws {UsageError} if the file exists: it may hold reasons that a person wrote */
const proposalPathOf = ({ flags }: Arguments, cwd: string): string | undefined => {
  const named = flags['write-deviations'];
  if (named === undefined || named === false) return undefined;
  const path = resolve(cwd, named === true ? 'deviations.yaml' : String(named));
  if (existsSync(path))
    throw new UsageError(
      `${shortPath(path, cwd)} is there already, and is not overwritten.`,
      'name another file: --write-deviations=FILE',
    );
  return path;
};

export interface TargetVerdict {
  readonly code: number;
  readonly results: RunRecord['results'];
}

export const judgeTarget = async (
  { prepared, only, proposalPath }: TargetRun,
  { flags }: Arguments,
  { terminal, signal, cwd, env }: CommandContext,
): Promise<TargetVerdict> => {
  const { target, settings } = prepared;
  const quiet = flags.quiet === true;
  const asksForKeys = prepared.contract.schemes.length > 0;
  if (asksForKeys && Object.keys(target.keys).length === 0 && prepared.origins.size === 0 && !quiet) {
    const [near] = settings.mistakenFor('API_KEY');
    const meant = near === undefined ? '' : ` The environment has ${visible(near)}: did you mean API_KEY?`;
    const none = terminal.colours.yellow('No key was given');
    terminal.err(`${none} (API_KEY), so what needs one cannot be judged.${meant}\n`);
  }
  printNearMisses(settings, terminal);
  const isKept = flags.reference !== true;
  const { evidence, words } = await keepEvidence(prepared, { only, env, isKept, resume: flags.resume === true });
  if (words !== undefined && !quiet) terminal.err(`${words}\n`);
  const sayStopping = (): void => terminal.err('\nStopping; what there is gets written. Ctrl-C again ends at once.\n');
  signal.addEventListener('abort', sayStopping, { once: true });
  const judging = judgePrepared(prepared, {
    only,
    signal,
    keyPage: {
      isAsked: flags['key-page'] === true,
      notAsked: 'The key page was not asked for; --key-page with KEY_PAGE_URL judges it.',
    },
    evidence,
    onProgress: quiet ? undefined : progressOn(terminal),
  });
  // The code of reports is loaded while the first answers are awaited.
  const [run, { concludeRun }] = await Promise.all([judging, import('../app/conclude.js')]);
  signal.removeEventListener('abort', sayStopping);
  terminal.status('');
  if (evidence?.isOpen && !quiet)
    terminal.err('Cut short: access-conformance run --resume goes on where this run was.\n');
  const { results } = run.record;
  try {
    const { REPORTS_DIR: reportsDir, HISTORY: history } = settings.values;
    const json = flags.json === true;
    const code = await concludeRun(run, { reportsDir, history, cwd, env, quiet, json, annotate: true }, terminal);
    if (proposalPath) {
      await writeNew(proposalPath, proposalOf(results.checks, target));
      const file = shortPath(proposalPath, cwd);
      terminal.err(`wrote ${file}; say in it why each deviation is accepted, then set DEVIATIONS to it\n`);
    }
    return { code, results };
  } finally {
    await run.record.dispose();
  }
};

/** @throws {UsageError} for flags that speak of one deployment, or print one result */
const refuseFlagsOfOne = ({ settings, flags }: Arguments): void => {
  const own = Object.keys(settings).find(
    (name) =>
      deploymentSettings.some((each) => each === name) &&
      !['CONTRACT', 'OVERLAY', 'REF_ROOT', 'PARAMETERS', 'CA_FILE', 'INSECURE_TLS'].includes(name),
  );
  const flag = own
    ? flagOf(own)
    : ['json', 'write-deviations'].filter((name) => flags[name] !== undefined).map((name) => `--${name}`)[0];
  if (flag)
    throw new UsageError(
      `${flag} is of one deployment, and --targets of several.`,
      own ? 'put it into the targets file' : 'judge one alone',
    );
};

/**
 * Judges the deployments of a targets file one after the other, writes the reports of each, and
 * compares them. All are prepared before a request is sent, so that wrong settings end the run.
 * @returns the worst exit code
 */
export const judgeTargets = async (named: string, input: Arguments, context: CommandContext): Promise<number> => {
  const { env, cwd, terminal, signal } = context;
  refuseFlagsOfOne(input);
  const needs = input.flags['key-page'] === true ? (['KEY_PAGE_URL'] as const) : [];
  const withDocuments: CommandContext = { ...context, fetched: new Map() };
  const { reportsDir, done: prepared } = await forTargets(
    named,
    { flags: input.settings, env, cwd, needs },
    (settings) => prepareTarget(settings, input, withDocuments),
  );

  const { bold } = terminal.colours;
  const codes: number[] = [];
  const judged: TargetResults[] = [];
  for (const [index, each] of prepared.entries()) {
    if (signal.aborted) {
      codes.push(exitCodes.incomplete);
      break;
    }
    terminal.out(`${index === 0 ? '' : '\n'}${bold(visible(each.prepared.target.name))}\n`);
    const { code, results } = await judgeTarget(each, input, context);
    codes.push(code);
    judged.push({ results, reportsDir: each.prepared.settings.values.REPORTS_DIR });
  }
  await concludeTargets(judged, { reportsDir, cwd }, terminal);
  return worstCode(codes);
};
