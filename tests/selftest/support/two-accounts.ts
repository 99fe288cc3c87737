import { type Answer, type Asked, type DocumentRun, judgeDocument, notFound, unauthorized } from './document-server.js';
import { documentOf, withFiles } from './documents.js';

/**
 * A service with the rows of two accounts, of which each may have its own way, and a run with the
 * keys of both.
 */

const keys = { ada: 'ada-key-7c1e0d5b9f2a4468', ben: 'ben-key-02d9e6a1b75c4f83' };
export type Who = keyof typeof keys;

const get = (operationId: string, { owner, scopes = [] }: Accounts): object => ({
  operationId,
  'x-access-owned': true,
  ...(owner === undefined ? {} : { 'x-access-owner': owner }),
  security: [{ key: scopes }],
  responses: { '200': { description: '-' } },
});

const documentFor = (how: Accounts): object =>
  documentOf({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/things': { get: get('list', how) },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: get('item', how),
      },
    },
  });

export interface Row {
  readonly id: string;
  readonly [name: string]: string | number | null;
}

/** Rows of one. */
export const rowsOf = (who: string, count: number): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${who}-5f${index}e77`,
    title: `What ${who} did in week ${index + 1}`,
    minutes: 3_115 + who.charCodeAt(0) * 10 + index * 7,
  }));

/** A row for everybody. */
export const plan: Row = { id: 'plan-81c2aa', title: 'Four weeks for beginners', minutes: 4_870 };

/** Everything that both own, and what is for everybody. */
const all = [plan, ...rowsOf('ada', 60), ...rowsOf('ben', 60)];

/** How a service with two accounts behaves. */
export interface Accounts {
  /** The answer to the list. */
  readonly list: (who: Who) => Answer;
  /** Whether an item opens; by default what is somebody's opens to that one alone. */
  readonly opens?: (who: Who, id: string) => boolean;
  /** The row as one sees it. */
  readonly seen?: (who: Who, row: Row) => Row;
  /** Whether the identities have `owns`. */
  readonly owns?: boolean;
  /** The document's x-access-owner. */
  readonly owner?: string;
  /** More members of ben. */
  readonly ben?: string;
  /** Scopes of the operations. */
  readonly scopes?: readonly string[];
  /** Whom a request with no key, or a wrong one, counts as. */
  readonly guest?: Who;
  /** What somebody else's item gets; what is not there by default. */
  readonly refused?: Answer;
}

export const page = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
});

const handlerOf =
  ({
    list,
    opens = (who, id) => !/^(ada|ben)-/.test(id) || id.startsWith(who),
    seen = (_who, row) => row,
    refused = notFound,
    guest,
  }: Accounts) =>
  ({ path, headers }: Asked): Answer => {
    const who = (Object.keys(keys) as Who[]).find((name) => headers.authorization === `Bearer ${keys[name]}`) ?? guest;
    const id = /^\/things\/([^/]+)$/.exec(path)?.[1];
    if (path !== '/things' && id === undefined) return notFound;
    if (who === undefined) return unauthorized;
    if (id === undefined) return list(who);
    const row = all.find((each) => each.id === id);
    if (row === undefined) return notFound;
    return opens(who, id) ? page(seen(who, row)) : refused;
  };

/** Judges AUTH-5 and AUTH-6, with the key of ada as API_KEY. */
export const judgeAccounts = (service: Accounts): Promise<DocumentRun> => {
  const owns = (who: Who): string => (service.owns ? `, owns: ${who}@example.org` : '');
  const ben = `name: ben, keys: { key: { variable: BEN_KEY } }, peers: [ada]${owns('ben')}${service.ben ?? ''}`;
  return withFiles({ 'identities.yaml': `- { name: ada${owns('ada')}, scopes: [read] }\n- { ${ben} }\n` }, (path) =>
    judgeDocument(documentFor(service), handlerOf(service), {
      only: ['AUTH-5', 'AUTH-6'],
      settings: { API_KEY: keys.ada, BEN_KEY: keys.ben, IDENTITIES: path('identities.yaml') },
    }),
  );
};
