import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { readSettings } from '../../settings/settings.js';
import { type Command, textFlag, UsageError } from '../command.js';
import { type CiSystem, ciFiles, envFile, overlayFile } from '../file-templates.js';
import { writeNew } from '../write-new-file.js';

const systems = Object.keys(ciFiles) as CiSystem[];

const isSystem = (name: string): name is CiSystem => (systems as string[]).includes(name);

/** Whether git would commit the file, so that the next push would publish its key. */
const gitWouldTake = (cwd: string, file: string): boolean => {
  try {
    execFileSync('git', ['rev-parse', '--is-inside-work-tree'], { cwd, stdio: 'ignore' });
  } catch {
    return false;
  }
  try {
    execFileSync('git', ['check-ignore', '-q', file], { cwd, stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
};

/**
 * The root of the git work tree of a folder, where CI systems look for their files; the folder
 * itself outside of one.
 */
const rootOf = (cwd: string): string => {
  try {
    const root = execFileSync('git', ['rev-parse', '--show-toplevel'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    // Git prints the real path, so the folder's real path is needed to compare them.
    return root === '' ? cwd : join(cwd, relative(realpathSync(cwd), root));
  } catch {
    return cwd;
  }
};

export const init: Command = {
  name: 'init',
  summary: 'Write a .env, and if wanted a CI file and an overlay; never over an existing file.',
  usage: '[--ci github|gitlab] [--overlay-skeleton] [--base-url URL]',
  flags: [
    { name: 'ci', kind: 'text', value: systems.join('|'), doc: 'Also write a CI file for this system.' },
    { name: 'overlay-skeleton', kind: 'boolean', doc: 'Also write overlay.yaml, to fill the gaps of the contract.' },
    { name: 'base-url', kind: 'text', value: 'URL', doc: 'Put this base URL into .env.' },
  ],
  takesSettings: false,
  positionals: [0, 0],
  examples: ['access-conformance init --base-url https://api.example.com --ci github'],
  async run(input, { cwd, terminal }) {
    const system = textFlag(input, 'ci');
    if (system !== undefined && !isSystem(system))
      throw new UsageError(`--ci is "${system}".`, `allowed: ${systems.join(' or ')}`);
    const baseUrl = textFlag(input, 'base-url');
    if (baseUrl !== undefined) readSettings({ flags: { BASE_URL: baseUrl }, cwd, envFile: false });

    const files: { readonly path: string; readonly text: string; readonly secret?: true }[] = [
      { path: '.env', text: envFile(baseUrl), secret: true },
    ];
    const withOverlay = input.flags['overlay-skeleton'] === true;
    if (system !== undefined) {
      const root = rootOf(cwd);
      const overlay = relative(root, join(cwd, 'overlay.yaml')).split(sep).join('/');
      const { path, text } = ciFiles[system];
      files.push({ path: relative(cwd, join(root, path)), text: text(withOverlay ? overlay : undefined) });
    }
    if (withOverlay) files.push({ path: 'overlay.yaml', text: overlayFile });

    const { green, dim, yellow } = terminal.colours;
    for (const { path, text, secret } of files) {
      const written = await writeNew(join(cwd, path), text, secret ? 0o600 : undefined);
      const missed = secret && baseUrl !== undefined ? `; put BASE_URL=${baseUrl} into it` : '';
      terminal.out(
        written ? `${green('wrote')} ${path}\n` : `${dim('kept ')} ${path}, which is there already${missed}\n`,
      );
    }
    if (existsSync(join(cwd, '.env')) && gitWouldTake(cwd, '.env'))
      terminal.out(
        `${yellow('careful')} git does not ignore .env, which will hold your key: add a line .env to .gitignore\n`,
      );
    terminal.out('\nNext: put base URL and key into .env, then\n');
    terminal.out('  access-conformance doctor   looks for common setup problems\n');
    terminal.out('  access-conformance plan     prints every request that a run would send\n');
    terminal.out('  access-conformance run      judges the deployment\n');
    return 0;
  },
};
