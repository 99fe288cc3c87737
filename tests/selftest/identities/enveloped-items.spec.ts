import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** Items below an envelope, whose ids are counted for each account. */

const keys = { ADA_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const owners = { ada: 4117, bo: 4118 };
const identities = `
- { name: ada, keys: { key: { variable: ADA_KEY } }, peers: [bo], owns: 4117 }
- { name: bo, keys: { key: { variable: BO_KEY } }, peers: [ada], owns: 4118 }
`;

const security = [{ key: [] }];
const responses = { default: { description: '-' } };
const owned = { 'x-access-owned': true, 'x-access-owner': '/owner' };
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things': { get: { operationId: 'listThings', security, responses, ...owned } },
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        security,
        responses,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        ...owned,
      },
    },
  },
});

type Name = keyof typeof owners;

/** The first thing of each account has the same content; thing 41 is nobody's. */
const thing = (of: Name, id: number) => ({
  id,
  title: id === 1 ? 'Evening 3fe78' : `Weekly ${of} ${id * 7_919}`,
  minutes: id === 1 ? 2_430 : id * 1_013 + owners[of],
  created: `2024-0${(id % 9) + 1}-10T08:22:11Z`,
  owner: id === 41 ? null : owners[of],
});

/** @param find whose thing an id is, for a holder who asks */
const judged = (find: (holder: Name, id: number) => Name) =>
  withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(
      document,
      ({ path: asked, headers }: Asked): Answer => {
        const holder = (['ada', 'bo'] as const).find((name) => headers.authorization?.startsWith(`Bearer ${name}-`));
        if (holder === undefined) return unauthorized;
        // The page of ada lacks the first thing.
        const ids = holder === 'bo' ? [41, 1] : [12, 11, 10, 9, 8];
        if (asked === '/things') return { status: 200, body: { data: ids.map((id) => thing(holder, id)) } };
        const id = Number(/^\/things\/(\d+)$/.exec(asked)?.[1] ?? 0);
        const of = find(holder, id);
        return (id > 0 && id <= (of === 'bo' ? 1 : 12)) || id === 41
          ? { status: 200, body: { data: thing(of, id) } }
          : notFound;
      },
      { settings: { ...keys, IDENTITIES: path('identities.yaml') }, only: ['AUTH-6'] },
    ),
  );

test('an item that names whoever reads it is its own, though a peer lists the same content by that id', async () => {
  const { outcome, reason } = (await judged((holder) => holder)).check('keeps-items-apart@getThing');
  expect(outcome, reason).not.toBe('failed');
});

test('an item that names the peer is the peer’s', async () => {
  const { outcome, reason } = (await judged((holder, id) => (id === 1 ? 'bo' : holder))).check(
    'keeps-items-apart@getThing',
  );
  expect(outcome, reason).toBe('failed');
});
