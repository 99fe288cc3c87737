import { Ajv2020 } from 'ajv/dist/2020.js';
import { BodyChecker } from '../../../src/contract/body-checker.js';
import type { MediaTypeSchema } from '../../../src/contract/model.js';
import { SchemaBundler } from '../../../src/contract/schema-bundler.js';
import { SchemaCompiler } from '../../../src/contract/schema-compiler.js';
import { expect, inCi, test } from '../support/test.js';

const position = { file: 'a.yaml', line: 1, column: 1 };
const described = (schema: unknown): MediaTypeSchema => ({ mediaType: 'application/json', schema, position });
const ref = (name: string): object => ({ $ref: `#/${name}` });

/** Backtracks for longer than anybody waits. */
const endless = { type: 'string', pattern: '^(a+)+$' };
const hostile = JSON.stringify(`${'a'.repeat(60)}!`);

test('a body that keeps its validation busy is unclear, and the others are judged', inCi, async () => {
  const checker = new BodyChecker({ schemas: { '#/endless': endless } }, { body: 2_000 });
  const ticks: number[] = [];
  const ticking = setInterval(() => ticks.push(performance.now()), 50);
  const [stuck, fine, wrong, alike, invalid] = await Promise.all([
    checker.check(described(ref('endless')), hostile),
    checker.check(described({ type: 'string' }), '"x"'),
    checker.check(described({ type: 'string' }), '1'),
    // Another operation with the same schema: nobody waits for it again.
    checker.check(described(ref('endless')), hostile),
    checker.check(described({ type: 'string' }), '{'),
  ]);
  clearInterval(ticking);
  const why = { verdict: 'unclear', message: expect.stringMatching(/^kept its validation busy for more than 2 s/) };
  expect(stuck).toEqual(why);
  expect(alike).toEqual(why);
  expect(fine).toEqual({ verdict: 'fits' });
  expect(wrong).toMatchObject({ verdict: 'differs', message: 'must be string, and is number' });
  expect(invalid).toBe('no-json');
  // The event loop turned meanwhile.
  expect(ticks.length).toBeGreaterThan(5);
  checker.stop();
});

test('a search for every error that takes too long leaves the first error', inCi, async () => {
  const checker = new BodyChecker({ schemas: {} }, { body: 2_000 });
  const schema = described({ required: ['id'], properties: { name: endless } });
  const body = JSON.stringify({ name: `${'a'.repeat(60)}!` });
  const first = await checker.check(schema, body);
  expect(first).toMatchObject({ verdict: 'differs', message: "must have required property 'id'" });
  // The schema is used again, for its first error alone.
  expect(await checker.check(schema, body)).toEqual(first);
  expect(await checker.check(schema, '{"id":1,"name":"aa"}')).toEqual({ verdict: 'fits' });
  checker.stop();
});

test('what is lost to such bodies is bounded, and a stop ends the wait', inCi, async () => {
  const checker = new BodyChecker({ schemas: {} }, { body: 1_000, lost: 1_000 });
  expect(await checker.check(described(endless), hostile)).toMatchObject({ verdict: 'unclear' });
  const other = await checker.check(described({ type: 'object' }), '{}');
  expect(other).toMatchObject({ verdict: 'unclear', message: expect.stringContaining('came after others') });
  const stopped = new BodyChecker({ schemas: {} });
  const waiting = stopped.check(described(endless), hostile);
  setTimeout(() => stopped.stop(), 500);
  expect(await waiting).toMatchObject({ verdict: 'unclear', message: expect.stringContaining('stopped') });
});

test('a schema and a body that lead into a depth are told, and end nothing', async () => {
  const ring = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [
      `#/c${at}`,
      { properties: { a: ref(`c${(at + 1) % 3_000}`), n: { type: 'string', pattern: `^x${at}$` } } },
    ]),
  );
  const own = { properties: { a: ref('own'), n: { type: 'string', pattern: '^x$' } } };
  const checker = new BodyChecker({ schemas: { ...ring, '#/own': own } });
  expect(await checker.check(described(ref('c0')), '{}')).toMatchObject({
    verdict: 'unclear',
    message: expect.stringContaining('lead to each other in a ring'),
  });
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}{"n":"y"}${'}'.repeat(levels)}`;
  expect(await checker.check(described(ref('own')), deep(900))).toMatchObject({ verdict: 'differs' });
  expect(await checker.check(described(ref('own')), deep(100_000))).toMatchObject({
    verdict: 'unclear',
    message: 'is nested more than 1000 levels deep',
  });
  checker.stop();
});

test('what schemas share is compiled once', () => {
  const registry = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `#/s${at}`,
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 30 }, (_each, name) => [`p${name}`, ref(`s${(at * 7 + name) % 60}`)]),
        ),
      },
    ]),
  );
  let code = 0;
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    inlineRefs: 16,
    code: {
      process: (text) => {
        code += text.length;
        return text;
      },
    },
  });
  const compiler = new SchemaCompiler(ajv, new SchemaBundler(registry, false));
  compiler.compile(ref('s0'));
  const first = code;
  for (let at = 1; at < 60; at += 1) compiler.compile({ type: 'array', items: ref(`s${at}`) });
  expect(code - first).toBeLessThan(first / 2);
});
