import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/package.js';
import { consoleSummary } from '../../../src/report/console.js';
import { count, counted, firstOf } from '../../../src/words.js';
import { judgeDocument, newKey, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** One is one, and what is left out of a list is counted. */

test('counts agree with their nouns', () => {
  expect([0, 1, 2, 1_234_567].map((value) => counted(value, 'item'))).toEqual([
    '0 items',
    '1 item',
    '2 items',
    '1,234,567 items',
  ]);
  expect(counted(1, 'entry', 'entries')).toBe('1 entry');
  expect(count(1000)).toBe('1,000');
  expect(firstOf(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(firstOf(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
});

/**
 * A number that a template puts in front of a noun in the plural; a hand-made plural may stand in a
 * condition on it.
 */
const plural =
  /\$\{(?:count\()?[\w.?#()]*(?:\.length|\.size|Size|count|left|more|days)\)?\} (?:more |other )?[a-z]+s\b/;

/** Those that stand behind a condition that leaves 1 out. */
const neverOne = ['checks passed`', 'other responses`', 'other forms is taken', 'content codings, left'];

test('no template writes the plural of a number by hand', () => {
  const found: string[] = [];
  for (const entry of readdirSync(join(packageRoot, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const lines = readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n');
    for (const line of lines)
      if (plural.test(line) && !neverOne.some((known) => line.includes(known)))
        found.push(`${entry.name}: ${line.trim()}`);
  }
  expect(found).toEqual([]);
});

test('a run with one of everything says so in the singular, and counts the members that it does not name', async () => {
  const key = newKey();
  const wide = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `member_${String.fromCharCode(97 + (index % 26))}${index > 25 ? 'x' : ''}`,
      `value ${index}0`,
    ]),
  );
  const run = await judgeDocument(
    documentOf({
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      paths: {
        '/things': {
          get: { operationId: 'list', security: [{ key: [] }], responses: { default: { description: '-' } } },
        },
      },
    }),
    ({ path, headers }) =>
      path !== '/things'
        ? { status: 404, body: {} }
        : headers.authorization === `Bearer ${key}`
          ? { status: 200, body: { results: [{ id: 71_235, ...wide }] } }
          : unauthorized,
    { settings: { API_KEY: key } },
  );
  const { reason: limits } = run.check('observes-limits');
  expect(limits).toContain('came with 1 item.');
  const { reason: members } = run.check('observes-representation');
  expect(members).toMatch(/ and 12 more\./);
  const told = [
    ...run.results.checks.flatMap(({ reason, note = '', expected = '', seen = '' }) => [reason, note, expected, seen]),
    consoleSummary(run.results, { color: false, width: 120 }),
  ].join('\n');
  expect(told.match(/\b1 (?!is\b|was\b|has\b|does\b|opens\b|ms\b)(?:more |other )?[a-z]+s\b/g) ?? []).toEqual([]);
});

test('the console counts the clauses that it leaves out', async () => {
  const run = await judgeDocument(documentOf({}), () => ({ status: 200, body: [] }));
  const [clause] = run.results.clauses;
  if (!clause) throw new Error('there is no clause');
  const clauses = Array.from({ length: 17 }, (_, index) => ({ ...clause, id: `C-${index}` }));
  expect(consoleSummary({ ...run.results, clauses }, { color: false, width: 120 })).toContain(
    'and 3 more clauses in the report',
  );
});
