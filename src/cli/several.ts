import { join, resolve } from 'node:path';
import { exitCodes } from '../engine/outcomes.js';
import { visible } from '../report/text.js';
import { readSettings, SettingsError } from '../target/settings.js';
import { flagOf } from '../target/table.js';
import { type Arguments, type Context, UsageError } from './command.js';
import { ofOneDeployment, shortPath } from './judged.js';
import { judge, prepare } from './judging.js';
import { matrixOf } from './matrix.js';
import { readTargets, TargetsError } from './targets-file.js';

/** The worst first: what nobody can rely on, then what is broken, then what is open. */
const worstFirst = [exitCodes.usage, exitCodes['non-conformant'], exitCodes.incomplete, exitCodes.conformant];

/** What speaks of one deployment, or prints one result, has no place beside several. */
const refuseOnesOwn = ({ settings, flags }: Arguments): void => {
  const own = Object.keys(settings).find(
    (name) =>
      ofOneDeployment.some((each) => each === name) &&
      !['CONTRACT', 'OVERLAY', 'PARAMETERS', 'CA_FILE', 'INSECURE_TLS'].includes(name),
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
  const targets = readTargets(resolve(cwd, named), { shown: named, env, cwd });
  const nobodys = Object.fromEntries(ofOneDeployment.map((name) => [name, undefined]));
  const { REPORTS_DIR } = readSettings({ flags: input.settings, env, cwd, fixed: nobodys }).values;

  const prepared = [];
  for (const { name, folder, position, fixed } of targets) {
    try {
      const settings = readSettings({
        flags: input.settings,
        env,
        cwd,
        fixed: { ...fixed, REPORTS_DIR: join(REPORTS_DIR, folder) },
        needs: input.flags['key-page'] === true ? ['KEY_PAGE_URL'] : [],
      });
      prepared.push(await prepare(settings, input, context));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      throw new TargetsError([`${position} the target ${name}:`, error.message]);
    }
  }

  const { bold } = terminal.colours;
  const codes: number[] = [];
  const files: string[] = [];
  for (const [index, each] of prepared.entries()) {
    if (signal.aborted) {
      codes.push(exitCodes.incomplete);
      break;
    }
    terminal.out(`${index === 0 ? '' : '\n'}${bold(visible(each.target.name))}\n`);
    const { code, results } = await judge(each, input, context);
    codes.push(code);
    files.push(results);
  }
  if (files.length > 1) terminal.out(`\n${await compared(files, REPORTS_DIR, context)}`);
  return worstFirst.find((code) => codes.includes(code)) ?? exitCodes.incomplete;
};

/** Writes the matrix, and says what differs and where it is. */
const compared = async (files: readonly string[], dir: string, { cwd, terminal }: Context): Promise<string> => {
  const { readResults } = await import('../report/results-file.js');
  const { comparisonSentence, compareRuns } = await import('../report/compare.js');
  const { writeComparison } = await import('../report/write-comparison.js');
  const heads = [];
  for (const file of files) {
    const record = await readResults(file);
    heads.push(record.results);
    await record.dispose();
  }
  const comparison = compareRuns(heads);
  const page = await writeComparison(comparison, dir);
  return `${matrixOf(comparison, terminal)}\n${visible(comparisonSentence(comparison))}.\nCompared  ${shortPath(page, cwd)}\n`;
};
