import { relative } from 'node:path';

/** Where a front-end prints. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly color: boolean;
  readonly width: number;
}

/** Errors whose message is written for users, by name: their classes need not be loaded. */
const forUsers: ReadonlySet<string> = new Set([
  'SettingsError',
  'ContractError',
  'ReportError',
  'SelectionError',
  'DeviationsError',
  'TargetsError',
]);

export const isForUsers = (error: unknown): error is Error => error instanceof Error && forUsers.has(error.name);

/** The shortest way to write a path in the folder `cwd`. */
export const shortPath = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
};
