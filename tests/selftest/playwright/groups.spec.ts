import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shardsIn } from '../../../src/playwright/run-folder.js';
import { playwright } from '../support/front-end.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/** A document of more operations than there are groups of tests. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Large', version: '1' },
  paths: Object.fromEntries(
    Array.from({ length: 130 }, (_, index) => [
      `/things${index}`,
      { get: { operationId: `get${index}`, security: [], responses: { default: { description: 'Not said.' } } } },
    ]),
  ),
};

/** Tests by operation, in a list of them. */
const listed = (output: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  for (const [, id = ''] of output.matchAll(/› GET \/things\d+ · (get\d+) › /g))
    found.set(id, (found.get(id) ?? 0) + 1);
  return found;
};

test(
  'operations of a large document stay whole in a shard, and their tests keep their names',
  inCi,
  async ({ cwd }) => {
    writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(document));
    const env = { BASE_URL: 'https://127.0.0.1:9', CONTRACT: 'openapi.json' };
    const shards = await Promise.all(
      ['1/2', '2/2'].map(async (part) => listed((await playwright(cwd, env, ['--list', `--shard=${part}`])).output)),
    );
    // Alike operations have as many tests each, so one with fewer would be cut.
    const all = new Map(shards.flatMap((shard) => [...shard]));
    expect(all.size).toBe(130);
    expect(new Set(all.values()).size).toBe(1);
    expect(shards.reduce((sum, shard) => sum + shard.size, 0)).toBe(130);
    for (const { size } of shards) expect(size).toBeGreaterThan(130 / 2 - 10);
  },
);

test('more shards than the usual groups all have tests', inFull, async ({ cwd }) => {
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(document));
  const env = { BASE_URL: 'https://127.0.0.1:9', CONTRACT: 'openapi.json' };
  const seen: string[] = [];
  for (const shard of [2, 60]) {
    const { output } = await playwright(cwd, env, ['--list', `--shard=${shard}/60`]);
    const own = [...listed(output).keys()];
    expect(own.length + Number(output.includes('the whole service')), `shard ${shard}`).toBeGreaterThan(0);
    seen.push(...own);
  }
  expect(new Set(seen).size).toBe(seen.length);
});

test('a shard without tests is not green, and says what to do, whichever reporter is chosen', inCi, async ({ cwd }) => {
  const env = { BASE_URL: 'https://127.0.0.1:9', API_KEY: '0123456789abcdef' };
  for (const [args, expected] of [
    [[], 3],
    [['--reporter=blob'], 1],
  ] as const) {
    const { code, output } = await playwright(cwd, env, ['--shard=2/9', ...args]);
    expect(output).toContain('Nothing was judged in shard 2 of 9: it has no tests');
    expect(output).toContain('run fewer shards');
    expect(output).not.toContain('teardown');
    expect(code).toBe(expected);
  }
});

test('the number of shards is read from both forms of the argument', () => {
  expect(shardsIn(['node', 'cli.js', 'test', '--shard=2/60'])).toBe(60);
  expect(shardsIn(['node', 'cli.js', 'test', '--shard', '3/5', '--list'])).toBe(5);
  expect(shardsIn(['node', 'cli.js', 'test'])).toBe(1);
});
