import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { baselineText } from '../../app/prepare.js';
import { exitCodes } from '../../engine/outcomes.js';
import { readResults } from '../../report/results-file.js';
import { isUnjudged, verdictSentence } from '../../report/run-summary.js';
import { visible } from '../../visible.js';
import { counted } from '../../words.js';
import { type Command, textFlag, UsageError } from '../arguments.js';
import { reportsDirOf, resultsIn, writeAnew } from '../files.js';

const defaultName = 'access-baseline.json';

export const baseline: Command = {
  name: 'baseline',
  summary: 'Save what a run saw of the deployment as accepted, so that later runs report what changed.',
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
