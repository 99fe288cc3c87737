import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Builds `dist`, unless it is what a build of the same files gave: an install, `npm pack` and
 * `npm test` all ask for a build, one after the other.
 */

/**
 * Modules that Node or Playwright loads by their path. They share the code of all others in chunks.
 */
const entryPoints = [
  'playwright.config.ts',
  ...readdirSync('tests/conformance').map((name) => `tests/conformance/${name}`),
  'src/index.ts',
  'src/cli/main.ts',
  'src/app/watchdog-thread.ts',
  'src/contract/body-worker.ts',
  'src/contract/precompile.ts',
  'src/playwright/gather.ts',
  'src/playwright/key-page-child.ts',
  'src/playwright/reporter.ts',
];

const inputs = [
  'src',
  'tests/conformance',
  'playwright.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'scripts/build.mjs',
  // The compiler and the types of packages, as npm installed them.
  'node_modules/.package-lock.json',
];
const compiled = 'dist/src/contract/compiled';
const stamp = 'dist/.stamp';

/** The files at or below a path, in a fixed order. */
const filesAt = (path) => {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .map((entry) => join(path, entry.name))
    .sort()
    .flatMap(filesAt);
};

/** Deletes the declarations that no exported one imports, directly or through others. */
const keepReachableTypes = () => {
  const waiting = ['dist/src/index.d.ts', 'dist/playwright.config.d.ts'];
  const reachable = new Set();
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (reachable.has(file)) continue;
    reachable.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g))
      waiting.push(join(dirname(file), `${path}.d.ts`));
  }
  for (const file of filesAt('dist')) if (file.endsWith('.d.ts') && !reachable.has(file)) rmSync(file);
};

const digestOf = (parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const state = () => {
  const read = inputs.flatMap(filesAt).map((file) => [file, digestOf(readFileSync(file, 'utf8'))]);
  const written = filesAt('dist').filter((file) => file !== stamp);
  const facts = written.map((file) => [file, statSync(file).size, statSync(file).mtimeMs, statSync(file).mode]);
  return digestOf([process.version, read, facts]);
};

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== state()) {
  rmSync('dist', { recursive: true, force: true });
  const run = (...args) => execFileSync(process.execPath, args, { stdio: 'inherit' });
  try {
    run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly');
    keepReachableTypes();
    // A start of the command reads a few files instead of hundreds.
    await build({
      entryPoints,
      outbase: '.',
      outdir: 'dist',
      chunkNames: 'chunks/[name]-[hash]',
      bundle: true,
      splitting: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // Names stay, for stack traces, and lines that a person can look at.
      minifyWhitespace: true,
      minifySyntax: true,
      lineLimit: 1000,
      charset: 'utf8',
    });
    run('dist/src/contract/precompile.js');
    await build({
      entryPoints: filesAt(compiled),
      outdir: compiled,
      allowOverwrite: true,
      outExtension: { '.js': '.cjs' },
      minify: true,
      // Top-level names are shortened in modules alone.
      format: 'cjs',
      // The schemas are repeated as constants, most of which nothing reads.
      treeShaking: true,
    });
  } catch {
    // The program has said what is wrong.
    process.exit(1);
  }
  chmodSync('dist/src/cli/main.js', 0o755);
  writeFileSync(stamp, state());
}
