import { visible } from '../visible.js';
import { clip, counted, firstOf } from '../words.js';
import { requirementOf, shownCauses } from './causes.js';
import { parsePosition, pathInTree, type WorkTree } from './repository.js';
import type { RunSummary } from './run-summary.js';

/** GitHub shows at most ten annotations of a step. */
const maxAnnotations = 10;

/** Workflow commands end at a line end; property values also at `:` and `,`. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(visible(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');

/**
 * GitHub workflow commands (`::error file=…,line=…,title=…::…`), one per finding, worst first, on
 * the line of the contract. A contract outside the work tree has no line that GitHub could show.
 * @param cwd folder that file names in results are relative to
 * @param workspace root of the work tree (`GITHUB_WORKSPACE`)
 */
export const githubAnnotations = (
  run: RunSummary,
  { cwd = process.cwd(), workspace = cwd }: { readonly cwd?: string; readonly workspace?: string | undefined } = {},
): readonly string[] => {
  const positions = new Map([...run.operations, ...run.clauses].map(({ id, position }) => [id, position]));
  const { broken } = shownCauses(run);
  const left = broken.length - maxAnnotations;
  return broken.slice(0, maxAnnotations).map((cause, index) => {
    const { first, clauses, operations } = cause;
    const [position = run.contract.file] = [...clauses, first.operation].flatMap((id) => positions.get(id) ?? []);
    const where = locationOf(position, { root: workspace, cwd });
    const of = operations.length > 1 ? ` (${firstOf(operations, 3)})` : '';
    const rest = left > 0 && index === maxAnnotations - 1 ? ` (${counted(left, 'more finding')} in the summary)` : '';
    const message = clip(visible(`${requirementOf(cause)}${of}: ${first.reason}`), 1_000) + rest;
    return `::error ${where}title=${property(cause.title)}::${data(message)}`;
  });
};

/** The place of a workflow command, for `file:line` or `file:line:column`; none outside the tree. */
const locationOf = (position: string, tree: WorkTree): string => {
  const { file, line, column } = parsePosition(position);
  const path = pathInTree(file, tree);
  if (path === undefined) return '';
  return `file=${property(path)},line=${line}${column === undefined ? '' : `,col=${column}`},`;
};
