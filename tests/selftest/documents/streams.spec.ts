import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** An operation that answers with a stream of events, which has no end. */

const key = newKey();
const read = (mediaType: string) => ({
  get: { security: [{ key: [] }], responses: { '200': { description: '-', content: { [mediaType]: {} } } } },
});
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: { '/things': read('application/json'), '/events': read('text/event-stream') },
});

const events = things.results.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
const stream: Answer = { status: 200, type: 'text/event-stream', body: events, endless: true };

const judge = (openTo: (authorization: string | undefined) => boolean) =>
  judgeDocument(
    document,
    ({ path, headers: { authorization } }): Answer => {
      const isKeyed = authorization === `Bearer ${key}`;
      if (path === '/things') return isKeyed ? { status: 200, body: things } : unauthorized;
      if (path !== '/events') return notFound;
      return isKeyed || openTo(authorization) ? stream : unauthorized;
    },
    { settings: { API_KEY: key, TIMEOUT_MS: '1000', PROBES: 'standard' } },
  );

test('a stream that asks for the key is judged like any other operation', inCi, async () => {
  const { check, failedClauses, results } = await judge(() => false);
  expect(failedClauses).toEqual([]);
  for (const rule of ['serves-documented-path', 'takes-documented-format', 'refuses-missing-key', 'documented-body'])
    expect(check(`${rule}@GET /events`), rule).toMatchObject({ outcome: 'passed' });
  expect(results.checks.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
});

test('a stream that is open to anybody fails', inCi, async () => {
  const { check, failedClauses } = await judge((authorization) => authorization === undefined);
  expect(check('refuses-missing-key@GET /events')).toMatchObject({ outcome: 'failed' });
  expect(failedClauses).toEqual(['AUTH-3']);
});
