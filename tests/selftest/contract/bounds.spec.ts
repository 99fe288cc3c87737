import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadContract } from '../../../src/contract/load.js';
import { readSource } from '../../../src/contract/source.js';
import { parseYaml } from '../../../src/contract/yaml-parser.js';
import { documentOf, loadFiles, operationOf, problemsOf, withFiles } from '../support/documents.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/** A document whose only path item is at `reference`, in its sixth line. */
const leadingTo = (reference: string): string =>
  `openapi: 3.1.1\ninfo: { title: T, version: '1' }\npaths:\n  /a:\n    # here\n    $ref: ${JSON.stringify(reference)}\n`;

const item = JSON.stringify({ get: operationOf() });

test.describe('files that a document refers to', () => {
  test.skip(process.platform === 'win32', 'devices and pipes are files elsewhere');

  test('are regular ones: no device, no pipe, no folder', async () => {
    await withFiles({ 'a.yaml': leadingTo('pipe') }, async (path) => {
      execFileSync('mkfifo', [path('pipe')]);
      mkdirSync(path('folder'));
      symlinkSync('/dev/zero', path('zero'));
      for (const [reference, said] of [
        ['pipe', 'a pipe'],
        ['folder', 'a folder'],
        ['/dev/zero', 'a device'],
        ['zero', 'a device'],
      ] as const) {
        writeFileSync(path('a.yaml'), leadingTo(reference));
        const failure = await loadContract(path('a.yaml'), { refRoot: '/' }).catch((error: Error) => error);
        expect(String(failure)).toContain(`a.yaml:6:5 $ref "${reference}" cannot be read: it is ${said}`);
      }
    });
  });

  test('and bounded in size, whoever names them', inCi, async () => {
    await withFiles({ 'a.yaml': leadingTo('huge.yaml'), 'huge.yaml': '' }, async (path) => {
      truncateSync(path('huge.yaml'), 3 * 1024 ** 3);
      await expect(loadContract(path('a.yaml'))).rejects.toThrow(/a\.yaml:6:5 .*larger than 128 MiB/);
      await expect(loadContract(path('huge.yaml'))).rejects.toThrow(/larger than 128 MiB/);
    });
  });

  test('of what a person names, a pipe is read and a device is not', async () => {
    await withFiles({ 'a.yaml': 'x' }, async (path) => {
      expect(readSource(path('a.yaml')).value).toBe('x');
      await expect(loadContract('/dev/zero')).rejects.toThrow(/a device, and only a regular file is read/);
    });
  });

  test('are in the folder of the document, links resolved, or in REF_ROOT', async () => {
    await withFiles({ 'a.yaml': '' }, async (path) => {
      const [own, beside] = [path('own'), path('beside')];
      for (const folder of [own, join(own, 'deeper'), beside]) mkdirSync(folder);
      writeFileSync(join(beside, 'item.json'), item);
      writeFileSync(join(own, 'deeper', 'item.json'), item);
      symlinkSync(join(beside, 'item.json'), join(own, 'link.json'));
      const load = (reference: string, refRoot?: string): Promise<unknown> => {
        writeFileSync(join(own, 'api.yaml'), leadingTo(reference));
        return loadContract(join(own, 'api.yaml'), { refRoot }).then(({ operations }) => operations.length);
      };
      expect(await load('deeper/item.json')).toBe(1);
      for (const reference of ['../beside/item.json', join(beside, 'item.json'), 'link.json']) {
        await expect(load(reference)).rejects.toThrow(/api\.yaml:6:5 .*leads out of the folder .*\n.*REF_ROOT/);
        expect(await load(reference, dirname(own))).toBe(1);
      }
      await expect(load('deeper/item.json', beside)).rejects.toThrow(/leads out of the folder/);
      // A document that is itself a link, as in a mounted configuration: the files beside it are
      // where it really is.
      writeFileSync(join(own, 'api.yaml'), leadingTo('../own/deeper/item.json'));
      symlinkSync(join(own, 'api.yaml'), join(beside, 'api.yaml'));
      expect((await loadContract(join(beside, 'api.yaml'))).operations).toHaveLength(1);
      rmSync(beside, { recursive: true });
    });
  });
});

