import { dirname, join, resolve } from 'node:path';
import { exitCodes } from '../../engine/outcomes.js';
import { prepareReports } from '../../report/prepare-reports.js';
import type { RunSummary } from '../../report/run-summary.js';
import { counted } from '../../words.js';
import { type Command, textFlag, textsFlag, UsageError } from '../command.js';
import { reportsDirOf, resultsIn, writeAnew } from '../files.js';

const overlayName = 'proposed.overlay.yaml';
const pageName = 'proposal.html';

export const propose: Command = {
  name: 'propose',
  summary: 'Write what runs saw as an OpenAPI Overlay, for a person to accept as contract.',
  usage: '[--from results.json]… [--output FILE]',
  flags: {
    from: {
      value: 'FILE',
      repeats: true,
      doc: 'Results of runs of one contract; those of the last run when not given.',
    },
    contract: {
      value: 'FILE',
      doc: 'The contract of the runs; found by its checksum when not given.',
    },
    overlay: { value: 'FILE,…', doc: 'Overlays that were applied to it.' },
    parameters: { value: 'FILE', doc: 'Values for parameters, where the runs had some.' },
    output: { value: 'FILE', doc: `The overlay to write; ${overlayName} when not given.` },
  },
  examples: ['access-conformance propose', 'access-conformance propose --from monday.json --from tuesday.json'],
  async run(input, { cwd, env, terminal }) {
    const reportsDir = reportsDirOf(cwd, env);
    const { readResults } = await import('../../report/results-file.js');
    const { contractRecordedIn } = await import('../recorded-contract.js');
    const { withValues } = await import('../../engine/values/recording.js');
    const { proposalOf } = await import('../../proposal/proposal.js');
    const { overlayText } = await import('../../proposal/overlay-text.js');
    const { proposalPage } = await import('../../proposal/proposal-page.js');
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
    const runs: RunSummary[] = [first, ...others].map(({ results }) => results);
    const stranger = runs.findIndex(({ contract }) => contract.sha256 !== first.results.contract.sha256);
    if (stranger >= 0)
      throw new UsageError(
        `${files[stranger]} is of another contract than ${files[0]}.`,
        'a proposal is made from runs of one contract',
      );
    const document = await contractRecordedIn(first, {
      cwd,
      beside: dirname(resolve(cwd, files[0] ?? '')),
      contract: textFlag(input, 'contract'),
      overlay: textFlag(input, 'overlay'),
      parameters: textFlag(input, 'parameters'),
    });
    const proposal = proposalOf(withValues(document, first.results.recording.values), runs);
    await writeAnew(resolve(cwd, output), overlayText(proposal), output);
    prepareReports(reportsDir);
    const page = join(reportsDir, pageName);
    await writeAnew(page, proposalPage(proposal));
    const open = proposal.actions.filter(({ doubt }) => doubt !== undefined).length;
    terminal.out(
      `wrote ${output}: ${counted(proposal.actions.length - open, 'action')} in force, ${open} left for you to decide\nwrote ${page}: each sentence beside its evidence\n`,
    );
    terminal.out(`OVERLAY=${output} has every run judge what is in force.\n`);
    return exitCodes.conformant;
  },
};
