import { type Answer, type Asked, type Handler, notFound, unauthorized } from '../selftest/support/document-server.js';
import { documentOf, operationOf } from '../selftest/support/documents.js';
import { type AccountSpec, type Holder, holders } from './account-spec.js';
import { addressedPath, addressParameters, refusalFor, withoutAddress } from './addressed-accounts.js';
import { asNamed } from './named-answers.js';
import { parametersOf } from './named-spec.js';
import { hexOf, type Random, randomOf, uuidOf } from './random.js';

/** A service with several accounts, as its specification says, and what its users write down of it. */

const numbers = { ada: 4_117, ben: 4_118, carol: 4_200, dave: 4_300, everybody: 4_999 } as const;
const words = { ada: 'open', ben: 'weekly', carol: 'red', dave: 'blue', everybody: 'all' } as const;
type Account = keyof typeof numbers;
type Fields = Readonly<Record<string, unknown>>;

const joinedOf = (who: Account): string => `2021-04-05T10:11:${numbers[who] % 60}Z`;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How rows name an account. */
const nameOf = ({ owner }: AccountSpec, who: Account): string | number => {
  switch (owner) {
    case 'none':
    case 'email':
      return `${who}@example.org`;
    case 'name':
      return `${who}-account`;
    case 'uuid':
      return uuidOf(randomOf(who));
    case 'small':
      return numbers[who] % 100;
    case 'word':
      return words[who];
    default:
      return numbers[who];
  }
};

const ownerIn = (spec: AccountSpec, who: Account): Fields => {
  if (spec.owner === 'none') return {};
  if (who === 'everybody' && spec.shared === 'nobodys') return { owner: null };
  const named = nameOf(spec, who);
  return { owner: spec.owner === 'nested' ? { id: named, name: `The account of ${who}` } : named };
};

/** Rows quote the other peer. */
const quotesIn = (spec: AccountSpec, who: Account, index: number): Fields => {
  const other = nameOf(spec, who === 'ada' ? 'ben' : 'ada');
  if (spec.named.quotes === 'assignee') return { assignee: other };
  return spec.named.quotes === 'comments' ? { comments: [{ by: other, text: `Well done, the ${index}th` }] } : {};
};

export interface Item {
  readonly of: Account;
  readonly id: string | number;
  readonly fields: Fields;
}

const idOf = ({ ids }: AccountSpec, random: Random, index: number): string | number => {
  if (ids === 'perAccount') return index + 1;
  if (ids === 'number') return random.int(10_000, 99_999_999);
  return ids === 'uuid' ? uuidOf(random) : `${hexOf(random, 6)}-${index}`;
};

const itemsOf = (spec: AccountSpec): readonly Item[] => {
  const random = randomOf(`${spec.seed} items`);
  const contentOf = (): Fields => ({
    title: `${random.pick(['Weekly', 'Long', 'Short', 'Evening'])} ${hexOf(random, 5)}`,
    minutes: random.int(10, 9_000),
    created: `2024-0${random.int(1, 9)}-1${random.int(0, 9)}T0${random.int(0, 9)}:22:1${random.int(0, 9)}Z`,
  });
  const equal = contentOf();
  const some = (of: Account, count: number): Item[] =>
    Array.from({ length: count }, (_, index) => {
      const isEqual = spec.equal && index === 0 && (of === 'ada' || of === 'ben');
      const id = idOf(spec, random, of === 'everybody' ? index + 40 : index);
      return {
        of,
        id,
        fields: { id, ...(isEqual ? equal : contentOf()), ...ownerIn(spec, of), ...quotesIn(spec, of, index) },
      };
    });
  const shared = spec.shared === 'none' ? [] : some('everybody', random.int(1, 3));
  return [...holders.flatMap((who) => some(who, spec.counts[who])), ...shared];
};

const resource = ({ id, ...attributes }: Fields): Fields => ({ type: 'thing', id: String(id), attributes });

const listIn = ({ envelope }: AccountSpec, rows: readonly Fields[], total: number): unknown => {
  const hasMore = total > rows.length;
  switch (envelope) {
    case 'bare':
      return rows;
    case 'page':
      return { count: total, next: hasMore ? '/things?page=2' : null, previous: null, results: rows };
    case 'data':
      return { data: rows, meta: { total } };
    case 'cursor':
      return { items: rows, cursor: hasMore ? 'b2Zmc2V0PTM' : null, hasMore };
    case 'resources':
      return { data: rows.map(resource) };
    case 'lines':
      return rows.map((row) => JSON.stringify(row)).join('\n');
    case 'wrapped':
      return { things: rows, version: 3 };
  }
};

const itemIn = ({ envelope }: AccountSpec, row: Fields): Fields => {
  if (envelope === 'resources') return { data: resource(row) };
  return envelope === 'data' ? { data: row } : row;
};

