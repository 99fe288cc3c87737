import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { tool } from '../package.js';

/** A place in a document; line and column count from 1. */
export interface DocumentPlace {
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
export const pathInTree = (file: string, { root, cwd }: WorkTree): string | undefined => {
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
