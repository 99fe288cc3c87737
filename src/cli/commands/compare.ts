import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { exitCodes } from '../../engine/outcomes.js';
import { shortPath } from '../../package.js';
import { compareRuns, comparisonSentence, haveCommonChecks } from '../../report/compare.js';
import { causesSentence } from '../../report/compared-causes.js';
import { comparisonTable } from '../../report/console.js';
import { driftWords } from '../../report/describe-finding.js';
import { prepareReports, reportNames } from '../../report/reports-folder.js';
import { readResults } from '../../report/results-file.js';
import { contractName } from '../../report/run-summary.js';
import { jsonText, visible } from '../../visible.js';
import { capitalised } from '../../words.js';
import { type Command, textFlag, UsageError } from '../arguments.js';
import { reportsDirOf } from '../files.js';

const conditions = ['regressed', 'never'] as const;

export const compare: Command = {
  name: 'compare',
  summary: 'Set results of several runs beside each other, measured by the first.',
  usage: 'A/results.json B/results.json … [--fail-on regressed|never]',
  flags: {
    'fail-on': {
      value: conditions.join('|'),
      doc: 'Exit with 1 when a later run is worse than the first (regressed, the default), or never.',
    },
    'reports-dir': { value: 'FOLDER', doc: 'Folder that compare.html is written to (REPORTS_DIR).' },
    json: { doc: 'Print the comparison as JSON.' },
  },
  positionals: [2, 100],
  examples: ['access-conformance compare staging/results.json production/results.json'],
  async run(input, { env, cwd, terminal }) {
    const failOn = textFlag(input, 'fail-on') ?? 'regressed';
    if (!conditions.some((condition) => condition === failOn))
      throw new UsageError(`--fail-on is "${failOn}".`, `allowed: ${conditions.join(' or ')}`);
    const reportsDir = reportsDirOf(cwd, env, textFlag(input, 'reports-dir'));
    const { writeComparison } = await import('../../report/write.js');
    const heads = [];
    const pages = [];
    for (const file of input.positionals) {
      const path = resolve(cwd, file);
      const record = await readResults(path);
      heads.push(record.results);
      await record.dispose();
      const beside = join(dirname(path), reportNames.page);
      pages.push(existsSync(beside) ? beside : undefined);
    }
    const comparison = compareRuns(heads, { pages });
    prepareReports(reportsDir);
    const page = shortPath(await writeComparison(comparison, reportsDir), cwd);
    // A comparison without common checks never succeeds.
    const well = haveCommonChecks(comparison.checks) ? exitCodes.conformant : exitCodes.incomplete;
    const code = comparison.regressed && failOn === 'regressed' ? 1 : well;
    const { bold, red, green, yellow, dim } = terminal.colours;
    const say = input.flags.json === true ? terminal.err : terminal.out;
    say(`${comparisonTable(comparison, terminal.colours)}\n`);
    // The contract is printed where the runs differ in it or use overlays.
    const contracts = comparison.runs.map(({ summary }) => contractName(summary.contract));
    if (!comparison.sameContract || comparison.runs.some(({ summary }) => summary.contract.overlays !== undefined))
      for (const [at, { name }] of comparison.runs.entries())
        say(dim(`${visible(`${name}: judged against ${contracts[at]}`)}\n`));
    const names = comparison.runs.map(({ name }) => name);
    // What waits for a cause is told by it.
    const worse = comparison.regressions.filter(({ waits }) => !waits);
    for (const { check, title, run, before = 'not judged', after = 'not judged', reason } of worse.slice(0, 20)) {
      say(`${red('worse')} ${visible(`${check}  ${title}`)}\n`);
      say(`  ${visible(`${names[0]}: ${before}, ${names[run]}: ${after}. ${capitalised(reason)}`)}\n`);
    }
    const more = comparison.regressions.length - Math.min(worse.length, 20);
    if (more > 0) say(dim(`… and ${more} more in the page\n`));
    for (const { change, title } of comparison.causes.filter(({ change }) => change === 'new' || change === 'gone'))
      say(`${change === 'new' ? red('new  ') : green('gone ')} ${visible(title)}\n`);
    for (const drift of comparison.drift.slice(0, 20))
      say(`${yellow('other')} ${visible(`${drift.id}: ${driftWords(drift)}`)}\n`);
    if (comparison.drift.length > 20) say(dim(`… and ${comparison.drift.length - 20} more facts in the page\n`));
    const causes = causesSentence(comparison.causes);
    if (causes !== '') say(`${causes}.\n`);
    say(`${bold(visible(`${comparisonSentence(comparison)}.`))}\n${page}\n`);
    if (input.flags.json === true) {
      const { regressed, regressions, sameContract, causes: compared, drift, clauses, checks } = comparison;
      const runs = comparison.runs.map(({ summary, page: _page, ...run }) => ({ ...run, contract: summary.contract }));
      const document = { regressed, regressions, sameContract, runs, causes: compared, drift, clauses, checks };
      terminal.out(`${jsonText(document, 2)}\n`);
    }
    return code;
  },
};