const refusalOf = (spec: AccountSpec, style: AccountSpec['refusal']): Answer => {
  switch (style) {
    case '404':
      return notFound;
    case '401':
    case '403':
      return { status: Number(style), body: { detail: 'This is not for you.' } };
    case 'redirect':
      return { status: 302, headers: { location: '/log-in' } };
    case 'error':
      return { status: 200, body: { status: 'error', message: 'This is not for you.', code: 17 } };
    case 'null':
      return { status: 200, body: { data: null } };
    case 'empty':
      return { status: 200, body: {} };
    case 'emptyList':
      return { status: 200, body: listIn(spec, [], 0) };
    case 'logIn':
      return { status: 200, type: 'text/html', body: '<h1>Log in</h1><form><input type="password"></form>' };
  }
};

/** Scopes that each holds. */
const heldBy = ({ scopes, fault }: AccountSpec): Readonly<Record<Holder, readonly string[]>> => ({
  ada: scopes,
  ben: scopes,
  carol: [...scopes, 'admin'],
  dave: fault === 'anyScope' ? scopes.slice(0, 1) : ['other'],
});

export type AccountKeys = Readonly<Record<Holder, string>>;

const isScopeAsked = ({ fault }: AccountSpec, { method }: Asked, isItem: boolean): boolean =>
  fault !== 'noScope' && !(fault === 'listScope' && !isItem) && !(fault === 'headScope' && method === 'HEAD');

const listFor = ({ fault }: AccountSpec, who: Holder, own: readonly Item[], all: readonly Item[]): readonly Item[] => {
  if (fault === 'listGivesAll' || (fault === 'listGivesOneAll' && who === 'ben')) return all;
  const [theirs] = all.filter(({ of }) => of === 'ada');
  return fault === 'listGivesOneRow' && who === 'ben' && theirs ? [...own, theirs] : own;
};

export const accountHandler = (spec: AccountSpec, keys: AccountKeys): Handler => {
  const { fault, scopes } = spec;
  const all = itemsOf(spec);
  let reads = 0;
  const seenBy = (who: Holder, { of, fields }: Item): Fields => ({
    ...fields,
    ...(spec.changes ? { hits: reads * 31, asOf: `2024-11-05T10:00:${10 + (reads % 50)}Z` } : {}),
    ...(spec.viewers ? { mine: of === who, viewer: numbers[who] } : {}),
  });
  const itemFor = (who: Holder, other: Item): Answer => {
    if (fault === 'itemOpens' || (fault === 'itemOpensToOne' && who === 'ben'))
      return { status: 200, body: itemIn(spec, seenBy(who, other)) };
    if (fault === 'itemInRefusal') return { status: 403, body: { detail: 'Not yours.', object: seenBy(who, other) } };
    const { owner: _owner, ...part } = other.fields;
    return fault === 'itemInPart' ? { status: 200, body: itemIn(spec, part) } : refusalOf(spec, spec.refusal);
  };
  const accountIn = (value: string): Holder | undefined => holders.find((who) => String(nameOf(spec, who)) === value);
  const profileOf = (who: Holder): Fields => ({
    ...ownerIn(spec, who),
    name: `The account of ${who}`,
    joined: joinedOf(who),
  });
  const accountOf = (who: Holder): Fields => ({ ...profileOf(who), login: `${who}-login`, balance: numbers[who] * 7 });
  const listOf = (
    who: Holder,
    rows: readonly Item[],
    { leaks, filters, echoes, link }: ReturnType<typeof asNamed<Holder>>,
  ): Answer => {
    const theirs = leaks === undefined ? [] : all.filter(({ of }) => of === leaks);
    const gives = spec.named.leak?.gives;
    const own = filters ? rows.filter(({ of }) => of === 'everybody' && spec.named.treats === 'filters') : rows;
    const list = leaks === undefined || gives === 'inside' ? own : gives === 'mixed' ? [...own, ...theirs] : theirs;
    const ordered = spec.shuffles ? randomOf(String(reads)).shuffled(list) : list;
    const [quoted] = theirs;
    const written = ordered.slice(0, spec.pageSize).map((item, index) => ({
      ...seenBy(who, item),
      ...(quoted && gives === 'inside' && index === 0
        ? { before: spec.envelope === 'resources' ? resource(seenBy(who, quoted)) : seenBy(who, quoted) }
        : {}),
    }));
    const body = listIn(spec, written, list.length);
    const repeated = {
      ...(echoes ? { filters: echoes.map(({ name, value }) => ({ owner: value, name })) } : {}),
      ...(link === undefined ? {} : { links: { self: link } }),
    };
    return {
      status: 200,
      ...(spec.envelope === 'lines' ? { type: 'application/x-ndjson' } : {}),
      body: isObject(body) ? { ...body, ...repeated } : body,
    };
  };
  return (whole) => {
    const found = withoutAddress(spec.addressed, whole);
    if (!found) return whole.headers.authorization === undefined ? unauthorized : notFound;
    const { asked } = found;
    reads += 1;
    const { path, headers } = asked;
    if (path === '/log-in') return { status: 200, type: 'text/html', body: '<h1>Log in</h1>' };
    const [, resource, id] = /^\/(profile|account|things)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (resource === undefined) return notFound;
    const who = holders.find((name) => headers.authorization === `Bearer ${keys[name]}`);
    if (who === undefined) return unauthorized;
    if (resource === 'profile')
      return { status: 200, body: { login: `${who}-login`, number: numbers[who] * 3, joined: joinedOf(who) } };
    const held = heldBy(spec)[who];
    const isHolder =
      fault === 'anyScope' ? held.some((one) => scopes.includes(one)) : scopes.every((one) => held.includes(one));
    if (!isHolder && isScopeAsked(spec, asked, id !== undefined)) return refusalOf(spec, spec.scopeRefusal);
    if (fault === 'holderRefused' && who === 'ben') return refusalOf(spec, spec.scopeRefusal);
    const at = resource === 'account' ? 'record' : id === undefined ? 'list' : 'item';
    const named = asNamed(spec.named, asked, at, { accountOf: accountIn, holder: who, profileOf });
    if (named.answer) return named.answer;
    if (resource === 'account') return { status: 200, body: accountOf(named.leaks ?? who) };
    const account = found.account === undefined ? who : accountIn(found.account);
    const isOthers = account !== who && !(who === 'carol' && spec.carolSeesAll);
    const other = isOthers ? refusalFor(spec.addressed, account !== undefined) : 'own';
    const reader = fault === 'addressed' && account !== undefined ? account : who;
    if (typeof other === 'object' && reader === who) return other;
    const isEmpty = other === 'empty' && reader === who;
    const own = all.filter(
      ({ of }) => !isEmpty && (of === reader || of === 'everybody' || (reader === 'carol' && spec.carolSeesAll)),
    );
    if (id === undefined) return listOf(who, listFor(spec, who, own, all), named);
    const withId = (items: readonly Item[]): Item | undefined => items.find((item) => String(item.id) === id);
    const mine = withId(own);
    if (mine) return { status: 200, body: itemIn(spec, seenBy(who, mine)) };
    const theirs = withId(all);
    if (theirs && named.leaks === theirs.of) return { status: 200, body: itemIn(spec, seenBy(who, theirs)) };
    return theirs ? itemFor(who, theirs) : notFound;
  };
};

