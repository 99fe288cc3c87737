import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { base64urlNumber, DigestIndex, hexNumber } from '../../../src/engine/store/digest-index.js';
import { linesOf } from '../../../src/engine/store/json-lines.js';
import { Store } from '../../../src/engine/store/store.js';
import type { Exchange } from '../../../src/wire/types.js';
import { expect, test } from '../support/test.js';

/** What a run keeps on disk. */

test('evidence has no name in the file system, so a killed run leaves none', ({ cwd }) => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = cwd;
  try {
    const store = new Store();
    expect(readdirSync(cwd)).toEqual([]);
    store.dispose();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

test('what was written is found again, however long and in whatever letters', async () => {
  const store = new Store();
  try {
    const texts = ['a', 'é', '😀', 'a\u2028'].flatMap((letter, at) =>
      [0, 1, 7, 15, 16, 17, 16_300, 16_384, 70_000].map((length) => `${at} ${letter.repeat(length)}`),
    );
    const exchanges = texts.map((target, at) => {
      const id = at.toString(16).padStart(12, '0');
      return { id, probe: { target }, connection: {}, request: {}, attempts: [] } as unknown as Exchange;
    });
    for (const part of [exchanges.slice(0, 20), exchanges.slice(20)]) {
      for (const exchange of part) store.add(exchange);
      store.settle({ isData: () => false });
    }
    const found = exchanges.map(({ id }) => store.get(id)?.probe.target);
    expect(found).toEqual(texts);
    const told: string[] = [];
    for await (const { probe } of store.exchanges()) told.push(probe.target);
    expect(told).toEqual(texts);
  } finally {
    store.dispose();
  }
});

test('who stops reading leaves the file open for others', async () => {
  const store = new Store();
  for (const id of ['000000000000', '000000000001'])
    store.add({ id, probe: { target: id }, connection: {}, request: {}, attempts: [] } as unknown as Exchange);
  store.settle({ isData: () => false });
  for await (const { id } of store.exchanges()) {
    expect(id).toBe('000000000000');
    break;
  }
  const told: string[] = [];
  for await (const { id } of store.exchanges()) told.push(id);
  expect(told).toHaveLength(2);
  expect(() => store.dispose()).not.toThrow();
  // Another file may have the number of the closed descriptor.
  expect(() => store.dispose()).not.toThrow();
  await expect(store.exchanges().next()).rejects.toThrow('dispose() was called');
});

test('a line ends where its JSON does, whatever a server put into it and however it is read', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\u2028', '\u2029', '\u0085', '\r', '\n', 'é', '😀', '') });
  await fc.assert(
    fc.asyncProperty(fc.array(text), fc.integer({ min: 1, max: 9 }), async (values, size) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      const read: unknown[] = [];
      for await (const line of linesOf(chunks())) read.push(JSON.parse(line));
      assert.deepEqual(read, values);
    }),
  );
});

for (const [what, encoding, numberOf] of [
  ['exchange id', 'hex', hexNumber],
  ['the digest of a scalar', 'base64url', base64urlNumber],
] as const)
  test(`numbers are found by ${what} as in a Map`, () => {
    const digest = fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString(encoding));
    const last = Buffer.alloc(6, 255).toString(encoding);
    fc.assert(
      fc.property(fc.array(digest, { maxLength: 3_000, size: 'max' }), (digests) => {
        const [index, map] = [new DigestIndex(numberOf), new Map<string, number>()];
        for (const [line, each] of digests.entries()) {
          index.set(each, line);
          map.set(each, line);
        }
        assert.equal(index.size, map.size);
        assert.deepEqual(
          [...map].filter(([each, line]) => index.get(each) !== line),
          [],
        );
        assert.equal(index.has(last), map.has(last));
      }),
      { numRuns: 20 },
    );
  });
