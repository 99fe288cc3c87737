import { resolve } from 'node:path';
import { shortPath } from '../../app/output.js';
import { exitCodes } from '../../engine/outcomes.js';
import { comparisonTable } from '../../report/comparison-table.js';
import { prepareReports } from '../../report/prepare-reports.js';
import { capitalised, visible } from '../../report/text.js';
import { readSettings } from '../../settings/settings.js';
import { jsonText } from '../../visible.js';
import { type Command, textFlag, UsageError } from '../command.js';

const conditions = ['regressed', 'never'] as const;

export const compare: Command = {
  name: 'compare',
  summary: 'Set results of several runs beside each other, measured by the first.',
  usage: 'A/results.json B/results.json … [--fail-on regressed|never]',
  flags: [
    {
      name: 'fail-on',
      kind: 'text',
      value: conditions.join('|'),
      doc: 'Exit with 1 when a later run is worse than the first (regressed, the default), or never.',
    },
    {
      name: 'reports-dir',
      kind: 'text',
      value: 'FOLDER',
      doc: 'Folder that compare.html is written to (REPORTS_DIR).',
    },
    { name: 'json', kind: 'boolean', doc: 'Print the comparison as JSON.' },
  ],
  takesSettings: false,
  positionals: [2, 100],
  examples: ['access-conformance compare staging/results.json production/results.json'],
  async run(input, { env, cwd, terminal }) {
    const failOn = textFlag(input, 'fail-on') ?? 'regressed';
    if (!conditions.some((condition) => condition === failOn))
      throw new UsageError(`--fail-on is "${failOn}".`, `allowed: ${conditions.join(' or ')}`);
    // Only the reports folder is needed here; other settings in .env are for runs.
    const { REPORTS_DIR } = readSettings({
      flags: { REPORTS_DIR: textFlag(input, 'reports-dir') },
      env: { REPORTS_DIR: env.REPORTS_DIR },
      cwd,
      envFile: false,
    }).values;
    const { readResults } = await import('../../report/results-file.js');
    const { comparisonSentence, compareRuns, haveCommonChecks } = await import('../../report/compare.js');
    const { contractName } = await import('../../report/run-summary.js');
    const { writeComparison } = await import('../../report/write-comparison.js');
    const heads = [];
    for (const file of input.positionals) {
      const record = await readResults(resolve(cwd, file));
      heads.push(record.results);
      await record.dispose();
    }
    const comparison = compareRuns(heads);
    prepareReports(REPORTS_DIR);
    const page = shortPath(await writeComparison(comparison, REPORTS_DIR), cwd);
    // A comparison without common checks never succeeds.
    const well = haveCommonChecks(comparison.checks) ? exitCodes.conformant : exitCodes.incomplete;
    const code = comparison.regressed && failOn === 'regressed' ? 1 : well;
    const { bold, red, dim } = terminal.colours;
    const say = input.flags.json === true ? terminal.err : terminal.out;
    say(`${comparisonTable(comparison, terminal)}\n`);
    // The contract is printed where the runs differ in it or use overlays.
    const contracts = comparison.runs.map(({ summary }) => contractName(summary.contract));
    if (!comparison.sameContract || comparison.runs.some(({ summary }) => summary.contract.overlays !== undefined))
      for (const [at, { name }] of comparison.runs.entries())
        say(dim(`${visible(`${name}: judged against ${contracts[at]}`)}\n`));
    const names = comparison.runs.map(({ name }) => name);
    for (const { check, title, run, before, after, reason } of comparison.regressions.slice(0, 20)) {
      say(`${red('worse')} ${visible(`${check}  ${title}`)}\n`);
      say(
        `  ${visible(`${names[0]}: ${before ?? 'not judged'}, ${names[run]}: ${after ?? 'not judged'}. ${capitalised(reason)}`)}\n`,
      );
    }
    if (comparison.regressions.length > 20) say(dim(`… and ${comparison.regressions.length - 20} more in the page\n`));
    say(`${bold(visible(`${comparisonSentence(comparison)}.`))}\n${page}\n`);
    if (input.flags.json === true) {
      const { regressed, regressions, sameContract, clauses, checks, runs } = comparison;
      const shown = runs.map(({ name, baseUrl, startedAt, verdict, summary: { contract } }) => ({
        name,
        baseUrl,
        startedAt,
        verdict,
        contract,
      }));
      terminal.out(`${jsonText({ regressed, regressions, sameContract, runs: shown, clauses, checks }, 2)}\n`);
    }
    return code;
  },
};
