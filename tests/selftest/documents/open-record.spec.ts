import { randomUUID } from 'node:crypto';
import { judgeDocument, newKey, notFound, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, inFull, someOfTable, test } from '../support/test.js';

/**
 * A record that everybody gets is open where the document says that it is the data; a refusal that
 * the document describes is none.
 */

const note = {
  id: '3f0f1c1e-0c3b-4b0a-9d7e-5b8d7c0a1f11',
  owner: '0b7e9a52-7c55-4d0e-8c62-6a1f6f2f9c10',
  title: 'Talks with the doctor',
  state: 'draft',
  created_at: '2024-05-01T10:00:00Z',
};

const documented = (required: readonly string[], status = '200'): object =>
  documentOf({
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Note: { type: 'object', required } },
    },
    paths: {
      '/note': {
        get: {
          operationId: 'note',
          security: [{ key: [] }],
          responses: {
            [status]: {
              description: '-',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
            },
          },
        },
      },
    },
  });

/** What every answer of a service says of it. */
const service = { node: '9a1c2f60-5f0e-4c57-9d0b-2f6b1c7d8e90', build: '2c26b46b68ffc68ff99b453c1d304134' };

const cases: readonly (readonly [what: string, document: object, body: () => object, outcome: string])[] = [
  ['a record that the document describes', documented(Object.keys(note)), () => note, 'failed'],
  ['a record of which the document demands nothing', documented([]), () => note, 'blocked'],
  [
    'a record that the document describes for any status',
    documented(Object.keys(note), 'default'),
    () => note,
    'blocked',
  ],
  [
    'a documented envelope with an identifier of the request',
    documented(['request', 'trace', 'code', 'message']),
    () => ({ request: randomUUID(), trace: randomUUID(), code: 401, message: 'no' }),
    'blocked',
  ],
  [
    'a documented envelope that tells of the service',
    documented([...Object.keys(service), 'error']),
    () => ({ ...service, error: 'The key is wrong' }),
    'blocked',
  ],
];

const row = someOfTable();
for (const [what, document, body, outcome] of cases)
  test(`${what}, with the key and without: ${outcome}`, row(), async () => {
    const run = await judgeDocument(
      document,
      ({ path }) =>
        path === '/note' ? { status: 200, body: body() } : { ...notFound, body: { ...service, error: 'Not found' } },
      { settings: { API_KEY: newKey(), PROBES: 'standard' }, only: ['refuses-missing-key', 'takes-documented-format'] },
    );
    expect(run.check('refuses-missing-key')).toMatchObject({ outcome });
    if (outcome === 'blocked')
      expect(run.check('takes-documented-format').reason).toMatch(/lost on the way \(in a proxy, or in mod_wsgi/);
  });

const rooms = [
  { id: 8101, name: 'Lathe room', seats: 6, door: '7-4-4-1' },
  { id: 8102, name: 'Paint booth', seats: 2, door: '2-9-0-5' },
];
const refusals = [
  { id: 8101, name: 'Lathe room', seats: 6, state: 'The key is wrong' },
  { id: 8102, name: 'Paint booth', seats: 2, state: 'The key is wrong' },
];
const listed: readonly (readonly [what: string, list: unknown, item: object, outcome: string])[] = [
  ['a record of the list above it', rooms, rooms[0] ?? {}, 'failed'],
  ['a record in an envelope', { rooms }, { ok: true, room: rooms[0] }, 'failed'],
  ['what each row of the list says', refusals, { id: 8101, state: 'The key is wrong' }, 'inconclusive'],
  ['one value of a row, beside words', rooms, { id: 8101, name: 'Lathe room', door: 'Ask for a key' }, 'inconclusive'],
];

const tags = [
  { id: 'a4c0e2f7-6b1d-4f0a-9a53-7d1c2b3e4f50', title: 'Kestrel', created: 1795686682, muted: false },
  { id: 'c9d1b3a5-2e4f-4c6d-8b7a-1f0e9d8c7b6a', title: 'Merlin', created: 1795686531, muted: false },
];
const kites = [
  { id: 8101, title: 'Watch the kite', url: 'https://kites.example/alpha' },
  { id: 8102, title: 'Watch the owl', url: 'https://owls.example/beta' },
];
const withLists: typeof listed = [
  ['a record with empty lists that has all of a row', tags, { ...tags[0], filters: [], users: [] }, 'failed'],
  ['a record with empty lists, of a list of texts', kites, { ...kites[0], filters: [] }, 'failed'],
  ['empty lists beside one value of a row', tags, { created: 1795686682, filters: [] }, 'inconclusive'],
];

// The last is a key of OData.
for (const path of ['/rooms/{id}', '/room/{id}', '/rooms({id})'])
  for (const [row, [what, list, item, outcome]] of [...listed, ...withLists].entries())
    test(
      `${path}, ${what}, with the key and without: ${outcome}`,
      path.includes('s/') ? {} : row % 3 === 0 ? inCi : inFull,
      async () => {
        const key = newKey();
        const read = (operationId: string): object => ({
          get: { operationId, security: [{ key: [] }], responses: { default: { description: '-' } } },
        });
        const run = await judgeDocument(
          documentOf({
            components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
            paths: {
              '/rooms': read('rooms'),
              [path]: {
                parameters: [{ name: 'id', in: 'path', required: true, schema: {} }],
                ...read('room'),
              },
            },
          }),
          ({ path: asked, headers }) => {
            if ([rooms[0]?.id, tags[0]?.id].some((id) => asked === path.replace('{id}', `${id}`)))
              return { status: 200, body: item };
            if (asked !== '/rooms') return notFound;
            return headers.authorization === `Bearer ${key}` ? { status: 200, body: list } : unauthorized;
          },
          { settings: { API_KEY: key, PROBES: 'standard' } },
        );
        expect(run.check('refuses-missing-key@room')).toMatchObject({ outcome });
        expect(run.check('refuses-missing-key@rooms')).toMatchObject({ outcome: 'passed' });
      },
    );
