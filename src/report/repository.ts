import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { tool } from '../package.js';
import { visible } from '../visible.js';
import { clip, counted, firstOf } from '../words.js';
import { requirementOf, shownCauses } from './causes.js';
import type { RunSummary } from './run-summary.js';

/** A place in a document; line and column count from 1. */
interface DocumentPlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** Reads `file`, `file:line` or `file:line:column`. The default line is 1. */
export const parsePosition = (position: string): DocumentPlace => {
  const match = /^(.*?):(\d+)(?::(\d+))?$/.exec(position);
  return {
    file: match?.[1] ?? position,
    line: Number(match?.[2] ?? 1),
    ...(match?.[3] === undefined ? {} : { column: Number(match[3]) }),
  };
};

const scheme = /^https?:\/\//;

/**
 * The path of a file from the root of a work tree, with slashes; `undefined` outside it, in
 * installed packages and for URLs.
 * @param file as results name it: relative to `cwd`, or of our own package by its name
 */
const pathInTree = (file: string, { root, cwd }: WorkTree): string | undefined => {
  if (scheme.test(file) || file.startsWith(`${tool.name}/`)) return undefined;
  const near = relative(root, resolve(cwd, file)).replaceAll('\\', '/');
  return near.startsWith('..') || isAbsolute(near) || near.split('/').includes('node_modules') ? undefined : near;
};

/** A file as a relative path: from the root, else its name alone; a URL without its scheme. */
export const pathOrName = (file: string, tree: WorkTree): string => {
  if (scheme.test(file)) return file.replace(scheme, '');
  return pathInTree(file, tree) ?? (file.startsWith(`${tool.name}/`) ? file : basename(file));
};

export interface WorkTree {
  readonly root: string;
  /** Folder that file names in results are relative to. */
  readonly cwd: string;
}

/** The root of the repository: as the CI system names it, or the nearest folder with `.git`. */
export const workTreeAt = (cwd: string, env: Readonly<Record<string, string | undefined>> = {}): WorkTree => {
  const named = env.GITHUB_WORKSPACE || env.CI_PROJECT_DIR;
  if (named) return { root: named, cwd };
  let root = cwd;
  while (!existsSync(join(root, '.git'))) {
    if (dirname(root) === root) return { root: cwd, cwd };
    root = dirname(root);
  }
  return { root, cwd };
};

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
    const where = annotationPlace(position, { root: workspace, cwd });
    const of = operations.length > 1 ? ` (${firstOf(operations, 3)})` : '';
    const rest = left > 0 && index === maxAnnotations - 1 ? ` (${counted(left, 'more finding')} in the summary)` : '';
    const message = clip(visible(`${requirementOf(cause)}${of}: ${first.reason}`), 1_000) + rest;
    return `::error ${where}title=${property(cause.title)}::${data(message)}`;
  });
};

/**
 * The place of a workflow command, for `file:line` or `file:line:column`; none outside the tree.
 */
const annotationPlace = (position: string, tree: WorkTree): string => {
  const { file, line, column } = parsePosition(position);
  const path = pathInTree(file, tree);
  if (path === undefined) return '';
  return `file=${property(path)},line=${line}${column === undefined ? '' : `,col=${column}`},`;
};
