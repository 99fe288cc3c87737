import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { baselineText } from '../../app/prepare.js';
import { exitCodes } from '../../engine/outcomes.js';
import { withValues } from '../../engine/values/recording.js';
import { overlayName, proposalOf, settingFor } from '../../proposal/proposal.js';
import { prepareReports } from '../../report/reports-folder.js';
import { readResults } from '../../report/results-file.js';
import { isUnjudged, verdictSentence } from '../../report/run-summary.js';
import { visible } from '../../visible.js';
import { counted } from '../../words.js';
import { type Command, recordedContractFlags, textFlag, textsFlag, UsageError } from '../arguments.js';
import { reportsDirOf, resultsIn, writeAnew } from '../files.js';
import { contractRecordedIn } from '../selection.js';

const defaultName = 'access-baseline.json';

export const baseline: Command = {
  name: 'baseline',
  summary: 'Accept what a run saw of the deployment, so that later runs tell what is other.',
  usage: '[results.json] [--output FILE]',
  flags: { output: { value: 'FILE', doc: `The file to write; ${defaultName} when not given.` } },
  positionals: [0, 1],
  examples: ['access-conformance baseline', 'BASELINE=access-baseline.json FAIL_ON_DRIFT=true access-conformance run'],
  async run(input, { cwd, env, terminal }) {
    const [file = resultsIn(reportsDirOf(cwd, env))] = input.positionals;
    const record = await readResults(resolve(cwd, file));
    const { results } = record;
    await record.dispose();
    if (!results.complete || results.recording.part === true)
      throw new UsageError(
        `${file} is of ${results.complete ? 'selected checks alone' : 'a run that was cut short'}, so most facts are missing in it.`,
        'take the results of a whole run',
      );
    if (results.facts.length === 0)
      throw new UsageError(
        `${file} is of a run that saw nothing of the deployment: ${verdictSentence(results)}.`,
        'take the results of a run that got answers',
      );
    const output = textFlag(input, 'output') ?? defaultName;
    const path = resolve(cwd, output);
    const isNew = !existsSync(path);
    await writeAnew(path, baselineText(results), output);
    const left = results.facts.filter(({ volatile }) => volatile).length;
    const omitted = `; ${counted(left, 'fact')} that ${left === 1 ? 'changes by itself is' : 'change by themselves are'} left out`;
    const facts = counted(results.facts.length - left, 'fact');
    terminal.out(`${isNew ? 'wrote' : 'wrote anew'} ${output}: ${facts}${left > 0 ? omitted : ''}\n`);
    const unseen = results.checks.filter((finding) => finding.clauses.length === 0 && isUnjudged(finding));
    const names = unseen.slice(0, 3).map(({ id }) => visible(id));
    if (unseen.length > 0)
      terminal.warn(
        `${counted(unseen.length, 'check')} that would tell more could not be judged, so their facts are not in it: ${names.join(', ')}${unseen.length > 3 ? ', …' : ''}`,
      );
    if (isNew) terminal.out(`BASELINE=${output} has every run compared with it.\n`);
    return exitCodes.conformant;
  },
};

const pageName = 'proposal.html';

export const propose: Command = {
  name: 'propose',
  summary: 'Write what runs saw as an OpenAPI Overlay, for a person to accept as contract.',
  usage: '[--from results.json]… [--output FILE]',
  flags: {
    from: { value: 'FILE', repeats: true, doc: 'Results of runs of one contract; the last run when not given.' },
    ...recordedContractFlags,
    output: { value: 'FILE', doc: `The overlay to write; ${overlayName} when not given.` },
  },
  examples: ['access-conformance propose', 'access-conformance propose --from monday.json --from tuesday.json'],
  async run(input, { cwd, env, terminal }) {
    const reportsDir = reportsDirOf(cwd, env);
    const { overlayText, proposalPage } = await import('../../proposal/proposal-page.js');
    const given = textsFlag(input, 'from');
    const files = given.length > 0 ? given : [resultsIn(reportsDir)];
    const [first, ...others] = await Promise.all(files.map((file) => readResults(resolve(cwd, file))));
    if (!first) throw new TypeError('there is at least one file');
    const output = textFlag(input, 'output') ?? overlayName;
    if (first.results.contract.overlays?.some(({ file }) => resolve(cwd, file) === resolve(cwd, output)))
      throw new UsageError(
        `${output} was in force in that run, and would be written over.`,
        'name another file with --output',
      );
    const runs = [first, ...others].map(({ results }) => results);
    const stranger = runs.findIndex(({ contract }) => contract.sha256 !== first.results.contract.sha256);
    if (stranger >= 0)
      throw new UsageError(
        `${files[stranger]} is of another contract than ${files[0]}.`,
        'a proposal is made from runs of one contract',
      );
    const beside = dirname(resolve(cwd, files[0] ?? ''));
    const document = await contractRecordedIn(first, input, { cwd, env, beside });
    const proposal = proposalOf(withValues(document, first.results.recording.values), runs);
    await writeAnew(resolve(cwd, output), overlayText(proposal, output), output);
    prepareReports(reportsDir);
    const page = join(reportsDir, pageName);
    await writeAnew(page, proposalPage(proposal, output));
    const open = proposal.actions.filter(({ doubt }) => doubt !== undefined).length;
    terminal.out(
      `wrote ${output}: ${counted(proposal.actions.length - open, 'action')} in force, ${open} left for you to decide\nwrote ${page}: each sentence beside its evidence\n`,
    );
    terminal.out(`${settingFor(proposal, output)} has every run judge what is in force.\n`);
    return exitCodes.conformant;
  },
};
