import { stringify } from 'yaml';
import { groupBy } from '../collections.js';
import type { Contract, MissingParameter, Operation } from '../contract/model.js';
import { byReason } from '../report/run-summary.js';
import { jsonText, visible } from '../visible.js';
import { count, counted, firstOf } from '../words.js';
import type { Terminal } from './terminal.js';

/** Maximum number of parameter names that are proposed. */
const mostNames = 3;

interface Lacking {
  readonly id: string;
  readonly missing: readonly MissingParameter[];
  /** `x-access-owned`: what it gives belongs to one account. */
  readonly owned: boolean;
}

const lackingIn = ({ unprobed }: Contract): readonly Lacking[] =>
  unprobed.flatMap(({ id, fillable, owned = false }) => (fillable ? [{ id, missing: fillable.missing, owned }] : []));

/** The names that most operations lack, and how many of these they open together. */
const bestNames = (lacking: readonly Lacking[]): { readonly names: readonly string[]; readonly opened: number } => {
  const uses = groupBy(
    lacking.flatMap(({ missing }) => missing.map(({ name }) => name)),
    (name) => name,
  );
  const byUse = [...uses].sort(([, one], [, other]) => other.length - one.length);
  const names = byUse.slice(0, mostNames).map(([name]) => name);
  return { names, opened: lacking.filter(({ missing }) => missing.every(({ name }) => names.includes(name))).length };
};

/**
 * One line on operations that lack values: how many a run looks for in answers, and which names in
 * PARAMETERS would open most of the others. Empty where none lacks any.
 */
export const missingValuesLine = (contract: Contract, planned: Contract): string => {
  const all = lackingIn(contract);
  if (all.length === 0) return '';
  const left = lackingIn(planned);
  const looked = `Values from answers of the service: ${count(all.length - left.length)} of ${counted(all.length, 'read')} without a value`;
  if (left.length === 0) return `${looked}.`;
  const { names, opened } = bestNames(left);
  const best = names.map((name) => `"${visible(name)}"`).join(', ');
  return `${looked}. PARAMETERS with ${best} would open ${count(opened)} of ${counted(left.length, 'other')}; plan --parameters-skeleton prints a skeleton.`;
};

/** A PARAMETERS file to fill in, with types and descriptions: the values that no run would find. */
export const parametersSkeleton = (planned: Contract): string => {
  const lacking = lackingIn(planned);
  const lines = lacking.flatMap(({ id, missing }) => [
    `# ${stringify(id, { lineWidth: 0 }).trim()}:`,
    ...missing.map(({ name, in: place, type, format, description }) => {
      const about = [place, type, format, description?.split('\n')[0]].filter((part) => part !== undefined).join(', ');
      return `#   ${stringify(name, { lineWidth: 0 }).trim()}:   # ${about}`;
    }),
  ]);
  const head = [
    '# Values of parameters (PARAMETERS). A name alone serves every operation that has a parameter of that name;',
    '# below the id or the path of an operation it serves that one. Take out the # of what you fill in.',
    ...(lacking.some(({ owned }) => owned)
      ? [
          '# What names the account of a key, where the document says x-access-owned, is left out here: owns in IDENTITIES',
          '# says it of each identity.',
        ]
      : []),
  ];
  return [...head, ...lines].map((line) => `${visible(line)}\n`).join('');
};

const mostIds = 3;
/** Reasons that are printed; the JSON form has all. */
const mostReasons = 20;

/** Prints the operations that a run does not probe, grouped by reason; nothing if it probes all. */
export const printUnprobed = ({ operations, unprobed }: Contract, terminal: Terminal): void => {
  if (unprobed.length === 0) return;
  const { bold, dim } = terminal.colours;
  const all = operations.length + unprobed.length;
  const locked = unprobed.filter(({ access }) => access === 'protected').length;
  const ofThem = locked > 0 ? `, ${count(locked)} of them protected` : '';
  terminal.out(
    `\n${bold(`${count(unprobed.length)} of ${counted(all, 'operation')} ${unprobed.length === 1 ? 'is' : 'are'} not probed${ofThem}`)}\n`,
  );
  const groups = byReason(unprobed);
  for (const group of groups.slice(0, mostReasons)) {
    const names = group.slice(0, mostIds).map(({ id }) => id);
    const more = group.length > mostIds ? ` and ${count(group.length - mostIds)} more` : '';
    terminal.out(`  ${visible(names.join(', '))}${more}  ${dim(visible(group[0]?.reason ?? ''))}\n`);
  }
  if (groups.length > mostReasons)
    terminal.out(`  … and ${counted(groups.length - mostReasons, 'more reason')}; --json has them all\n`);
};

/**
 * Statuses of a success that comes without content, or before the work is done (RFC 9110, sections
 * 15.3.3, 15.3.5 and 15.3.6).
 */
const withoutContent: ReadonlySet<string> = new Set(['202', '204', '205']);

/**
 * GET operations of which every documented success is without content. A read without content
 * probably has an effect, although GET is defined as safe (RFC 9110, section 9.2.1).
 */
const readsWithoutContent = ({ operations }: Pick<Contract, 'operations'>): readonly Operation[] =>
  operations.filter(({ method, responses }) => {
    const successes = responses.filter(({ status }) => status.startsWith('2'));
    return method === 'GET' && successes.length > 0 && successes.every(({ status }) => withoutContent.has(status));
  });

/** How an operation is left out of a run, as a line of a DEVIATIONS file. */
const leaveOutLine = (id: string): string => `- {leaveOut: ${jsonText(id)}, reason: …}`;

/** A text about such reads and what to do about them; `undefined` if there are none. */
export const readsWithoutContentWords = (
  contract: Pick<Contract, 'operations'>,
): { readonly says: string; readonly advice: string } | undefined => {
  const [first, ...others] = readsWithoutContent(contract);
  if (!first) return undefined;
  const all = [first, ...others];
  return {
    says: `${counted(all.length, 'GET is', 'GETs are')} documented without content (202, 204 or 205) and may do something: ${firstOf(
      all.map(({ id }) => visible(id)),
      5,
    )}.`,
    advice: `A run sends GETs with the key, since GET is safe (RFC 9110, 9.2.1). If one is not, leave it out with a line of a DEVIATIONS file: ${visible(leaveOutLine(first.id))}`,
  };
};
