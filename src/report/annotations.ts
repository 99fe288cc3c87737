import { isAbsolute, relative, resolve } from 'node:path';
import { groupBy } from '../collections.js';
import { tool } from '../package.js';
import { clip, counted } from '../words.js';
import { isBroken, type RunSummary } from './run-summary.js';
import { visible } from './text.js';

/** GitHub shows at most ten annotations of a step. */
const maxAnnotations = 10;

/** Workflow commands end at a line end; property values also at `:` and `,`. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(visible(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');

/**
 * GitHub workflow commands (`::error file=…,line=…,title=…::…`), one per failed rule, on the line
 * of the contract. A contract outside the work tree has no line that GitHub could show.
 * @param cwd folder that file names in results are relative to
 * @param workspace root of the work tree (`GITHUB_WORKSPACE`)
 */
export const githubAnnotations = (
  run: RunSummary,
  { cwd = process.cwd(), workspace = cwd }: { readonly cwd?: string; readonly workspace?: string | undefined } = {},
): readonly string[] => {
  const positions = new Map<string, string>();
  for (const { id, position } of [...run.operations, ...run.clauses])
    if (position !== undefined) positions.set(id, position);
  const groups = groupBy(run.checks.filter(isBroken), ({ rule }) => rule);
  const left = groups.size - maxAnnotations;
  return [...groups.values()].slice(0, maxAnnotations).flatMap((group, index) => {
    const [first] = group;
    if (!first) return [];
    const position = [...first.clauses, first.operation]
      .map((id) => positions.get(id))
      .find((found) => found !== undefined);
    const more = group.length > 1 ? ` (and ${group.length - 1} more)` : '';
    const where = locationOf(position ?? run.contract.file, (file) => inside(workspace, resolve(cwd, file)));
    const title = `${first.clauses.join(', ')}: ${first.title}`;
    const rest =
      left > 0 && index === maxAnnotations - 1 ? ` (${counted(left, 'more broken rule')} in the summary)` : '';
    const message = clip(visible(`${first.operation}${more}: ${first.reason}`), 1_000) + rest;
    return [`::error ${where}title=${property(title)}::${data(message)}`];
  });
};

/** A path relative to the work tree; `undefined` outside it and in installed packages. */
const inside = (workspace: string, path: string): string | undefined => {
  const near = relative(workspace, path).replaceAll('\\', '/');
  return near.startsWith('..') || isAbsolute(near) || near.split('/').includes('node_modules') ? undefined : near;
};

/**
 * Properties of a workflow command for `file:line` or `file:line:column`. The default line is 1.
 */
const locationOf = (position: string, inTree: (file: string) => string | undefined): string => {
  const match = /^(.*?):(\d+)(?::(\d+))?$/.exec(position);
  const named = match?.[1] ?? position;
  const file = named.startsWith(`${tool.name}/`) ? undefined : inTree(named);
  if (file === undefined) return '';
  return `file=${property(file)},line=${match?.[2] ?? '1'}${match?.[3] ? `,col=${match[3]}` : ''},`;
};
