import { relative } from 'node:path';

/** Where a front-end prints. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly color: boolean;
  /** Columns. */
  readonly width: number;
}

/** The shortest way to write a path in the folder `cwd`. */
export const shortPath = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
};
