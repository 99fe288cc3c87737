import {
  type Asked,
  type Handler,
  judgeDocument,
  newKey,
  notFound,
  things,
  tokenList,
  unauthorized,
} from '../support/document-server.js';
import { documentOf, operationOf } from '../support/documents.js';
import type { JudgedRun } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/** A request that opens an operation is blamed once, and not again for fields that change nothing. */

const failedRules = ({ results }: JudgedRun): readonly string[] =>
  results.checks.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule);

test('OPTIONS that gives the rows is blamed, and method overrides beside it are not', async () => {
  const key = newKey();
  const handler: Handler = ({ method, path, headers }) => {
    if (path !== '/things') return notFound;
    return method === 'OPTIONS' || headers.authorization === `Token ${key}`
      ? { status: 200, body: things }
      : unauthorized;
  };
  const run = await judgeDocument(tokenList, handler, { settings: { API_KEY: key } });
  expect(failedRules(run)).toEqual(['refuses-other-spellings']);
});

test('a method override that OPTIONS alone does not open is blamed', async () => {
  const key = newKey();
  const handler: Handler = ({ method, path, headers }) => {
    if (path !== '/things') return notFound;
    if (headers['x-http-method-override'] !== undefined || headers.authorization === `Token ${key}`)
      return { status: 200, body: things };
    return method === 'OPTIONS' ? { status: 204 } : unauthorized;
  };
  const run = await judgeDocument(tokenList, handler, { settings: { API_KEY: key } });
  expect(failedRules(run)).toEqual(['refuses-proxy-fields']);
});

test('a content coding that is missing is blamed, and not the HEAD that asks for none', async () => {
  const key = newKey();
  const handler: Handler = ({ path, headers }) => {
    if (path !== '/things') return notFound;
    return headers['accept-encoding'] === 'identity' || headers.authorization === `Token ${key}`
      ? { status: 200, body: things }
      : unauthorized;
  };
  const run = await judgeDocument(tokenList, handler, { settings: { API_KEY: key } });
  expect(failedRules(run)).toEqual(['refuses-other-spellings', 'refuses-proxy-fields']);
  const headlines = run.results.causes?.filter(({ outcome }) => outcome === 'failed').map(({ title }) => title);
  expect(headlines).toEqual(['GET /things opens to anybody with Accept-Encoding: identity']);
});

test('any value of the cookie that holds the key is an invalid key, and no made-up session', async () => {
  const key = newKey();
  const document = documentOf({
    components: { securitySchemes: { key: { type: 'apiKey', in: 'cookie', name: 'sid' } } },
    paths: { '/things': { get: operationOf({ operationId: 'listThings', security: [{ key: [] }] }) } },
  });
  const handler: Handler = ({ path, cookies }) => {
    if (path !== '/things') return notFound;
    return cookies.sid === undefined ? unauthorized : { status: 200, body: things };
  };
  const run = await judgeDocument(document, handler, { settings: { API_KEY: key } });
  expect(failedRules(run)).toEqual(['refuses-worthless-keys']);
});

/** What the requests of each failed check are, by a server that opens to some of them, or after a read with the key. */
const blamed = async (opens: (asked: Asked, isRead: boolean) => boolean): Promise<readonly string[]> => {
  const key = newKey();
  let isRead = false;
  const handler: Handler = (asked) => {
    if (asked.path !== '/things') return notFound;
    const isOwner = asked.headers.authorization === `Token ${key}`;
    isRead ||= isOwner;
    return isOwner || opens(asked, isRead) ? { status: 200, body: things } : unauthorized;
  };
  const { results } = await judgeDocument(tokenList, handler, { settings: { API_KEY: key }, only: ['AUTH-3'] });
  const failed = results.checks.filter(({ outcome }) => outcome === 'failed');
  return [...new Set(failed.map(({ reason }) => reason.replace(/ opens? it .*/s, '')))];
};

test('any query that opens is blamed, and no format, wrong key or read with the key', inCi, async () => {
  expect(await blamed(({ query }) => query.size > 0)).toEqual(['a query that means nothing']);
});

test('one query that opens is blamed alone', async () => {
  expect(await blamed(({ query }) => query.get('format') === 'csv')).toEqual(['the query ?format=csv']);
});

test('a read with the key that leaves the operation open is blamed, and no query', async () => {
  expect(await blamed((_asked, isRead) => isRead)).toEqual(['the same URL right after a read with the key']);
});

test('of many requests that open once, a few alone are tried often', inCi, async () => {
  const key = newKey();
  const sent = new Map<string, number>();
  const handler: Handler = ({ path, headers }) => {
    const isOwner = headers.authorization === `Token ${key}`;
    if (path === '/things') return isOwner ? { status: 200, body: things } : unauthorized;
    if (isOwner || path === '/' || path.includes('missing-')) return notFound;
    sent.set(path, (sent.get(path) ?? 0) + 1);
    return sent.get(path) === 1 ? { status: 200, body: things } : notFound;
  };
  const only = ['refuses-other-spellings'];
  const run = await judgeDocument(tokenList, handler, { settings: { API_KEY: key }, only });
  expect(failedRules(run)).toEqual(only);
  expect(sent.size).toBeGreaterThan(30);
  expect([...sent.values()].filter((count) => count > 3).length).toBeLessThanOrEqual(4);
});

test('an operation that is perhaps public is told once, whatever formats it has', inCi, async () => {
  const key = newKey();
  const get = (operationId: string): object => ({ get: operationOf({ operationId, security: [{ key: [] }] }) });
  const document = documentOf({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: { '/things': get('listThings'), '/links': get('getLinks') },
  });
  const handler: Handler = ({ path, query, headers: { authorization, accept = '' } }) => {
    const isOwner = authorization === `Bearer ${key}`;
    if (path === '/things') return isOwner ? { status: 200, body: things } : unauthorized;
    if (path !== '/links') return notFound;
    // As Django REST framework does: a wrong key is refused also where none is asked for.
    if (authorization?.startsWith('Bearer ') && !isOwner) return unauthorized;
    if (query.get('format') === 'xml' || accept === 'application/xml')
      return { status: 200, type: 'application/xml', body: '<root><github></github></root>' };
    if (accept.startsWith('text/html'))
      return { status: 200, type: 'text/html', body: '<html><title>Links</title><p>{"github": {}}</p></html>' };
    return { status: 200, body: { github: {} } };
  };
  const { results } = await judgeDocument(document, handler, { settings: { API_KEY: key } });
  const undecided = results.causes?.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'failed');
  expect(undecided?.map(({ title }) => title)).toEqual([
    'GET /links answers 200 to everybody: public, or open by mistake?',
  ]);
});
