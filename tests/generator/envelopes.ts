import { dayOf, keyOf, type Row, type Tree } from './data.js';
import { isObject } from './formats.js';
import type { NameOf } from './languages.js';
import type { Random } from './random.js';

/** What services put around rows, and what they say in the same place to refuse. */

export interface Context {
  readonly nameOf: NameOf;
  /** The same for every exchange of a service. */
  readonly random: Random;
  /** Rows of the collection; a page may hold fewer. */
  readonly total: number;
  /** Words of a refusal. */
  readonly words: string;
  /** What a refusal has in the place of rows. */
  readonly instead: 'gone' | 'empty' | 'null';
}

export interface Envelope {
  readonly wrap: (rows: readonly Tree[], context: Context) => Tree;
  /** How services with this envelope refuse in a body. */
  readonly refuse: (context: Context) => Tree;
  /** It states how many rows there are. */
  readonly counts?: true;
  /** A body without rows: the first of them alone. */
  readonly single?: true;
}

const insteadOf = (name: string, { instead }: Context): Row =>
  instead === 'gone' ? {} : { [name]: instead === 'empty' ? [] : null };

const plainError = (context: Context): Tree =>
  context.random
    .fork('error')
    .pick<Tree>([
      { error: context.words },
      { message: context.words },
      { detail: context.words },
      { error: { code: 'unauthorized', message: context.words } },
      { error: 'unauthorized', error_description: context.words },
      { statusCode: 401, message: context.words, error: 'Unauthorized' },
      { [context.nameOf('message')]: context.words },
      { [context.nameOf('code')]: 401, [context.nameOf('message')]: context.words },
      { errors: [{ message: context.words }] },
      { errors: { authorization: [context.words] } },
    ]);

const graphqlError = (context: Context): Tree => ({
  errors: [
    {
      message: context.words,
      ...(context.random.fork('locations').chance(0.6) ? { locations: [{ line: 1, column: 9 }] } : {}),
      path: [context.nameOf('rows')],
      extensions: { code: 'UNAUTHENTICATED' },
    },
  ],
  ...(context.instead === 'gone'
    ? {}
    : { data: context.instead === 'null' ? null : { [context.nameOf('rows')]: null } }),
});

export const idOf = (row: Tree, at: number): string => {
  const [first] = isObject(row) ? Object.values(row) : [];
  return typeof first === 'number' || typeof first === 'string' ? String(first) : String(at + 1);
};

const nextOf = (rows: readonly Tree[], total: number): Tree =>
  total > rows.length ? 'https://api.example/api/v2/workout/?page=2' : null;

const newsOf = ({ nameOf, random }: Context): Row => {
  const its = random.fork('news');
  const piece = (): Row => ({ [nameOf('id')]: its.int(3_000, 9_999), [nameOf('date')]: dayOf(its) });
  return { [nameOf('items')]: [piece(), piece(), piece()] };
};

const figuresOf = ({ nameOf, random }: Context): Row => {
  const its = random.fork('figures');
  return {
    [nameOf('items')]: { [nameOf('count')]: its.int(10_000, 99_999), [nameOf('total')]: its.int(10_000, 99_999) },
    build: dayOf(its),
  };
};

