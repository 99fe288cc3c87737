import { concludeTargets, type TargetResults } from '../app/conclude.js';
import { exitCodes, worstCode } from '../engine/outcomes.js';
import { visible } from '../report/text.js';
import { deploymentSettings, flagOf } from '../settings/table.js';
import { forTargets } from '../settings/targets-file.js';
import { type Arguments, type Context, UsageError } from './command.js';
import { judgeTarget, prepareTarget } from './judge-target.js';

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
export const judgeTargets = async (named: string, input: Arguments, context: Context): Promise<number> => {
  const { env, cwd, terminal, signal } = context;
  refuseFlagsOfOne(input);
  const needs = input.flags['key-page'] === true ? (['KEY_PAGE_URL'] as const) : [];
  const withDocuments: Context = { ...context, fetched: new Map() };
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
