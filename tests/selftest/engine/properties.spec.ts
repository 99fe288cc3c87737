import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readExchange } from '../../../src/rules/oracle/reading.js';
import { isOfOneForm, isSame, sharedWithKeyed } from '../../../src/rules/oracle/same.js';
import { isUsable, usable } from '../../../src/rules/oracle/usable-controls.js';
import { describeBody, keptBody } from '../../../src/wire/describe-body.js';
import { KeyRing } from '../../../src/wire/keyring.js';
import type { Exchange, Response } from '../../../src/wire/types.js';
import { test } from '../support/test.js';

/** Judges take whatever a server sends. A short budget here; `npm run fuzz` gives ten minutes. */

const budget = {
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: Number(process.env.FUZZ_MS ?? (process.env.ZOO === 'all' ? 2_000 : 1_000)),
  markInterruptAsFailure: false,
};
test.setTimeout(budget.interruptAfterTimeLimit * 3 + 900_000);

const key = 'b7Yq0ZkT2mVw9RfLx4Ns8GdH';
const ring = new KeyRing({ keys: { API_KEY: key }, seed: 'properties' });
const salt = 'properties';

const urls = fc.tuple(fc.domain(), fc.string()).map(([host, path]) => `https://${host}/${encodeURIComponent(path)}`);

const bodies = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  // `fc.string({ unit: 'binary' })` and `fc.webUrl()` make a table of all characters: seconds a
  // worker.
  fc.array(fc.nat({ max: 0x10ffff })).map((points) => Buffer.from(String.fromCodePoint(...points))),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<a href="',
        '">',
        '&amp;',
        '&#x41;',
        '<!--',
        '-->',
        '{',
        '}',
        '"',
        '\n',
        key,
        'text ',
      ),
    )
    .map((parts) => Buffer.from(parts.join(''))),
);

const responses: fc.Arbitrary<Response> = fc
  .record({
    status: fc.oneof(
      fc.constantFrom(200, 204, 301, 302, 401, 403, 404, 429, 500, 502),
      fc.integer({ min: 100, max: 599 }),
    ),
    bytes: bodies,
    contentType: fc.option(
      fc.oneof(
        fc.constantFrom('application/json', 'text/html; charset=utf-8', 'text/csv', 'x/y;charset=none'),
        fc.string(),
      ),
      { nil: undefined },
    ),
    location: fc.option(fc.oneof(urls, fc.string()), { nil: undefined }),
    truncated: fc.boolean(),
  })
  .map(({ status, bytes, contentType, location, truncated }) => {
    const described = describeBody({
      bytes,
      contentType,
      truncated,
      echoes: ['/api/v2/workout/'],
      salt,
      redact: (text) => ring.redact(text),
    });
    return {
      status,
      httpVersion: '1.1',
      headers: [
        ...(contentType === undefined ? [] : [['Content-Type', contentType] as const]),
        ...(location === undefined ? [] : [['Location', location] as const]),
      ],
      ...keptBody(described),
    };
  });

const exchangeOf = (response: Response, id: string): Exchange => ({
  id,
  probe: {
    operation: 'o',
    name: id,
    method: 'GET',
    origin: 'https://h',
    target: '/',
    headers: [],
    connection: 'shared',
    protocol: 'http/1.1',
    round: 1,
  },
  connection: { reused: false, protocol: 'http/1.1' },
  request: { method: 'GET', url: 'https://h/', headers: [] },
  attempts: [{ response, timing: { total: 1 } }],
});

test('no answer makes a comparison throw, and every answer is the same as itself', () => {
  fc.assert(
    fc.property(responses, responses, (a, b) => {
      assert(isSame(a, { ...a }));
      assert.equal(isSame(a, b), isSame(b, a));
      isOfOneForm(a.shape, b.shape);
      sharedWithKeyed(a.shape, a.shape, b.shape);
    }),
    budget,
  );
});

test('a reading is always one of three, and what equals a missing path is never granted', () => {
  fc.assert(
    fc.property(responses, responses, responses, responses, (first, second, missing, answer) => {
      const all = [first, second, missing, answer].map((response, index) => exchangeOf(response, String(index)));
      const [one, two, three, four] = all;
      if (!one || !two || !three || !four) return;
      const controls = usable({
        keyed: [one, two],
        variesInForm: false,
        anonymous: four,
        random: four,
        missing: three,
        otherMissing: three,
        keyedMissing: three,
        base: three,
        isDocumentedData: false,
        publics: [],
        refusals: [],
        all,
        elsewhere: {
          refusesByStatus: () => false,
          takesTheKey: () => false,
          openToAnyKey: () => [],
          givesAnyKeyData: () => false,
          listsIt: () => false,
        },
      });
      if (!isUsable(controls)) return;
      const { background } = controls;
      assert(['granted', 'refused', 'unclear'].includes(readExchange(four, background).verdict));
      if (background.nothing.includes(missing))
        assert.notEqual(readExchange(exchangeOf(missing, 'again'), background).verdict, 'granted');
      assert.notEqual(readExchange(exchangeOf(first, 'again'), background).verdict, 'refused');
    }),
    budget,
  );
});

test('the key is in nothing that is kept of a body', () => {
  fc.assert(
    fc.property(
      bodies,
      bodies,
      fc.constantFrom('application/json', 'text/html', undefined),
      (before, after, contentType) => {
        const bytes = Buffer.concat([before, Buffer.from(key), after]);
        const { shape, text } = describeBody({
          bytes,
          contentType,
          truncated: false,
          echoes: [],
          salt,
          redact: (text) => ring.redact(text),
        });
        assert(!JSON.stringify(shape).includes(key));
        assert(!text?.includes(key));
      },
    ),
    budget,
  );
});
