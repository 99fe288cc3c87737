import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface Where {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * What a service needs of the environment; no key and no setting of whoever runs the measurement.
 */
const environment = (own: Where['env'] = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  LANG: 'C.UTF-8',
  ...own,
});

/** Starts a process whose output goes to `LOG` in its folder. */
export const start = (log: string, [command = '', ...words]: readonly string[], { cwd, env }: Where): ChildProcess => {
  const output = openSync(join(cwd, log), 'a');
  try {
    return spawn(command, words, { cwd, env: environment(env), stdio: ['ignore', output, output], detached: true });
  } finally {
    closeSync(output);
  }
};

/** Runs a command to its end. @throws Error that names its log when it fails */
export const run = async (log: string, command: readonly string[], where: Where): Promise<void> => {
  const child = start(log, command, where);
  const code = await new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}; see ${join(where.cwd, log)}`);
};

/** Ends a process and those that it started. */
export const end = ({ pid, exitCode }: ChildProcess): void => {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It ended meanwhile.
  }
};

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() =>
          address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
        );
      });
  });

/**
 * A virtual environment with packages, made once. Resolves with the path of one of its commands.
 */
export const fromPyPI = async (folder: string, packages: readonly string[]): Promise<void> => {
  const python = join(folder, 'venv', 'bin', 'python');
  if (existsSync(join(folder, 'installed'))) return;
  await run('install.log', ['python3', '-m', 'venv', 'venv'], { cwd: folder });
  await run('install.log', [python, '-m', 'pip', 'install', '--quiet', ...packages], { cwd: folder });
  await run('install.log', ['touch', 'installed'], { cwd: folder });
};

/** Packages in a `node_modules` of their own, without their install scripts, made once. */
export const fromNpm = async (folder: string, packages: readonly string[]): Promise<void> => {
  if (existsSync(join(folder, 'installed'))) return;
  await run('install.log', ['npm', 'init', '--yes'], { cwd: folder });
  await run(
    'install.log',
    ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--engine-strict=false', ...packages],
    { cwd: folder },
  );
  await run('install.log', ['touch', 'installed'], { cwd: folder });
};
