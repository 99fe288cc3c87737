import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Absolute path of the installed package: the folder that holds `package.json`, `openapi/` and
 * `specs/`.
 */
export const packageRoot = ((): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
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
 * The name of the package in the npm registry; `undefined` until it is published there. While it is
 * `undefined`, no text may name a command that fetches the package by its name: whoever takes the
 * name would get the keys of the people who follow it. `docs/install.md` says how it is installed.
 */
export const publishedName: string | undefined = undefined;
