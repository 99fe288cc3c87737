import { readFileSync } from 'node:fs';
import { appendFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.js';
import { asset } from '../package.js';
import { failedTo } from '../report/reports-folder.js';
import { envValue, oneSetting } from '../settings/env-file.js';
import { readSettings } from '../settings/settings.js';

/**
 * Writes a new file and its folder. A file that could not be written in full is removed.
 * @returns false when there is one already, which stays as it is
 * @throws {ReportError} one line that names the file
 */
export const writeNew = async (path: string, text: string, mode?: number): Promise<boolean> => {
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'wx', mode).catch((error: unknown) => {
      if (codeOf(error) === 'EEXIST') return undefined;
      throw error;
    });
    if (file === undefined) return false;
    try {
      await file.writeFile(text);
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    } finally {
      await file.close().catch(() => undefined);
    }
    return true;
  } catch (error) {
    throw failedTo(`write ${path}`, path, error);
  }
};

/**
 * Writes a file, in place of the one that may be there.
 * @param shown the path as the user named it
 * @throws {ReportError} one line that names the file
 */
export const writeAnew = (path: string, text: string, shown = path): Promise<void> =>
  writeFile(path, text).catch((error: unknown) => {
    throw failedTo(`write ${shown}`, path, error);
  });

/**
 * Adds the names that are missing to `.gitignore` in a folder. Lines that are there stay.
 * @returns the names that were added
 * @throws {ReportError} when the file cannot be read or written
 */
export const ignoreFiles = async (folder: string, names: readonly string[]): Promise<readonly string[]> => {
  const path = join(folder, '.gitignore');
  try {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    });
    const there = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, '')));
    const added = names.filter((name) => !there.has(name.replace(/\/$/, '')));
    const before = text === '' || text.endsWith('\n') ? '' : '\n';
    if (added.length > 0) await appendFile(path, `${before}${added.join('\n')}\n`);
    return added;
  } catch (error) {
    throw failedTo(`write ${path}`, path, error);
  }
};

/**
 * REPORTS_DIR of a command that takes no other setting: where the runs of this folder write.
 * @throws {SettingsError} where the value is none
 */
export const reportsDirOf = (cwd: string, env: NodeJS.ProcessEnv, flag?: string): string =>
  readSettings({
    flags: { REPORTS_DIR: flag },
    env: { REPORTS_DIR: oneSetting('REPORTS_DIR', { env, cwd }) },
    cwd,
    envFile: false,
  }).values.REPORTS_DIR;

export const resultsIn = (reportsDir: string): string => join(reportsDir, 'conformance', 'results.json');

/** A `.env` file: its own lines between those that every one has. */
export const envFile = (lines: readonly string[], caFile = ''): string =>
  [
    '# Settings of access-conformance; access-conformance help settings lists all of them. Keep this file out of git.',
    ...lines,
    '# Certificates of your own authority, if the target has one:',
    `CA_FILE=${envValue(caFile)}`,
    '# The plain-HTTP side, if BASE_URL has a port; none when there is no such port:',
    'HTTP_BASE_URL=',
    '',
  ].join('\n');

export type CiSystem = 'github' | 'gitlab';

const template = (name: string): string => readFileSync(asset('assets', 'init', name), 'utf8');

/**
 * The text of a CI file. Lines that end with `#overlay` are left out where no overlay is named. The
 * suite is installed from ACCESS_CONFORMANCE_SOURCE: a bare name is refused (`publishedName`), and
 * code that runs during the installation sees no key.
 */
const ciText =
  (name: string) =>
  (overlay?: string): string =>
    template(name)
      .replace(/^(.*) #overlay\n/gm, overlay === undefined ? '' : '$1\n')
      .replace('{overlay}', () => JSON.stringify(overlay));

/**
 * The CI file of each system; paths, also that of `overlay`, are from the root of the repository.
 */
export const ciFiles: Readonly<
  Record<CiSystem, { readonly path: string; readonly text: (overlay?: string) => string }>
> = {
  github: { path: '.github/workflows/access-conformance.yml', text: ciText('github.yml') },
  gitlab: { path: '.gitlab/access-conformance.yml', text: ciText('gitlab.yml') },
};

/** A template of an overlay that fills gaps of the shipped contract. */
export const overlayFile = (): string => template('overlay.yaml');

/** A security scheme that many services have. */
export interface UsualScheme {
  /** How the key travels. */
  readonly words: string;
  /** A Security Scheme Object of OpenAPI. */
  readonly definition: object;
}

/** In the order in which they are tried. */
export const usualSchemes: readonly UsualScheme[] = [
  { words: 'Authorization: Bearer <key>', definition: { type: 'http', scheme: 'bearer' } },
  {
    words: 'Authorization: Token <key>',
    definition: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      'x-access-credential': { scheme: 'Token', separator: ' ' },
    },
  },
  { words: 'X-API-Key: <key>', definition: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
];

/** The overlay offers Basic too, which is not tried, since a wrong password may lock an account. */
export const offeredSchemes: readonly UsualScheme[] = [
  ...usualSchemes,
  { words: 'Authorization: Basic, with API_KEY=user:password', definition: { type: 'http', scheme: 'basic' } },
];
