import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ShellEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A shell as a CI system has it, in which npm builds and installs the command of this checkout. */
export interface Shell {
  run(script: string, env: Readonly<Record<string, string>>): Promise<ShellEnd>;
  /** Every argument that npm and the command were given so far, one a line. */
  commandLines(): string;
  /** The names of the variables that npm saw. */
  variablesOfNpm(): readonly string[];
}

/** How a CI system starts bash: GitHub with `shell: bash`, GitLab for `script`. */
const bash = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c'] as const;

/** The text of a command that notes its arguments and then is the compiled one. */
const commandOf = (log: string, command: string): string => `#!${process.execPath}
import('node:fs').then(({ appendFileSync }) => {
  for (const word of process.argv.slice(2)) appendFileSync(${JSON.stringify(log)}, word + '\\n');
  return import(${JSON.stringify(command)});
});
`;

/**
 * The text of an npm that needs no network: `run build` and `install --prefix` write the command.
 */
const npmOf = (log: string, variables: string, command: string | undefined): string => `#!${process.execPath}
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const args = process.argv.slice(2);
for (const word of args) appendFileSync(${JSON.stringify(log)}, word + '\\n');
for (const name in process.env) appendFileSync(${JSON.stringify(variables)}, name + '\\n');
const text = ${JSON.stringify(command === undefined ? null : commandOf(log, command))};
if (text === null) {
  console.error('npm: the registry cannot be reached');
  process.exit(1);
}
const write = (path) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
};
if (args[0] === 'run') write(join(process.cwd(), 'dist', 'src', 'cli', 'main.js'));
if (args[0] === 'install') write(join(args[args.indexOf('--prefix') + 1], 'node_modules', '.bin', 'access-conformance'));
`;

/**
 * @param folder where the script runs; the stand-in for npm lives in its folder `.bin`
 * @param command the compiled command; `undefined` for a registry that cannot be reached
 */
export const shellIn = (folder: string, command: string | undefined): Shell => {
  const bin = join(folder, '.bin');
  const [log, variables] = [join(bin, 'npm.log'), join(bin, 'npm-variables.log')];
  mkdirSync(bin, { recursive: true });
  writeFileSync(log, '');
  writeFileSync(variables, '');
  writeFileSync(join(bin, 'npm'), npmOf(log, variables, command), { mode: 0o755 });
  const { PATH = '', HOME = '' } = process.env;
  return {
    commandLines: () => readFileSync(log, 'utf8'),
    variablesOfNpm: () => readFileSync(variables, 'utf8').split('\n').filter(Boolean),
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
