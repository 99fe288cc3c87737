import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { packageRoot } from '../../../src/package.js';

export interface ModuleBuild {
  /** Absolute path of the folder that holds the modules. */
  readonly folder: string;
  /** URL of a module, for an import: `engine/judge-again.js`. */
  readonly url: (file: string) => string;
  readonly remove: () => void;
}

/** Paths below `src`, without the declarations of types. */
const sources = (): readonly string[] =>
  readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => join('src', path));

/** Builds `src` module by module, where the package has all modules in a few files. */
export const buildModules = (name: string): ModuleBuild => {
  const folder = join(packageRoot, 'test-results', `${name}-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  buildSync({
    absWorkingDir: packageRoot,
    entryPoints: [...sources()],
    outbase: 'src',
    outdir: folder,
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return {
    folder,
    url: (file) => pathToFileURL(join(folder, file)).href,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
