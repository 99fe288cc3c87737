import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleSummary } from '../../../src/report/console.js';
import { githubAnnotations } from '../../../src/report/repository.js';
import { writeReports } from '../../../src/report/write.js';
import { jsonText } from '../../../src/visible.js';
import { judgeDocument, newKey, notFound } from '../support/document-server.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * Turns text around, ends a line, clears a terminal (as C0 and as C1), is not seen, marks a byte
 * order.
 */
const nasty = '\u202eab\u2028c\u001b[2Jd\u009b2Je\u200bf\ufeff\u0007';
const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const document = (): object =>
  documentOf({
    info: { title: `T${nasty}`, version: `1${nasty}`, description: nasty },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description: nasty } } },
    paths: {
      [`/th${nasty}ings/`]: {
        get: {
          operationId: `list${nasty}`,
          security: [{ key: [] }],
          responses: {
            200: {
              description: nasty,
              content: { 'application/json': { schema: { type: 'object', properties: { [`n${nasty}`]: {} } } } },
            },
          },
        },
      },
      '/news/': { get: operationOf({ operationId: `news${nasty}` }) },
      '/post/': { post: operationOf({ operationId: `post${nasty}` }) },
    },
    'x-access-clauses': [{ id: 'AUTH-4', text: `Opens ${nasty}`, source: `1${nasty}` }],
    'x-access-gaps': [{ id: 'GAP-ERRORS', question: `What ${nasty}?`, source: nasty, excluded: nasty }],
  });

test('what turns text around or acts on a terminal is an escape in every report, whoever wrote it', async () => {
  test.setTimeout(120_000);
  const { results, exchanges } = await judgeDocument(
    document(),
    ({ path }) =>
      path === '/news/'
        ? {
            status: 500,
            body: { news: nasty },
            headers: { 'x-note': 'a\u009b2Jb', server: 'x\u0085y', 'content-language': '\u009d' },
          }
        : notFound,
    { settings: { API_KEY: newKey() } },
  );
  const dir = mkdtempSync(join(tmpdir(), 'reports-'));
  try {
    const record = {
      results,
      async *exchanges() {
        yield* exchanges;
      },
      dispose: async () => undefined,
    };
    await writeReports(record, { dir, environment: {} });
    const files = readdirSync(join(dir, 'conformance'));
    expect(files).toContain('results.json');
    for (const name of files) {
      const text = readFileSync(join(dir, 'conformance', name), 'utf8');
      expect(raw.exec(text)?.[0].codePointAt(0)?.toString(16), name).toBeUndefined();
    }
    const page = readFileSync(join(dir, 'conformance', 'index.html'), 'utf8');
    expect(page).toContain('news\\u202e');
    const told = consoleSummary(results, { color: false, width: 100 });
    for (const text of [told, ...githubAnnotations(results)]) expect(raw.exec(text)).toBeNull();
    // A reader of results.json gets what the server sent.
    const stored = JSON.parse(readFileSync(join(dir, 'conformance', 'results.json'), 'utf8')) as typeof results;
    expect(stored.checks).toEqual(JSON.parse(JSON.stringify(results.checks)));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a contract has them as escapes, and what is sent keeps them', async () => {
  const contract = await loadFiles({ 'a.json': document() });
  const { operations, schemes, title, unprobed, clauses, gaps } = contract;
  expect(
    raw.exec(JSON.stringify([title, schemes, unprobed, clauses, gaps, operations.map(({ id, path }) => [id, path])])),
  ).toBeNull();
  expect(operations[0]?.security[0]).toBe(schemes[0]);
  expect(operations[0]?.target).toContain(encodeURIComponent('\u202e'));
});

test('operations whose ids look alike once escaped are told apart', async () => {
  const get = (operationId: string) => ({ get: operationOf({ operationId }) });
  const paths = {
    '/a': get('a\u202e'),
    '/b': get('a\\u202e'),
    '/c': get('GET /d'),
    '/d': get('a\u202e'),
    '/e': get('GET /d'),
    '/f\u200b': get('a\u202e'),
    '/f\\u200b': get('a\u202e'),
  };
  const { operations, warnings } = await loadFiles({ 'a.json': documentOf({ paths }) });
  const ids = ['a\\u202e', 'GET /b', 'GET /d', 'GET /d (2)', 'GET /e', 'GET /f\\u200b', 'GET /f\\u200b (2)'];
  expect(operations.map(({ id }) => id)).toEqual(ids);
  const taken = ['a\\u202e', 'a\\u202e', 'GET /d', 'a\\u202e', 'a\\u202e'];
  expect(warnings.map(({ message }) => message)).toEqual(
    taken.map((id) => expect.stringContaining(`operationId "${id}" is taken by GET /`)),
  );
});

test('JSON with escapes reads the same', () => {
  const value = { a: `${nasty}\u{e0041}\ud800`, b: ['"', '\n', 'é', '😀'] };
  for (const indent of [undefined, 2]) {
    expect(jsonText(value, indent)).not.toMatch(/[\u202e\u009b\u2028\u200b]/);
    expect(JSON.parse(jsonText(value, indent))).toEqual(value);
  }
});
