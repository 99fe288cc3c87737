import { dirname, join, resolve } from 'node:path';
import { exitCodes } from '../../engine/outcomes.js';
import { withValues } from '../../engine/values/recording.js';
import { overlayName, proposalOf, settingFor } from '../../proposal/proposal.js';
import { prepareReports } from '../../report/reports-folder.js';
import { readResults } from '../../report/results-file.js';
import { counted } from '../../words.js';
import { type Command, recordedContractFlags, textFlag, textsFlag, UsageError } from '../arguments.js';
import { reportsDirOf, resultsIn, writeAnew } from '../files.js';
import { contractRecordedIn } from '../selection.js';

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
