import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ShellEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A shell as a CI system has it, in which `npx --yes access-conformance@VERSION` is the command of this checkout. */
export interface Shell {
  run(script: string, env: Readonly<Record<string, string>>): Promise<ShellEnd>;
  /** Every command line that `npx` was given so far. */
  commandLines(): string;
}

/** How a CI system starts bash: GitHub with `shell: bash`, GitLab for `script`. */
const bash = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c'] as const;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * @param folder where the script runs; the stand-in for npx lives in its folder `.bin`
 * @param command the compiled command; `undefined` for a registry that cannot be reached
 */
export const shellIn = (folder: string, version: string, command: string | undefined): Shell => {
  const bin = join(folder, '.bin');
  const log = join(bin, 'npx.log');
  mkdirSync(bin, { recursive: true });
  writeFileSync(log, '');
  writeFileSync(
    join(bin, 'npx'),
    [
      '#!/bin/sh',
      `printf '%s\\n' "$@" >> ${quoted(log)}`,
      `[ "$1 $2" = ${quoted(`--yes access-conformance@${version}`)} ] || { echo "npx cannot find $2" >&2; exit 1; }`,
      'shift 2',
      command === undefined
        ? 'echo "npx: the registry cannot be reached" >&2; exit 1'
        : `exec ${quoted(process.execPath)} ${quoted(command)} "$@"`,
      '',
    ].join('\n'),
  );
  chmodSync(join(bin, 'npx'), 0o755);
  const { PATH = '', HOME = '' } = process.env;
  return {
    commandLines: () => readFileSync(log, 'utf8'),
    run: (script, env) =>
      new Promise((resolve) => {
        execFile(
          'bash',
          [...bash, script],
          { cwd: folder, env: { PATH: `${bin}${delimiter}${PATH}`, HOME, NO_COLOR: '1', ...env } },
          (error, out, err) =>
            resolve({ code: typeof error?.code === 'number' ? error.code : error ? 255 : 0, out, err }),
        );
      }),
  };
};
