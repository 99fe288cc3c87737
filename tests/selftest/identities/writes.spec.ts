import { type Answer, type Asked, judgeDocument, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Identities beside UNSAFE_METHODS=true, on a service that refuses a role in the body of a success. */

const keys = { MAIN_KEY: 'main-key-3e9d04b7c1a8526f', CHIEF_KEY: 'chief-key-b80f6d2e9417c35a' };
const responses = { default: { description: '-' } };
const asked = (operationId: string, scope: string): object => ({
  operationId,
  security: [{ key: [scope] }],
  responses,
});

const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things': { post: asked('add', 'read'), get: asked('list', 'read') },
    '/reports': { get: asked('reports', 'chief') },
  },
});

const identities = `
- { name: main, keys: { key: { variable: MAIN_KEY } }, scopes: [read] }
- { name: chief, keys: { key: { variable: CHIEF_KEY } }, scopes: [read, chief] }
`;

const reports = { results: things.results.map(({ id, added }) => ({ number: id + 900, closed: added })) };
const noRole: Answer = { status: 200, body: { ok: false, error: { code: 4031, reason: 'role' } } };

const serve = ({ method, path, headers }: Asked): Answer => {
  const isChief = headers.authorization === `Bearer ${keys.CHIEF_KEY}`;
  if (path !== '/things' && path !== '/reports') return notFound;
  if (!isChief && headers.authorization !== `Bearer ${keys.MAIN_KEY}`) return unauthorized;
  if (method !== 'GET' && method !== 'HEAD') return { status: 204 };
  return path === '/things' ? { status: 200, body: things } : isChief ? { status: 200, body: reports } : noRole;
};

test('a write with scopes gets no key, and a role that is refused with 200 is not said to open', inCi, async () => {
  await withFiles({ 'identities.yaml': identities }, async (path) => {
    const run = await judgeDocument(document, serve, {
      settings: { ...keys, IDENTITIES: path('identities.yaml'), UNSAFE_METHODS: 'true' },
    });
    const writes = run.asked.filter(({ method }) => method === 'POST');
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    const { outcome, reason } = run.check('refuses-other-scopes@reports');
    expect(outcome, reason).toBe('passed');
    const cells = run.results.matrix?.filter(({ operation }) => operation === 'reports') ?? [];
    expect(cells.map(({ identity, documented, seen }) => [identity, documented, seen])).toEqual([
      ['nobody', 'refuses', 'refuses'],
      ['invalid key', 'refuses', 'refuses'],
      ['main', 'refuses', 'refuses'],
      ['chief', 'opens', 'opens'],
    ]);
    expect(run.results.verdict).toBe('conformant');
  });
});
