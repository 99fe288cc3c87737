import { stringify } from 'yaml';
import type { Contract, MissingParameter } from '../contract/model.js';
import { visible } from '../report/text.js';
import { count, counted } from '../words.js';

/** Names that are proposed: more are a file to be written, and no quick win. */
const mostNames = 3;

interface Lacking {
  readonly id: string;
  readonly missing: readonly MissingParameter[];
}

const lackingIn = ({ unprobed }: Contract): readonly Lacking[] =>
  unprobed.flatMap(({ id, fillable }) => (fillable ? [{ id, missing: fillable.missing }] : []));

/** The few names whose values would open most operations, and how many these are. */
const bestNames = (lacking: readonly Lacking[]): { readonly names: readonly string[]; readonly opened: number } => {
  const chosen = new Set<string>();
  const openedBy = (names: ReadonlySet<string>): number =>
    lacking.filter(({ missing }) => missing.every(({ name }) => names.has(name))).length;
  const all = new Set(lacking.flatMap(({ missing }) => missing.map(({ name }) => name)));
  const uses = (name: string): number =>
    lacking.filter(({ missing }) => missing.some((each) => each.name === name)).length;
  for (let turn = 0; turn < mostNames; turn += 1) {
    const [best] = [...all]
      .filter((name) => !chosen.has(name))
      .map((name) => ({ name, opened: openedBy(new Set([...chosen, name])), uses: uses(name) }))
      .sort((a, b) => b.opened - a.opened || b.uses - a.uses);
    if (best) chosen.add(best.name);
  }
  return { names: [...chosen], opened: openedBy(chosen) };
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
  const lines = lackingIn(planned).flatMap(({ id, missing }) => [
    `# ${stringify(id, { lineWidth: 0 }).trim()}:`,
    ...missing.map(({ name, in: place, type, format, description }) => {
      const about = [place, type, format, description?.split('\n')[0]].filter((part) => part !== undefined).join(', ');
      return `#   ${stringify(name, { lineWidth: 0 }).trim()}:   # ${about}`;
    }),
  ]);
  const head = [
    '# Values of parameters (PARAMETERS). A name alone serves every operation that has a parameter of that name;',
    '# below the id or the path of an operation it serves that one. Take out the # of what you fill in.',
  ];
  return [...head, ...lines].map((line) => `${visible(line)}\n`).join('');
};