export const envelopes = {
  bare: { wrap: (rows) => rows, refuse: plainError },
  page: {
    wrap: (rows, { total }) => ({ count: total, next: nextOf(rows, total), previous: null, results: rows }),
    refuse: ({ words }) => ({ detail: words }),
    counts: true,
  },
  named: { wrap: (rows, { nameOf }) => ({ [nameOf('rows')]: rows }), refuse: plainError },
  namedCount: {
    wrap: (rows, { nameOf, total }) => ({ [nameOf('rows')]: rows, [nameOf('total')]: total }),
    refuse: (context) => ({ ...(plainError(context) as Row), ...insteadOf(context.nameOf('rows'), context) }),
    counts: true,
  },
  data: {
    wrap: (rows) => ({ data: rows }),
    refuse: (context) => ({ ...insteadOf('data', context), error: { code: 'AUTH_REQUIRED', message: context.words } }),
  },
  meta: {
    wrap: (rows, { total }) => ({ data: rows, meta: { total, page: 1, perPage: 20 } }),
    refuse: (context) => ({ ...insteadOf('data', context), error: context.words }),
    counts: true,
  },
  jsend: {
    wrap: (rows, { nameOf }) => ({ status: 'success', data: { [nameOf('rows')]: rows } }),
    refuse: ({ words, instead }) =>
      instead === 'null'
        ? { status: 'error', message: words, data: null }
        : instead === 'empty'
          ? { status: 'error', code: 401, message: words }
          : { status: 'fail', data: { authorization: words } },
  },
  jsonApi: {
    wrap: (rows, { nameOf, total }) => ({
      data: rows.map((row, at) => ({ type: nameOf('rows'), id: idOf(row, at), attributes: row })),
      links: { self: '/api/v2/workout/' },
      meta: { [nameOf('total')]: total },
    }),
    refuse: ({ words }) => ({ errors: [{ status: '401', title: 'Unauthorized', detail: words }] }),
    counts: true,
  },
  hal: {
    wrap: (rows, { nameOf, total }) => ({
      _embedded: { [nameOf('rows')]: rows },
      _links: { self: { href: 'https://api.example/api/v2/workout/' } },
      page: { size: 20, totalElements: total, totalPages: 1, number: 0 },
    }),
    refuse: ({ words }) => ({ message: words, _links: { help: { href: 'https://api.example/help' } } }),
    counts: true,
  },
  odata: {
    wrap: (rows, { total }) => ({
      '@odata.context': 'https://api.example/$metadata#Workouts',
      '@odata.count': total,
      value: rows,
    }),
    refuse: ({ words }) => ({ error: { code: 'Unauthorized', message: words, details: [] } }),
    counts: true,
  },
  graphql: { wrap: (rows, { nameOf }) => ({ data: { [nameOf('rows')]: rows } }), refuse: graphqlError },
  relay: {
    wrap: (rows, { nameOf, total }) => ({
      data: {
        [nameOf('rows')]: {
          totalCount: total,
          pageInfo: { hasNextPage: false, endCursor: null },
          edges: rows.map((node, at) => ({ cursor: btoa(`cursor:${at}`), node })),
        },
      },
    }),
    refuse: graphqlError,
    counts: true,
  },
  flag: {
    wrap: (rows, { nameOf }) => ({ [nameOf('success')]: true, [nameOf('rows')]: rows }),
    refuse: (context) => ({
      [context.nameOf('success')]: false,
      [context.nameOf('message')]: context.words,
      ...insteadOf(context.nameOf('rows'), context),
    }),
  },
  bareFlag: {
    wrap: (rows, { nameOf }) => ({ [nameOf('success')]: 1, [nameOf('rows')]: rows }),
    refuse: (context) => ({ [context.nameOf('success')]: 0, ...insteadOf(context.nameOf('rows'), context) }),
  },
  code: {
    wrap: (rows) => ({ code: 0, msg: 'ok', data: rows }),
    refuse: (context) => ({
      code: context.random.fork('code').pick([401, 1, -1, 10_003, 40_101]),
      msg: context.words,
      ...insteadOf('data', context),
    }),
  },
  codeCount: {
    wrap: (rows, { total }) => ({ code: 200, message: 'success', result: { list: rows, total } }),
    refuse: (context) => ({ code: 401, message: context.words, result: context.instead === 'empty' ? {} : null }),
    counts: true,
  },
  spring: {
    wrap: (rows, { total }) => ({
      content: rows,
      pageable: { pageNumber: 0, pageSize: 20, sort: { sorted: false, empty: true }, offset: 0, paged: true },
      totalElements: total,
      totalPages: 1,
      last: true,
      first: true,
      numberOfElements: rows.length,
      empty: rows.length === 0,
    }),
    refuse: ({ words }) => ({
      timestamp: new Date().toISOString(),
      status: 401,
      error: 'Unauthorized',
      message: words,
      path: '/api/v2/workout/',
    }),
    counts: true,
  },
  elastic: {
    wrap: (rows, { total }) => ({
      took: 3,
      timed_out: false,
      hits: {
        total: { value: total, relation: 'eq' },
        max_score: 1,
        hits: rows.map((row, at) => ({ _index: 'workouts', _id: idOf(row, at), _score: 1, _source: row })),
      },
    }),
    refuse: ({ words }) => ({
      error: {
        root_cause: [{ type: 'security_exception', reason: words }],
        type: 'security_exception',
        reason: words,
      },
      status: 401,
    }),
    counts: true,
  },
  pages: {
    wrap: (rows) => ({ page: 1, pages: rows.length > 0 ? 1 : 0, items: rows }),
    refuse: plainError,
  },
  cursor: {
    wrap: (rows) => ({ items: rows, nextCursor: null }),
    refuse: (context) => ({ ...insteadOf('items', context), message: context.words }),
  },
  hydra: {
    wrap: (rows, { total }) => ({
      '@context': '/api/contexts/Workout',
      '@id': '/api/v2/workout/',
      '@type': 'hydra:Collection',
      'hydra:totalItems': total,
      'hydra:member': rows,
    }),
    refuse: ({ words }) => ({
      '@context': '/api/contexts/Error',
      '@type': 'hydra:Error',
      'hydra:title': 'An error occurred',
      'hydra:description': words,
    }),
    counts: true,
  },
  map: {
    wrap: (rows, { random }) => {
      const keys = random.fork('keys');
      return Object.fromEntries(rows.map((row, at) => [`${keyOf(keys, at)}${at}`, row]));
    },
    refuse: plainError,
  },
  tuples: {
    wrap: (rows) => ({
      columns: isObject(rows[0]) ? Object.keys(rows[0]) : [],
      rows: rows.map((row) => (isObject(row) ? Object.values(row) : [row])),
    }),
    refuse: plainError,
  },
  grouped: {
    wrap: (rows, { nameOf }) => ({
      [nameOf('items')]: [{ [nameOf('kind')]: 'A', [nameOf('rows')]: rows.slice(0, 2) }].concat(
        rows.length > 2 ? [{ [nameOf('kind')]: 'B', [nameOf('rows')]: rows.slice(2) }] : [],
      ),
    }),
    refuse: plainError,
  },
  /** Columns side by side. */
  columns: {
    wrap: (rows) => {
      const [first] = rows;
      const names = isObject(first) ? Object.keys(first) : [];
      return Object.fromEntries(names.map((name) => [name, rows.map((row) => (isObject(row) ? row[name] : null))]));
    },
    refuse: plainError,
  },
  /** A number for each day. */
  days: {
    wrap: (rows, { nameOf, random }) => ({
      [nameOf('rows')]: Object.fromEntries(
        rows.map((row) => {
          const its = random.fork(JSON.stringify(isObject(row) ? Object.values(row).slice(0, 2) : row));
          return [dayOf(its), its.int(100, 9_999) / 10];
        }),
      ),
    }),
    refuse: plainError,
  },
  /** The answers to all requests of a batch, here of one. */
  batch: {
    wrap: (rows) => [{ result: { data: rows } }],
    refuse: ({ words }) => [{ error: { code: -32_001, message: words } }],
  },
  /** What everybody is shown stands beside the rows. */
  news: {
    wrap: (rows, context) => ({ [context.nameOf('rows')]: rows, ...newsOf(context) }),
    refuse: (context) => ({ ...insteadOf(context.nameOf('rows'), context), ...newsOf(context) }),
  },
  twoLists: {
    wrap: (rows, { nameOf }) => ({
      [nameOf('rows')]: rows,
      [nameOf('items')]: [
        { [nameOf('name')]: 'Strength', [nameOf('count')]: 3 },
        { [nameOf('name')]: 'Endurance', [nameOf('count')]: 1 },
      ],
    }),
    refuse: plainError,
  },
  record: { wrap: ([row = {}]) => row, refuse: plainError, single: true },
  dataRecord: { wrap: ([row = {}]) => ({ data: row }), refuse: plainError, single: true },
  partsRecord: {
    wrap: ([row = {}], context) => ({ [context.nameOf('owner')]: row, ...figuresOf(context) }),
    refuse: (context) => ({
      ...(context.instead === 'gone' ? {} : { [context.nameOf('owner')]: null }),
      ...figuresOf(context),
    }),
    single: true,
  },
  flagRecord: {
    wrap: ([row = {}], { nameOf }) => ({ [nameOf('success')]: true, [nameOf('owner')]: row }),
    refuse: ({ nameOf, words }) => ({ [nameOf('success')]: false, [nameOf('message')]: words }),
    single: true,
  },
  graphqlRecord: {
    wrap: ([row = {}], { nameOf }) => ({ data: { [nameOf('owner')]: row } }),
    refuse: graphqlError,
    single: true,
  },
} as const satisfies Readonly<Record<string, Envelope>>;

export type EnvelopeName = keyof typeof envelopes;

export const envelopeOf = (name: EnvelopeName): Envelope => envelopes[name];

/** Envelopes of lists that most services have. */
export const ordinaryEnvelopes: readonly EnvelopeName[] = [
  'bare',
  'page',
  'named',
  'namedCount',
  'data',
  'meta',
  'jsend',
  'jsonApi',
  'hal',
  'odata',
  'graphql',
  'relay',
  'flag',
  'code',
  'codeCount',
  'spring',
  'elastic',
  'cursor',
  'hydra',
];
