import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/package.js';
import { startChanged } from '../../../src/reference/service.js';
import { rules } from '../../../src/rules/index.js';
import { judgeRunning } from '../support/judge.js';
import { withService } from '../support/reference.js';
import { expect, test } from '../support/test.js';
import { appAgentOpens } from './app-agent/app-agent-opens.js';
import { refusesAppAgents } from './app-agent/refuses-app-agents.js';

/** docs/writing-a-rule.md says what is true: its example is this one, which is compiled and run. */

const guide = readFileSync(join(packageRoot, 'docs', 'writing-a-rule.md'), 'utf8');

/** Judges the service with the rule of the guide beside the shipped ones. */
const judged = async (changes: Parameters<typeof startChanged>[0]) => {
  const service = await startChanged(changes);
  try {
    return await judgeRunning(service, { rules: [...rules, refusesAppAgents], only: ['AUTH-3', 'AUTH-2'] });
  } finally {
    await service.close();
  }
};

test('the fault of the guide shows in the one request that it names', async () => {
  await withService(await startChanged([appAgentOpens]), async ({ get }) => {
    const path = '/api/v2/workout/';
    expect((await get(path)).status).toBe(401);
    expect((await get(path, appAgentOpens.shownBy?.headers)).body).toContain('"minutes":');
  });
});

test('the rule of the guide sees its fault, and no shipped rule does', async () => {
  const { check, failedClauses, results } = await judged([appAgentOpens]);
  expect(failedClauses).toEqual(['AUTH-3']);
  expect(check('refuses-app-agents').outcome).toBe('failed');
  expect(results.checks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
});

test('the rule of the guide accuses neither the conforming service nor the counterpart of its fault', async () => {
  for (const changes of [[], [appAgentOpens.counterpart ?? {}]]) {
    const { check, failedClauses } = await judged(changes);
    expect(failedClauses).toEqual([]);
    expect(check('refuses-app-agents').outcome).toBe('passed');
  }
});

const folder = join(packageRoot, 'tests', 'selftest', 'examples');

/**
 * Code from which the guide quotes, with imports as they are where the guide says that the file
 * stands.
 */
const quotable = [
  ...readdirSync(join(folder, 'app-agent')).map((name) => join(folder, 'app-agent', name)),
  join(folder, 'writing-a-rule.spec.ts'),
  join(packageRoot, 'src', 'rules', 'observes-paths.ts'),
].map((file) =>
  readFileSync(file, 'utf8')
    .replaceAll("'../../../../src/rules/", "'./")
    .replaceAll("'../../../../src/reference/", "'../"),
);

const blocks = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);

test('each piece of code in the guide stands in the example, word for word', () => {
  expect(blocks('ts').length).toBeGreaterThan(2);
  for (const block of blocks('ts'))
    expect(
      quotable.some((text) => text.includes(block)),
      block,
    ).toBe(true);
});

test('each command of the guide is a script of the package, or names tests that are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const commands = blocks('sh').join('');
  for (const [, script = ''] of commands.matchAll(/npm run ([\w:-]+)/g)) expect(scripts, script).toHaveProperty(script);
  const selected = [...commands.matchAll(/tests\/selftest ((?:[\w-]+\/[\w-]* ?)+)/g)].flatMap(([, files = '']) =>
    files.trim().split(' '),
  );
  expect(selected.length).toBeGreaterThan(2);
  for (const file of selected) {
    const path = join(packageRoot, 'tests', 'selftest', file);
    expect(existsSync(path) || existsSync(`${path}.spec.ts`), file).toBe(true);
  }
});

test('the files and words that the guide lists are there', () => {
  const rows = [...guide.matchAll(/^\| `(src\/[\w./-]+|tests\/[\w./-]+)` \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, path = '', words = ''] of rows) {
    const file = join(packageRoot, path);
    expect(existsSync(file), path).toBe(true);
    if (!path.endsWith('.ts')) continue;
    const text = readFileSync(file, 'utf8');
    for (const [, word = ''] of words.matchAll(/`(\w+)`/g))
      expect(text, `${path} exports ${word}`).toMatch(
        new RegExp(`^export (?:const|function|interface|type) ${word}\\b`, 'm'),
      );
  }
});
