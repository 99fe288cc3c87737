import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * What an item that opens to a peer shows, where the list of the peer may be one page of more: items for everybody are in the list of
 * each, perhaps on another page.
 */

const keys = { ada: 'ada-key-7c1e0d5b9f2a4468', ben: 'ben-key-02d9e6a1b75c4f83' };
type Who = keyof typeof keys;

const get = (operationId: string): object => ({
  operationId,
  'x-access-owned': true,
  security: [{ key: [] }],
  responses: { '200': { description: '-' } },
});

const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things': { get: get('list') },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: get('item'),
    },
  },
});

interface Row {
  readonly id: string;
  readonly [name: string]: string | number;
}

const rowsOf = (who: string, count: number): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${who}-5f${index}e77`,
    title: `What ${who} did in week ${index + 1}`,
    minutes: 3_115 + who.charCodeAt(0) * 10 + index * 7,
  }));

const plan: Row = { id: 'plan-81c2aa', title: 'Four weeks for beginners', minutes: 4_870 };

/** Everything that both own, and what is for everybody. */
const all = [plan, ...rowsOf('ada', 60), ...rowsOf('ben', 60)];

interface Service {
  /** The answer to the list. */
  readonly list: (who: Who) => Answer;
  /** Whether an item opens; by default what is somebody's opens to that one alone. */
  readonly opens?: (who: Who, id: string) => boolean;
  /** The row as one sees it. */
  readonly seen?: (who: Who, row: Row) => Row;
  /** More members of an identity. */
  readonly owns?: boolean;
}

const page = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
});

const handlerOf =
  ({ list, opens = (who, id) => !/^(ada|ben)-/.test(id) || id.startsWith(who), seen = (_who, row) => row }: Service) =>
  ({ path, headers }: Asked): Answer => {
    const who = (Object.keys(keys) as Who[]).find((name) => headers.authorization === `Bearer ${keys[name]}`);
    const id = /^\/things\/([^/]+)$/.exec(path)?.[1];
    if (path !== '/things' && id === undefined) return notFound;
    if (who === undefined) return unauthorized;
    if (id === undefined) return list(who);
    const row = all.find((each) => each.id === id);
    return row && opens(who, id) ? page(seen(who, row)) : notFound;
  };

const judgedAs = async (service: Service): Promise<readonly [outcome: string, reason: string]> => {
  const owns = (who: Who): string => (service.owns ? `, owns: ${who}@example.org` : '');
  const identities = `- { name: ada${owns('ada')} }\n- { name: ben, keys: { key: { variable: BEN_KEY } }, peers: [ada]${owns('ben')} }\n`;
  return withFiles({ 'identities.yaml': identities }, async (path) => {
    const run = await judgeDocument(document, handlerOf(service), {
      only: ['AUTH-6'],
      settings: { API_KEY: keys.ada, BEN_KEY: keys.ben, IDENTITIES: path('identities.yaml') },
    });
    const { outcome, reason } = run.check('keeps-items-apart@item');
    return [outcome, reason];
  });
};

/** A row as one of everybody's sees it: with a member of one's own. */
const withProgress = (who: Who, row: Row): Row => ({ ...row, progress: who === 'ada' ? 31 : 74 });

/** Services that let nobody see what is another's. */
const conforming: readonly (readonly [what: string, service: Service])[] = [
  [
    'pages of three, and what is for everybody is on the first of one and on the second of the other',
    { list: (who) => page(who === 'ada' ? [plan, ...rowsOf(who, 1)] : rowsOf(who, 3)) },
  ],
  ['full pages for both', { list: (who) => page(who === 'ada' ? [plan, ...rowsOf(who, 2)] : rowsOf(who, 3)) }],
  [
    'a page that was filtered after it was cut, and a cursor',
    {
      list: (who) =>
        page(
          who === 'ada'
            ? { items: [plan, ...rowsOf(who, 3)], after: '' }
            : { items: rowsOf(who, 2), after: 'ZnJvbToyNjE' },
        ),
    },
  ],
  [
    'the same, and a flag',
    {
      list: (who) =>
        page(who === 'ada' ? { items: [plan, ...rowsOf(who, 3)], more: false } : { items: rowsOf(who, 2), more: true }),
    },
  ],
  [
    'the same, and a Link field',
    {
      list: (who) =>
        who === 'ada'
          ? page([plan, ...rowsOf(who, 3)])
          : page(rowsOf(who, 2), { link: '</things?page=2>; rel="next", </things>; rel="first"' }),
    },
  ],
  [
    'a list that is out of order for one of them',
    { list: (who) => (who === 'ada' ? page([plan, ...rowsOf(who, 3)]) : { status: 500, body: { detail: 'Oops' } }) },
  ],
  [
    'rows for everybody in which each has something of its own',
    {
      list: (who) => page([withProgress(who, plan), ...rowsOf(who, who === 'ada' ? 3 : 2)]),
      seen: (who, row) => (row === plan ? withProgress(who, row) : row),
    },
  ],
];

for (const [what, service] of conforming)
  test(`conforming: ${what}`, async () => {
    const [outcome, reason] = await judgedAs(service);
    expect(['passed', 'inconclusive'], reason).toContain(outcome);
  });

const open = (): boolean => true;

/** Services that look items up by their ids alone. */
const faulty: readonly (readonly [what: string, service: Service, outcome: 'failed' | 'inconclusive'])[] = [
  ['bare lists of other lengths', { list: (who) => page(rowsOf(who, who === 'ada' ? 2 : 5)), opens: open }, 'failed'],
  [
    'lists with their counts',
    {
      list: (who) => {
        const rows = rowsOf(who, who === 'ada' ? 11 : 12);
        return page({ count: rows.length, next: null, results: rows });
      },
      opens: open,
    },
    'failed',
  ],
  [
    'full pages of rows that name their owner',
    {
      list: (who) => page(rowsOf(who, 10).map((row) => ({ ...row, by: `${who}@example.org` }))),
      opens: open,
      seen: (_who, row) => ({ ...row, by: `${row.id.slice(0, 3)}@example.org` }),
      owns: true,
    },
    'failed',
  ],
  [
    'items alone that name their owner',
    {
      list: (who) => page(rowsOf(who, 10)),
      opens: open,
      seen: (_who, row) => ({ ...row, by: `${row.id.slice(0, 3)}@example.org` }),
      owns: true,
    },
    'failed',
  ],
  ['bare lists of one length', { list: (who) => page(rowsOf(who, 4)), opens: open }, 'inconclusive'],
];

for (const [what, service, outcome] of faulty)
  test(`items open by their id alone, ${what}: ${outcome}`, async () => {
    const [found, reason] = await judgedAs(service);
    expect(found, reason).toBe(outcome);
    if (outcome === 'inconclusive') expect(reason).toContain('which was not seen whole');
  });
