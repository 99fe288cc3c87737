import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

/**
 * Absolute path of the installed package: the folder that holds `package.json`, `openapi/` and
 * `specs/`.
 */
export const packageRoot = ((): string => {
  let folder = dirname(here);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

/** Name and version as they appear in reports and in the User-Agent of every probe. */
export const tool = { name: manifest.name, version: manifest.version } as const;

/**
 * Absolute path of a file that the package ships, for example
 * `asset('openapi', 'fitness-data-service.yaml')`.
 */
export const asset = (...segments: string[]): string => join(packageRoot, ...segments);

/**
 * Absolute path of a built module that a thread is started with:
 * `builtModule('contract/body-worker')`.
 */
export const builtModule = (name: string): string => asset('dist', 'src', `${name}.js`);

/**
 * Absolute path of a module that Playwright loads by its path: the TypeScript of a checkout whose
 * TypeScript runs, else what was built.
 */
export const playwrightModule = (name: string): string =>
  extname(here) === '.ts' ? asset('src', 'playwright', `${name}.ts`) : builtModule(`playwright/${name}`);

/**
 * The name of the package in the npm registry; `undefined` until it is published there. While it is
 * `undefined`, no text may name a command that fetches the package by its name: whoever takes the
 * name would get the keys of the people who follow it. `docs/install.md` says how it is installed.
 */
export const publishedName: string | undefined = undefined;
