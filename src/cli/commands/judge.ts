import { dirname, resolve } from 'node:path';
import { exitCodeOf } from '../../engine/outcomes.js';
import { shortPath } from '../../package.js';
import { readResults } from '../../report/results-file.js';
import { contractName, verdictSentence } from '../../report/run-summary.js';
import { jsonText, visible } from '../../visible.js';
import { counted } from '../../words.js';
import { type Command, recordedContractFlags, textFlag, UsageError } from '../arguments.js';
import { contractRecordedIn } from '../selection.js';

const mostShown = 50;

export const judge: Command = {
  name: 'judge',
  summary: 'Judge a recorded run again with today’s rules, offline, and say what changed.',
  usage: 'results.json [--contract FILE] [--reports-dir FOLDER]',
  flags: {
    ...recordedContractFlags,
    'reports-dir': { value: 'FOLDER', doc: 'Write the reports anew to this folder; none are written without it.' },
    json: { doc: 'Print verdict and changes as JSON.' },
  },
  positionals: [1, 1],
  examples: ['access-conformance judge reports/conformance/results.json'],
  async run(input, { cwd, env, terminal }) {
    const [file = ''] = input.positionals;
    const { judgeAgain, RecordingError } = await import('../../engine/judge-again.js');
    const path = resolve(cwd, file);
    const recorded = await readResults(path);
    try {
      const contract = await contractRecordedIn(recorded, input, { cwd, env, beside: dirname(path) });
      const { record, changes } = await judgeAgain(recorded, contract);
      const { results } = record;
      const json = input.flags.json === true;
      const say = json ? terminal.err : terminal.out;
      const { bold, dim } = terminal.colours;
      for (const { check, title, before = 'not judged', after = 'not judged', reason } of changes.slice(0, mostShown)) {
        say(`${bold(visible(check))}  ${visible(title)}\n`);
        const change = before === after ? `${before}, for another reason` : `${before}, now ${after}`;
        say(`  ${change}: ${visible(reason)}\n`);
      }
      if (changes.length > mostShown) say(dim(`… and ${changes.length - mostShown} more\n`));
      const { version } = recorded.results.tool;
      const by =
        version === results.tool.version
          ? `the same version, ${version}`
          : `${results.tool.version}; it was judged by ${version}`;
      say(
        changes.length === 0
          ? `Nothing changed: ${counted(results.checks.length, 'check')} judged again by ${by}.\n`
          : `${counted(changes.length, 'check')} of ${results.checks.length} changed, judged again by ${by}.\n`,
      );
      say(`${bold(visible(`${verdictSentence(results)}.`))}\n`);
      say(`Judged against ${visible(contractName(results.contract))}.\n`);
      const dir = textFlag(input, 'reports-dir');
      if (dir !== undefined) {
        const { writeReports } = await import('../../report/write.js');
        const { explain } = await import('../../rules/index.js');
        const { page } = await writeReports(record, { dir: resolve(cwd, dir), explain, environment: env });
        say(`${shortPath(page, cwd)}\n`);
      }
      if (json) terminal.out(`${jsonText({ verdict: results.verdict, contract: results.contract, changes }, 2)}\n`);
      return exitCodeOf(results);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      throw new UsageError(
        `${file} cannot be judged again: ${error.message}`,
        'give all shards of a run the same ACCESS_CONFORMANCE_SEED, the number of the pipeline for instance',
      );
    } finally {
      await recorded.dispose();
    }
  },
};
