import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the installed package: the folder that holds `package.json`, `openapi/` and `specs/`. */
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

/** Absolute path of a file that the package ships, for example `asset('openapi', 'fitness-data-service.yaml')`. */
export const asset = (...segments: string[]): string => join(packageRoot, ...segments);
