import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/package.js';

const exec = promisify(execFile);

/** What a build reads and npm takes along by itself. */
const always = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'playwright.config.ts',
  'src',
  'tests/conformance',
  'README.md',
  'LICENSE',
  'action.yml',
];

export interface StagedPackage {
  /** Everything that a build reads and the manifest's `files` name, built; dependencies are the checkout's. */
  readonly folder: string;
  /** The compiled command: `node <command> run`. */
  readonly command: string;
  remove(): void;
}

/**
 * Builds a copy of the checkout as publishing does (`prepack`), so that nobody else's build comes between and none is needed
 * before.
 */
export const stagePackage = async (): Promise<StagedPackage> => {
  const folder = mkdtempSync(join(tmpdir(), 'access-conformance-package-'));
  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    files: string[];
    bin: Record<string, string>;
  };
  const parts = manifest.files.filter((name) => name !== 'dist').map((name) => name.replace(/\/\*.*$/, ''));
  for (const name of new Set([...always, ...parts])) {
    const from = join(packageRoot, name);
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(from, join(folder, name), { recursive: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  await exec('npm', ['run', 'prepack'], { cwd: folder }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`the package cannot be built:\n${error.stdout}${error.stderr}`);
  });
  return {
    folder,
    command: join(folder, manifest.bin['access-conformance'] ?? 'no such bin'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
