import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { LineIndex } from '../../../src/engine/line-index.js';
import { linesOf } from '../../../src/engine/lines.js';
import { Store } from '../../../src/engine/store.js';
import { expect, test } from '../support/folder-fixture.js';

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
      expect(read).toEqual(values);
    }),
  );
});

test('lines are found by exchange id as in a Map', () => {
  const id = fc.integer({ min: 0, max: 2 ** 48 - 1 }).map((number) => number.toString(16).padStart(12, '0'));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 3_000, size: 'max' }), (ids) => {
      const [index, map] = [new LineIndex(), new Map<string, number>()];
      for (const [line, each] of ids.entries()) {
        index.set(each, line);
        map.set(each, line);
      }
      expect(index.size).toBe(map.size);
      expect([...map].filter(([each, line]) => index.get(each) !== line)).toEqual([]);
      expect(index.get('ffffffffffff')).toBe(map.get('ffffffffffff'));
    }),
    { numRuns: 20 },
  );
});
