import { join, resolve } from 'node:path';
import { exitCodes, worstCode } from '../engine/outcomes.js';
import { visible } from '../report/text.js';
import { ofOneDeployment } from '../target/deployment.js';
import { readSettings } from '../target/settings.js';
import { flagOf } from '../target/table.js';
import { nobodys, ofTarget, readTargets } from '../target/targets-file.js';
import { type Arguments, type Context, UsageError } from './command.js';
import { shortPath } from './judged.js';
import { judge, prepare } from './judging.js';

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
  const { REPORTS_DIR } = readSettings({ flags: input.settings, env, cwd, fixed: nobodys }).values;

  const prepared = [];
  for (const target of targets)
    prepared.push(
      await ofTarget(target, async () => {
        const settings = readSettings({
          flags: input.settings,
          env,
          cwd,
          fixed: { ...target.fixed, REPORTS_DIR: join(REPORTS_DIR, target.folder) },
          needs: input.flags['key-page'] === true ? ['KEY_PAGE_URL'] : [],
        });
        return prepare(settings, input, context);
      }),
    );

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
  if (files.length > 1) {
    const { compareWritten } = await import('../report/compare-written.js');
    const shown = (path: string): string => shortPath(path, cwd);
    terminal.out(`\n${await compareWritten(files, REPORTS_DIR, { color: terminal.color, shown })}`);
  }
  return worstCode(codes);
};
