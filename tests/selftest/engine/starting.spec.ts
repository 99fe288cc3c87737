import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { protectedList as document, documentOf, operationOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** A service that is not up yet when the run begins. */

const key = newKey();
const settings = { API_KEY: key };
const starting: Answer = { status: 503, type: 'text/html', body: '<h1>The service starts</h1>' };
const list = (authorization = ''): Answer =>
  authorization === `Bearer ${key}` ? { status: 200, body: things } : unauthorized;

test('a service that answers 503 to its first requests is judged by what it answers later', inCi, async () => {
  let left = 12;
  const run = await judgeDocument(
    document,
    ({ path, headers }) => {
      left -= 1;
      if (left >= 0) return starting;
      return path === '/things/' ? list(headers.authorization) : notFound;
    },
    { settings },
  );
  expect(run.results.verdict, run.results.causes.map(({ title }) => title).join('\n')).toBe('conformant');
});

test('a service whose base path alone answers 503 is up', inCi, async () => {
  const run = await judgeDocument(
    document,
    ({ path, headers }) => (path === '/things/' ? list(headers.authorization) : path === '/' ? starting : notFound),
    { settings, only: ['AUTH-3'] },
  );
  expect(run.results.verdict).toBe('conformant');
});

test('answers from before a service was up do not count where its base path still answers 503', inCi, async () => {
  let isUp = false;
  const run = await judgeDocument(
    documentOf({ paths: { '/news/': { get: operationOf({ operationId: 'news' }) } } }),
    ({ path }) => {
      // The suite asks for a path at the root while it waits.
      isUp ||= /^\/missing-[^/]*$/.test(path);
      if (!isUp || path === '/') return starting;
      return path === '/news/' ? { status: 200, body: things } : notFound;
    },
    { settings: { RATE_LIMIT_WAIT_S: '10' }, only: ['AUTH-4'] },
  );
  expect(run.check('opens-without-credentials@news').outcome).toBe('passed');
});
