import { type Answer, type Asked, judgeDocument, newKey, notFound, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, someOfTable, test } from '../support/test.js';

/**
 * What the document leaves to the client (optional parameters, other media types, HEAD) opens
 * nothing without the key.
 */

const key = newKey();
const carriesKey = ({ headers }: Asked): boolean => headers.authorization === `Bearer ${key}`;

const members = Array.from({ length: 6 }, (_, index) => ({
  id: 51_870 + index * 37,
  email: `member-${index}@fit.example`,
  joined: `2026-03-1${index}`,
  level: ['basic', 'plus'][index % 2],
}));

const page = ({ query }: Asked): object => {
  const level = query.get('level');
  const start = query.get('page') === '2' ? 3 : 0;
  const items = members.filter((member) => level === null || member.level === level).slice(start, start + 3);
  return { page: start / 3 + 1, items };
};

const card = `BEGIN:VCARD\r\nUID:${members[0]?.id}\r\nEMAIL:${members[0]?.email}\r\nREV:2026-08-14\r\nEND:VCARD\r\n`;

const document = documentOf({
  paths: {
    '/members': {
      get: {
        operationId: 'listMembers',
        security: [{ key: [] }],
        parameters: [
          { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
          { name: 'level', in: 'query', schema: { type: 'string', enum: ['basic', 'plus'] } },
          { name: 'X-Studio', in: 'header', schema: { type: 'string', enum: ['zurich', 'bern'] } },
          // A text of any kind may be a credential, so it is not sent.
          { name: 'share', in: 'query', schema: { type: 'string', example: 'shared' } },
        ],
        responses: { 200: { description: '-', content: { 'application/json': {}, 'text/vcard': {} } } },
      },
    },
  },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
});

const accepts = ({ headers }: Asked, type: string): boolean => headers.accept === type;
const data = (asked: Asked): Answer =>
  accepts(asked, 'text/vcard') ? { status: 200, type: 'text/vcard', body: card } : { status: 200, body: page(asked) };

const cases: readonly (readonly [
  what: string,
  /** The answer to a request without the key. */
  answer: (asked: Asked) => Answer,
  failing?: readonly string[],
])[] = [
  ['everything', () => unauthorized],
  ['all but later pages', (asked) => (asked.query.get('page') === '2' ? data(asked) : unauthorized), ['?page=2']],
  ['all but what is filtered', (asked) => (asked.query.has('level') ? data(asked) : unauthorized), ['?level=plus']],
  [
    'all but what another value asks for than the usual one, which stands first',
    (asked) => (asked.headers['x-studio'] === 'bern' ? data(asked) : unauthorized),
    ['X-Studio: bern'],
  ],
  [
    'all but what is asked for one studio',
    (asked) => (asked.headers['x-studio'] === undefined ? unauthorized : data(asked)),
    ['X-Studio: bern'],
  ],
  ['all but cards', (asked) => (accepts(asked, 'text/vcard') ? data(asked) : unauthorized), ['Accept: text/vcard']],
  [
    'all but HEAD, with the row in a field',
    ({ method }) =>
      method === 'HEAD' ? { status: 200, headers: { 'X-First': JSON.stringify(members[0]) } } : unauthorized,
    ['a HEAD request without a key'],
  ],
  ['everything, with a link that shares it', (asked) => (asked.query.has('share') ? data(asked) : unauthorized)],
  [
    'everything, and parameters are checked first',
    ({ query }) =>
      query.size === 0 ? unauthorized : { status: 422, body: { errors: [...query.keys()].map((name) => ({ name })) } },
  ],
  [
    'everything, and the refusal names what was asked for',
    ({ query }) => ({ status: 200, body: { error: 'key', page: Number(query.get('page') ?? 1), levels: ['basic'] } }),
  ],
];

const row = someOfTable();
for (const [what, answer, failing] of cases)
  test(`a server that refuses ${what}`, row(), async () => {
    const { results } = await judgeDocument(
      document,
      (asked) => (asked.path !== '/members' ? notFound : carriesKey(asked) ? data(asked) : answer(asked)),
      { settings: { API_KEY: key }, only: ['AUTH-3'] },
    );
    const failed = results.checks.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ reason }) => reason.replace(/ opens it .*/s, ''))).toEqual(failing ?? []);
    if (!failing) expect(results.checks.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
  });

const reports = documentOf({
  paths: {
    '/reports/{region}.{format}': {
      get: {
        operationId: 'readReport',
        security: [{ key: [] }],
        parameters: [
          { name: 'region', in: 'path', required: true, schema: { type: 'string' }, example: 'bern' },
          { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: ['json', 'csv'] } },
        ],
        responses: { 200: { description: '-' } },
      },
    },
  },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
});

const asCsv = `id,email\n${members.map(({ id, email }) => `${id},${email}`).join('\n')}\n`;
const report = ({ path }: Asked): Answer =>
  path.endsWith('.csv')
    ? { status: 200, type: 'text/csv', body: asCsv }
    : path.endsWith('.json')
      ? { status: 200, body: members }
      : notFound;

for (const [what, isOpen, failing] of [
  ['every listed value', () => false, []],
  [
    'the first listed value alone',
    ({ path }: Asked) => path.endsWith('.csv'),
    ['another listed value of a required parameter'],
  ],
] as const)
  test(`a server that refuses ${what} of a path`, async () => {
    const { results } = await judgeDocument(
      reports,
      (asked) =>
        !asked.path.startsWith('/reports/bern.')
          ? notFound
          : carriesKey(asked) || isOpen(asked)
            ? report(asked)
            : unauthorized,
      { settings: { API_KEY: key }, only: ['refuses-proxy-fields'] },
    );
    const failed = results.checks.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ reason }) => reason.replace(/ opens it .*/s, ''))).toEqual(failing);
  });

test('a cover that opens to whoever asks for images, as the document says, is found', async () => {
  const cover: Answer = { status: 200, type: 'image/png', body: `PNG ${'kestrel'.repeat(40)}` };
  const { results } = await judgeDocument(
    documentOf({
      paths: {
        '/cover': {
          get: {
            operationId: 'getCover',
            security: [{ key: [] }],
            responses: { 200: { description: '-', content: { 'image/png': {} } } },
          },
        },
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    }),
    (asked) => {
      if (asked.path !== '/cover') return notFound;
      return carriesKey(asked) || accepts(asked, 'image/png') ? cover : unauthorized;
    },
    { settings: { API_KEY: key }, only: ['AUTH-3'] },
  );
  const failed = results.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ reason }) => reason.replace(/ opens it .*/s, ''))).toEqual(['Accept: image/png']);
});
