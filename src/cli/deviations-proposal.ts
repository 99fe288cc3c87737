import { stringify } from 'yaml';
import { isBroken } from '../engine/outcomes.js';
import type { Finding } from '../engine/results.js';
import { visible } from '../report/text.js';
import { clip } from '../words.js';
import { UsageError } from './command.js';
import { writeNew } from './write-file.js';

/**
 * Proposes a deviations file with every check that makes the run non-conformant. The reasons are
 * left empty for a person to write; an entry without a reason is refused.
 */
export const proposalOf = (findings: readonly Finding[], { strict }: { readonly strict: boolean }): string => {
  const entries = findings
    .filter(({ outcome, deviation }) => isBroken(outcome, strict) && !deviation)
    .map(({ id, title, reason }) => {
      const said = clip(visible(`${title}: ${reason}`), 200);
      return `# ${said}\n${stringify([{ check: id, reason: '' }])}`;
    });
  return [
    '# Known deviations. Say why each one is known and accepted: an entry without a reason is refused.',
    '# Optional: expires (a date) and link. A * in place of an operation stands for all of them.',
    ...entries,
  ].join('\n');
};

/**
 * @throws {UsageError} when the file is there already: reasons that somebody wrote are not
 * overwritten.
 */
export const writeProposal = async (
  path: string,
  findings: readonly Finding[],
  options: { readonly strict: boolean },
): Promise<void> => {
  if (!(await writeNew(path, proposalOf(findings, options))))
    throw new UsageError(
      `${path} is there already, and is not overwritten.`,
      'name another file: --write-deviations=FILE',
    );
};
