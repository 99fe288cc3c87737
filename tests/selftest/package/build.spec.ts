import { execFile, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { asset, packageRoot } from '../../../src/package.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * What somebody does who has cloned the repository: builds, builds again, runs the command, runs
 * the tests.
 */

const exec = promisify(execFile);

/** A project of this layout, with as little in it as the build needs. */
const sources = {
  'src/cli/main.ts': "#!/usr/bin/env node\nconsole.log('built');\n",
  ...Object.fromEntries(
    [
      'index',
      'app/watchdog-thread',
      'contract/body-worker',
      'contract/precompile',
      'playwright/gather',
      'playwright/key-page-child',
      'playwright/reporter',
    ].map((name) => [`src/${name}.ts`, 'export {};\n']),
  ),
  'tests/conformance/access.spec.ts': 'export {};\n',
  'playwright.config.ts': 'export default {};\n',
};

test(
  'the command can be started after each build, and nothing is built where nothing changed',
  inCi,
  async ({ cwd }) => {
    for (const name of ['scripts/build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
      cpSync(asset(name), join(cwd, name));
    for (const [name, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    symlinkSync(join(packageRoot, 'node_modules'), join(cwd, 'node_modules'));
    const { bin } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    /** Builds, starts the command, and tells when its file was written. */
    const build = async (): Promise<readonly number[]> => {
      await exec('npm', ['run', 'build'], { cwd });
      return Promise.all(
        Object.values(bin).map(async (file) => {
          // As npx does: the file itself, not node with the file.
          const { stdout } = await exec(join(cwd, file), [], { cwd });
          expect(stdout).toBe('built\n');
          return statSync(join(cwd, file)).mtimeMs;
        }),
      );
    };
    const first = await build();
    expect(await build(), 'built of the same files').toEqual(first);
    appendFileSync(join(cwd, 'src/cli/main.ts'), '// One line more.\n');
    expect(await build(), 'built of other files').not.toEqual(first);
  },
);

for (const [what, ci, why] of [
  ['on a machine of CI', 'true', 'CI is set'],
  ['where there is no browser', '', 'None was found'],
] as const)
  test(`npm test says what it will install and why before it does: ${what}`, ({ cwd }) => {
    const [bin, said, seen] = [join(cwd, 'bin'), join(cwd, 'said'), join(cwd, 'seen')];
    mkdirSync(bin);
    const program = (name: string, text: string): void =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('id', 'echo 0');
    // Keeps what had been said when it was called, and installs nothing.
    program('apt-get', `while IFS= read -r line; do echo "$line" >> '${seen}'; done < '${said}'; exit 1`);
    const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find(
      (path) => spawnSync(path, ['-c', 'true']).status === 0,
    );
    const { status } = spawnSync(bash ?? 'bash', [asset('scripts', 'find-chromium.sh')], {
      env: { PATH: bin, CI: ci },
      stdio: ['ignore', 'ignore', openSync(said, 'w')],
    });
    expect(status).toBe(1);
    expect(readFileSync(seen, 'utf8')).toContain(why);
    expect(readFileSync(seen, 'utf8')).toContain('installing the system package chromium-headless-shell with apt-get');
    expect(readFileSync(said, 'utf8')).toContain('none was found: install one');
  });
