import { appendFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.js';
import { failedTo } from '../report/reports-folder.js';
import { envValue } from '../settings/env-file.js';
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
 * REPORTS_DIR of a command that takes no other setting. `.env` is for runs.
 * @throws {SettingsError} where the value is none
 */
export const reportsDirOf = (cwd: string, env: NodeJS.ProcessEnv, flag?: string): string =>
  readSettings({ flags: { REPORTS_DIR: flag }, env: { REPORTS_DIR: env.REPORTS_DIR }, cwd, envFile: false }).values
    .REPORTS_DIR;

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

/**
 * The lines of a shell script that install the suite into `$suite` from ACCESS_CONFORMANCE_SOURCE.
 * A bare name is refused (`publishedName`). Code that runs during the installation sees no key.
 */
const install = [
  'case "$ACCESS_CONFORMANCE_SOURCE" in',
  '  git+https://* | git+ssh://* | https://*.tgz | ./*.tgz | /*.tgz) ;;',
  '  *) echo "ACCESS_CONFORMANCE_SOURCE is no git reference and no tarball"; exit 3 ;;',
  'esac',
  'env -i "PATH=$PATH" "HOME=$HOME" "HTTPS_PROXY=$HTTPS_PROXY" "NO_PROXY=$NO_PROXY" \\',
  '  "NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS" \\',
  '  npm install --prefix "$suite" --no-audit --no-fund "$ACCESS_CONFORMANCE_SOURCE" || exit 3',
];

const indented = (lines: readonly string[], indent: number): string =>
  lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');

const source = 'ACCESS_CONFORMANCE_SOURCE: a git reference with a whole commit id, or a tarball';

const github = (
  overlay?: string,
): string => `# Judges the deployment every night and on demand. Set in the repository: the variable BASE_URL, the secret API_KEY,
# and the variable ${source}
# (git+https://git.example/your-org/access-conformance.git#COMMIT).
name: access conformance
on:
  workflow_dispatch:
  schedule:
    - cron: '17 4 * * *'
permissions:
  contents: read
jobs:
  conformance:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - name: Install access-conformance
        run: |
          suite="$RUNNER_TEMP/access-conformance"
${indented(install, 10)}        env:
          ACCESS_CONFORMANCE_SOURCE: \${{ vars.ACCESS_CONFORMANCE_SOURCE }}
      - run: '"$RUNNER_TEMP/access-conformance/node_modules/.bin/access-conformance" run'
        env:
          BASE_URL: \${{ vars.BASE_URL }}
          API_KEY: \${{ secrets.API_KEY }}
${overlay === undefined ? '' : `          OVERLAY: ${JSON.stringify(overlay)}\n`}      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: access-conformance
          path: reports/
`;

const gitlab = (
  overlay?: string,
): string => `# Judges the deployment. Add to .gitlab-ci.yml:   include: .gitlab/access-conformance.yml
# and set as CI/CD variables BASE_URL, API_KEY (masked), and ${source}
# (git+https://git.example/your-org/access-conformance.git#COMMIT).
access-conformance:
  image: node:22
${overlay === undefined ? '' : `  variables:\n    OVERLAY: ${JSON.stringify(overlay)}\n`}  script:
    - |
      suite=$(mktemp -d)
${indented(install, 6)}      "$suite/node_modules/.bin/access-conformance" run
  artifacts:
    when: always
    paths:
      - reports/
    reports:
      junit: reports/conformance/junit.xml
`;

/** The CI file of each system; paths, also that of `overlay`, are from the root of the repository. */
export const ciFiles: Readonly<
  Record<CiSystem, { readonly path: string; readonly text: (overlay?: string) => string }>
> = {
  github: { path: '.github/workflows/access-conformance.yml', text: github },
  gitlab: { path: '.gitlab/access-conformance.yml', text: gitlab },
};

/** A template of an overlay that fills gaps of the shipped contract. */
export const overlayFile = `# OpenAPI Overlay: says what you know about your deployment and the contract leaves open. Use it with OVERLAY=overlay.yaml
overlay: 1.0.0
info:
  title: What our deployment adds to the access contract
  version: 1.0.0
actions:
  # Answers that your deployment promises are checked (DOC-1, DOC-2).
  - target: $.paths['/api/v2/exercise/'].get
    update:
      responses:
        '200':
          description: A page of exercises.
          content:
            application/json: {}
`;

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
