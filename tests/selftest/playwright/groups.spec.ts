import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { playwright } from '../support/front-end.js';
import { expect, inCi, test } from '../support/test.js';

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
    const [all, ...shards] = await Promise.all(
      [[], ['--shard=1/3'], ['--shard=2/3'], ['--shard=3/3']].map(async (words) =>
        listed((await playwright(cwd, env, ['--list', ...words])).output),
      ),
    );
    expect(all?.size).toBe(130);
    expect(new Map(shards.flatMap((shard) => [...shard]))).toEqual(all);
    expect(shards.reduce((sum, shard) => sum + shard.size, 0)).toBe(130);
    for (const { size } of shards) expect(size).toBeGreaterThan(130 / 3 - 5);
  },
);