/** The document, and the file of IDENTITIES. */
export const accountFiles = (spec: AccountSpec): { readonly document: object; readonly identities: string } => {
  const { scopes, owner, envelope } = spec;
  const barePointer = `/owner${owner === 'nested' ? '/id' : ''}`;
  const pointer = `${envelope === 'resources' ? '/attributes' : ''}${barePointer}`;
  const get = (operationId: string, needed: readonly string[]): object =>
    operationOf({ operationId, security: [{ key: needed }], responses: { '200': { description: '-' } } });
  const owned = (operationId: string, row = ''): object => ({
    ...get(operationId, scopes),
    'x-access-owned': true,
    ...(spec.statesOwner ? { 'x-access-owner': row + pointer } : {}),
    parameters: parametersOf(spec.named).map(({ name, in: place = 'query', schema = { type: 'string' } }) => ({
      name,
      in: place,
      schema,
    })),
  });
  const type = spec.ids === 'number' || spec.ids === 'perAccount' ? 'integer' : 'string';
  const held = heldBy(spec);
  const { addressed } = spec;
  const address = addressParameters(addressed);
  const identities = holders.map((name) => ({
    name,
    ...(name === 'ada' ? {} : { keys: { key: { variable: `${name.toUpperCase()}_KEY` } } }),
    ...(scopes.length > 0 ? { scopes: held[name] } : {}),
    ...(name === 'ben' ? { peers: ['ada'] } : {}),
    ...(spec.owns ? { owns: nameOf(spec, name) } : {}),
  }));
  return {
    document: documentOf({
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      paths: {
        '/profile': { get: get('profile', []) },
        '/account': { get: { ...owned('account'), ...(spec.statesOwner ? { 'x-access-owner': barePointer } : {}) } },
        [addressedPath(addressed, '/things')]: { parameters: address, get: owned('list') },
        [addressedPath(addressed, '/things/{thing}')]: {
          parameters: [...address, { name: 'thing', in: 'path', required: true, schema: { type } }],
          get: owned('item', envelope === 'data' || envelope === 'resources' ? '/data' : ''),
        },
      },
    }),
    // Who has no scopes of its own only asks what two peers get.
    identities: JSON.stringify(scopes.length > 0 ? identities : identities.slice(0, 2)),
  };
};