test.describe('aliases', () => {
  const members = Array.from({ length: 9_000 }, (_, index) => `  k${index}: ${index}\n`).join('');
  const uses = (use: (index: number) => string, count = 9_000): string =>
    `a: &a\n${members}b:\n${Array.from({ length: count }, (_, index) => use(index)).join('')}`;

  const tagged = someOfTable();
  for (const [what, use] of [
    ['as values', (index: number) => `  b${index}: *a\n`],
    ['as items', () => '  - *a\n'],
    ['merged', (index: number) => `  b${index}: {<<: *a}\n`],
    ['in names', (index: number) => `  ? [*a, ${index}]\n  : 1\n`],
  ] as const)
    test(`that stand for eighty million values are refused where they begin to: ${what}`, tagged(), () => {
      const [problem, ...more] = parseYaml(uses(use)).problems;
      expect(more).toEqual([]);
      expect(problem?.message).toContain('the aliases of this document stand for more than');
      expect(problem?.offset).toBeGreaterThan(members.length);
    });

  test('that stand for a million are read, however many there are', inCi, () => {
    expect(parseYaml(uses((index) => `  b${index}: *a\n`, 100)).problems).toEqual([]);
    const many = `a: &a x\nb:\n${'  - *a\n'.repeat(5_000)}`;
    expect(parseYaml(many).value).toMatchObject({ b: { length: 5_000 } });
  });
});

test.describe('a document that is nested too deeply says so, and where', () => {
  const levels = 30_000;
  const head = 'openapi: 3.1.1\ninfo: { title: T, version: "1" }\npaths: {}\n';
  const json = (deep: string): string => `${JSON.stringify(documentOf({})).slice(0, -1)},\n"x-deep":${deep}}`;
  const stairs = Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at + 1)}a:\n`).join('');
  const aliases = Array.from({ length: 2_000 }, (_, at) => `x${at + 1}: &a${at + 1} [*a${at}]\n`).join('');
  for (const [what, name, text, line] of [
    ['lists', 'a.json', json(`${'['.repeat(levels)}${']'.repeat(levels)}`), 2],
    ['objects', 'a.json', json(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`), 2],
    ['flow lists', 'a.yaml', `${head}x: ${'['.repeat(levels)}${']'.repeat(levels)}\n`, 4],
    ['flow mappings', 'a.yaml', `${head}x: ${'{a: '.repeat(levels)}1${'}'.repeat(levels)}\n`, 4],
    ['with brackets in texts', 'a.yaml', `${head}x: ${'{a: "]}", b: '.repeat(levels)}1${'}'.repeat(levels)}\n`, 4],
    ['lists in one line', 'a.yaml', `${head}x:\n  ${'- '.repeat(levels)}x\n`, 5],
    ['names in one line', 'a.yaml', `${head}x:\n  ${'? '.repeat(levels)}x\n`, 5],
    ['mappings', 'a.yaml', `${head}x:\n${stairs}`, 504],
    ['aliases', 'a.yaml', `${head}x0: &a0 [1]\n${aliases}`, 502],
  ] as const)
    test(`${what} of ${name}`, async () => {
      expect(await problemsOf({ [name]: text })).toEqual([
        expect.stringMatching(new RegExp(`^${line}:\\d+ it is nested more than 500 levels deep here`)),
      ]);
    });

  test('four hundred levels are read, in JSON and in YAML', async () => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < 190; level += 1) schema = { type: 'object', properties: { a: schema } };
    const document = documentOf({ components: { schemas: { deep: schema } } });
    for (const name of ['a.json', 'a.yaml']) expect((await loadFiles({ [name]: document })).operations).toHaveLength(1);
  });

  test('a chain of ten thousand references is no depth', inCi, async () => {
    const chain = (next: (name: string) => object): object =>
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, at) => [
          `c${at}`,
          at === 9_999 ? { type: 'string' } : next(`#/components/schemas/c${at + 1}`),
        ]),
      );
    const responses = {
      200: { description: '-', content: { 'application/json': { schema: { $ref: '#/components/schemas/c0' } } } },
    };
    for (const next of [
      ($ref: string) => ({ $ref }),
      ($ref: string) => ({ allOf: [{ $ref }] }),
      ($ref: string) => ({ type: 'object', properties: { a: { $ref } } }),
    ]) {
      const contract = await loadFiles({
        'a.json': documentOf({
          paths: { '/a': { get: operationOf({ responses }) } },
          components: { schemas: chain(next) },
        }),
      });
      // A matcher would print ten thousand schemas.
      expect(typeof contract.operations[0]?.responses[0]?.content[0]?.schema).toBe('object');
      expect(Object.keys(contract.schemas)).toHaveLength(10_000);
    }
  });
});
