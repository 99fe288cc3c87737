import { tool } from '../package.js';
import { envValue } from '../settings/env-example.js';

/** The settings that a run needs, as a `.env` file. */
export const envFile = (baseUrl = ''): string =>
  [
    '# Settings of access-conformance; access-conformance help settings lists all of them. Keep this file out of git.',
    `BASE_URL=${envValue(baseUrl)}`,
    'API_KEY=',
    '# Certificates of your own authority, if the target has one:',
    'CA_FILE=',
    '# The plain-HTTP side, if BASE_URL has a port; none when there is no such port:',
    'HTTP_BASE_URL=',
    '',
  ].join('\n');

export type CiSystem = 'github' | 'gitlab';

const run = `npx --yes ${tool.name}@${tool.version} run`;

const github = (
  overlay?: string,
): string => `# Judges the deployment every night and on demand. Set the variable BASE_URL and the secret API_KEY of the repository.
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
${overlay === undefined ? '' : '      - uses: actions/checkout@v4\n'}      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: ${run}
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
# and set BASE_URL and API_KEY (masked) as CI/CD variables.
access-conformance:
  image: node:22
${overlay === undefined ? '' : `  variables:\n    OVERLAY: ${JSON.stringify(overlay)}\n`}  script:
    - ${run}
  artifacts:
    when: always
    paths:
      - reports/
    reports:
      junit: reports/conformance/junit.xml
`;

/**
 * The CI file of each system, with its path from the root of the repository. `overlay` is the path
 * of an overlay from that root.
 */
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
