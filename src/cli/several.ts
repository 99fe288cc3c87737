import { exitCodes, worstCode } from '../engine/outcomes.js';
import type { RunHead } from '../report/sentences.js';
import { visible } from '../report/text.js';
import { deploymentSettings } from '../settings/deployment-settings.js';
import { flagOf } from '../settings/table.js';
import { forTargets } from '../settings/targets-file.js';
import { type Arguments, type Context, UsageError } from './command.js';
import { shortPath } from './judged.js';
import { judge, prepare } from './judging.js';

/** What speaks of one deployment, or prints one result, has no place beside several. */
const refuseOnesOwn = ({ settings, flags }: Arguments): void => {
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
 * Judges the deployments of a targets file one after the other, each to a folder of its own below REPORTS_DIR, and writes the matrix.
 * Whatever can be found wrong with any of them is told before a request is sent to the first.
 * @returns the worst exit code
 */
export const judgeTargets = async (named: string, input: Arguments, context: Context): Promise<number> => {
  const { env, cwd, terminal, signal } = context;
  refuseOnesOwn(input);
  const needs = input.flags['key-page'] === true ? (['KEY_PAGE_URL'] as const) : [];
  const { reportsDir, done: prepared } = await forTargets(
    named,
    { flags: input.settings, env, cwd, needs },
    (settings) => prepare(settings, input, context),
  );

  const { bold } = terminal.colours;
  const codes: number[] = [];
  const heads: RunHead[] = [];
  for (const [index, each] of prepared.entries()) {
    if (signal.aborted) {
      codes.push(exitCodes.incomplete);
      break;
    }
    terminal.out(`${index === 0 ? '' : '\n'}${bold(visible(each.target.name))}\n`);
    const { code, results } = await judge(each, input, context);
    codes.push(code);
    heads.push(results);
  }
  if (heads.length > 1) {
    const { compareTargets } = await import('../report/compare-targets.js');
    const shown = (path: string): string => shortPath(path, cwd);
    terminal.out(`\n${await compareTargets(heads, reportsDir, { color: terminal.color, shown })}`);
  }
  return worstCode(codes);
};
