import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ciFiles } from '../../../src/cli/files.js';
import { packageRoot, publishedName, tool } from '../../../src/package.js';
import { expect, test } from '../support/test.js';

/**
 * The package is in no registry (`publishedName`). A text that says `npx access-conformance` would
 * lead people to run, beside their keys, whatever a stranger publishes under the name.
 */

const name = tool.name.replaceAll('-', '\\-');
const option = String.raw`(?:\s+(?:-\w+|--\w[\w-]*(?:=\S+)?))*`;
const fetchers = [
  // npm i -D access-conformance, pnpm add access-conformance@0.1.0
  String.raw`(?:npm|pnpm|yarn|bun)\s+(?:global\s+)?(?:i|in|install|add|exec|x|dlx|create|init)${option}(?:\s+--)?\s+["']?${name}(?![\w/.:-]*\.(?:tgz|git))`,
  String.raw`(?:npx|bunx|pnpx)${option}\s+["']?${name}`,
  // Anywhere: a name with a version, as only a registry has it. An action is taken from a
  // repository.
  String.raw`(?<!/)${name}@(?:\d|latest|next|\$)`,
].map((source) => new RegExp(source, 'g'));

const fetchesIn = (text: string): string[] =>
  fetchers
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([command]) => command))
    .filter((command) => !/\s--(?:no-install|no|offline)\s/.test(command));

const filesBelow = (folder: string): string[] =>
  readdirSync(join(packageRoot, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(?:png|svg)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

test('the pattern knows a command that asks a registry from one that does not', () => {
  for (const command of [
    `npx ${tool.name} run`,
    `npx --yes ${tool.name}@0.1.0 run`,
    `npm i -D ${tool.name}`,
    `npm install --save-dev ${tool.name}`,
    `npm exec -- ${tool.name}`,
    `pnpm add -D ${tool.name}`,
    `pnpm dlx ${tool.name} run`,
    `npx --yes "${tool.name}@$version" run`,
  ])
    expect(fetchesIn(command), command).not.toEqual([]);
  for (const command of [
    `npx --no-install ${tool.name} run`,
    `npm install --save-dev ./${tool.name}-0.1.0.tgz`,
    `npm install "git+https://git.example/your-org/${tool.name}.git#COMMIT"`,
    `uses: your-org/${tool.name}@v0.1.0`,
    `${tool.name} run`,
    `npx playwright test -c node_modules/${tool.name}/dist/playwright.config.js`,
  ])
    expect(fetchesIn(command), command).toEqual([]);
});

test('no text fetches the package from a registry before it is published', () => {
  test.skip(publishedName !== undefined, 'The package is published.');
  const files = [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'action.yml', '.env.example'].map((file) =>
      join(packageRoot, file),
    ),
    ...['src', 'docs', 'specs', '.github', 'assets', 'openapi'].flatMap(filesBelow),
  ];
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) => fetchesIn(readFileSync(file, 'utf8')).map((command) => `${file}: ${command}`));
  expect(found).toEqual([]);
  for (const { text } of Object.values(ciFiles)) expect(fetchesIn(text('overlay.yaml'))).toEqual([]);
});

test('one paragraph says that the package is in no registry', () => {
  const guide = readFileSync(join(packageRoot, 'docs', 'install.md'), 'utf8');
  expect(guide.includes('**The package is in no registry yet.**')).toBe(publishedName === undefined);
  expect(guide).toContain('<a id="name"></a>');
});
