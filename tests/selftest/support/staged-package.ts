import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/package.js';

/** What npm takes along by itself. */
const always = ['package.json', 'README.md', 'LICENSE'];

export interface StagedPackage {
  /**
   * Everything that the manifest's `files` name, as it was built last; dependencies are the
   * checkout's.
   */
  readonly folder: string;
  /** Packs it, as publishing would, and says what is in it. */
  pack(): Promise<{ readonly tarball: string; readonly files: readonly string[] }>;
  remove(): void;
}

/**
 * Copies what is published, so that nobody's build comes between. `npm test` builds before anything
 * else, as publishing does.
 */
export const stagePackage = (): StagedPackage => {
  const folder = mkdtempSync(join(tmpdir(), 'access-conformance-package-'));
  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    files: string[];
  };
  const parts = manifest.files.map((name) => name.replace(/\/\*.*$/, ''));
  for (const name of new Set([...always, ...parts])) {
    const from = join(packageRoot, name);
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(from, join(folder, name), { recursive: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    pack: async () => {
      const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
      const { stdout } = await promisify(execFile)('npm', words, { cwd: folder });
      const packed: unknown = JSON.parse(stdout);
      const [pack] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as {
        filename: string;
        files: { path: string }[];
      }[];
      if (!pack) throw new Error(`npm pack said nothing of use: ${stdout}`);
      return { tarball: join(folder, pack.filename), files: pack.files.map(({ path }) => path) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
