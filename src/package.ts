import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

/** Absolute path of the installed package: its `package.json`, `openapi/` and `specs/`. */
export const packageRoot = ((): string => {
  for (let folder = dirname(here); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(
        `access-conformance reads files of its own package, and none is above ${here}: leave it out of the bundle.`,
      );
  }
})();

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

/** Name and version as they appear in reports and in the User-Agent of every probe. */
export const tool = { name: manifest.name, version: manifest.version } as const;

/** Absolute path of a file of the package: `asset('openapi', 'fitness-data-service.yaml')`. */
export const asset = (...segments: string[]): string => join(packageRoot, ...segments);

/** Absolute path of a built module that runs in a thread: `builtModule('contract/body-worker')`. */
export const builtModule = (name: string): string => asset('dist', 'src', `${name}.js`);

/**
 * Absolute path of a module that Playwright loads by path: TypeScript when running from a
 * checkout's sources, else the built module.
 */
export const playwrightModule = (name: string): string =>
  extname(here) === '.ts' ? asset('src', 'playwright', `${name}.ts`) : builtModule(`playwright/${name}`);

/**
 * The name of the package in the npm registry; `undefined` until it is published there. Until then
 * no text may contain a command that fetches the package by name: anybody could register the name,
 * and would get the keys of people who run the command. `docs/install.md` says how to install it.
 */
export const publishedName: string | undefined = undefined;

/** The shortest way to write a path in the folder `cwd`. */
export const shortPath = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
};
