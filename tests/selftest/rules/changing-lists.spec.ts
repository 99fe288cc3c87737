import { randomInt } from 'node:crypto';
import { type Answer, type Handler, notFound, serving, unauthorized } from '../support/document-server.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/** Public lists that are others at each read, and have the structure of private ones. */

const row = someOfTable();

const key = 'Kq7dW2mZx9Lr4Tb8Vn3Hs6Pj1Gf5Yc0A';
const rowsOf = (name: string, first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: first + at * 37,
    title: `${name} number ${at}`,
    made: `2024-${String((at % 12) + 1).padStart(2, '0')}-${String(((first + at) % 28) + 1).padStart(2, '0')}`,
    score: first / 1_000 + at * 0.137,
  }));
const own = rowsOf('Session', 44_100, 6);
const theirs = rowsOf('Round', 61_300, 6);
const catalogue = rowsOf('Exercise', 7_000, 90);
/** The length differs too. */
const some = (): readonly object[] => catalogue.slice(randomInt(40), randomInt(43, 90)).slice(0, randomInt(3, 9));
const page = (items: readonly object[]): Answer => ({ status: 200, body: { count: items.length, items } });
const ofAnotherStructure = (): Answer => page(catalogue.map(({ id, title }) => ({ id, title })));

interface Service {
  readonly rows?: readonly object[];
  /** What the key gets; a page of the rows when absent. */
  readonly keyed?: () => Answer;
  readonly refusal?: () => Answer;
  readonly elsewhere?: (path: string) => Answer;
  readonly publicList?: () => Answer;
  /** What OPTIONS gets at any path. */
  readonly options?: (path: string) => Answer;
}

const judged = ({
  rows = own,
  keyed = () => page(rows),
  refusal,
  elsewhere,
  publicList = () => page(some()),
  options,
}: Service) => {
  const handler: Handler = ({ method, path, headers }) => {
    if (options && method === 'OPTIONS') return options(path);
    if (method !== 'GET') return { status: 405 };
    if (path === '/api/v2/workout/')
      return headers.authorization === `Token ${key}` ? keyed() : (refusal?.() ?? unauthorized);
    if (path === '/api/v2/exercise/' || path === '/api/v2/ingredient/') return publicList();
    return elsewhere?.(path) ?? notFound;
  };
  return serving(handler, ({ baseUrl }) =>
    judgeRunning(
      { baseUrl, httpBaseUrl: 'none', key },
      {
        settings: { INSECURE_TLS: 'true' },
        only: ['refuses-missing-key', 'refuses-other-spellings', 'refuses-proxy-fields'],
      },
    ),
  );
};

test.describe('where public lists change and have the structure of private ones', () => {
  const below = (path: string): Answer => (path.startsWith('/api/v2/exercise/') ? page(some()) : notFound);
  const cases: readonly (readonly [what: string, service: Service])[] = [
    ['fields that are ignored get a public list', {}],
    ['all below a public path is its list', { elsewhere: below }],
    ['the same for an owner without entries', { elsewhere: below, rows: [] }],
    ['refusals show a part of it', { refusal: () => ({ ...page(some()), status: 401 }) }],
    ['unknown paths show a part of it', { elsewhere: () => ({ ...page(some()), status: 404 }) }],
  ];
  for (const [what, service] of cases)
    test(`no one is accused: ${what}`, row(), async () => {
      expect((await judged(service)).failedClauses).toEqual([]);
    });

  test('no one is accused: a redirect leads to the operation, whose refusals show a part of it', inCi, async () => {
    const run = await judged({
      refusal: () => page(some()),
      elsewhere: (path) =>
        /workout/i.test(path) ? { status: 301, headers: { location: '/api/v2/workout/' } } : notFound,
    });
    expect(run.failedClauses).toEqual([]);
  });

  test('no one is accused: a trap gives made-up rows to OPTIONS, wherever that is sent', inCi, async () => {
    const made = (): Answer => page(rowsOf('Visit', randomInt(1_000, 90_000), 3));
    const run = await judged({ options: made, publicList: ofAnotherStructure });
    expect(run.failedClauses).toEqual([]);
    const one = (path: string): Answer => (/workout/.test(path) && !/missing/.test(path) ? made() : notFound);
    expect((await judged({ options: one, publicList: ofAnotherStructure })).failedClauses).toEqual(['AUTH-3']);
  });

  test('the rows of the key’s owner still are an opening', async () => {
    const run = await judged({ elsewhere: (path) => (path.includes('//') ? page(own) : notFound) });
    expect(run.check('refuses-other-spellings').outcome).toBe('failed');
  });

  test('other rows are one where public lists have another structure', async () => {
    const run = await judged({
      publicList: ofAnotherStructure,
      elsewhere: (path) => (/\/\/.*workout/.test(path) ? page(theirs) : notFound),
    });
    expect(run.check('refuses-other-spellings').outcome).toBe('failed');
  });
});

test.describe('where answers have a choice of offers', () => {
  const all = rowsOf('Offer', 91_000, 12);
  /** Each of them is in two of three answers. */
  const offers = (): readonly object[] =>
    [12, 11, 10, 9].reduce((left, length) => left.toSpliced(randomInt(length), 1), all);
  const answer = (body: object): Answer => ({ status: 200, body });
  const member = { id: 83_412, email: 'anna@example.org', joined: '2021-04-05' };
  const beside = (): Answer => answer({ offers: offers(), items: own });
  const news = rowsOf('Notice', 52_000, 3);
  const cases: readonly (readonly [what: string, service: Service])[] = [
    ['beside rows that are empty', { keyed: beside, refusal: () => answer({ offers: offers(), items: [] }) }],
    ['beside rows that are gone', { keyed: beside, refusal: () => answer({ offers: offers() }) }],
    [
      'beside an account without rows',
      {
        keyed: () => answer({ offers: offers(), items: [] }),
        refusal: () => answer({ offers: offers(), items: [] }),
      },
    ],
    [
      'beside a member',
      {
        keyed: () => answer({ member, offers: offers() }),
        refusal: () => answer({ member: null, offers: offers() }),
      },
    ],
    [
      'and guests get their own',
      {
        keyed: () => answer({ offers: news, items: own }),
        refusal: () => answer({ offers: rowsOf('Guest', 57_000, 3), items: [] }),
      },
    ],
    [
      'among the rows of public lists too',
      {
        keyed: () => page([...offers(), ...own]),
        publicList: () => page([...offers(), ...catalogue.slice(0, 5)]),
        elsewhere: (path) => (path.startsWith('/api/v2/exercise/') ? page(offers()) : notFound),
      },
    ],
  ];
  for (const [what, service] of cases)
    test(`no one is accused: ${what}`, row(), async () => {
      expect((await judged(service)).failedClauses).toEqual([]);
    });

  const refused = (): Answer => answer({ offers: offers(), items: [] });
  for (const [what, items] of [
    ['of the key’s owner', own],
    ['of others', theirs],
  ] as const)
    test(`rows ${what} beside them are an opening`, items === own ? {} : inCi, async () => {
      const run = await judged({
        keyed: beside,
        refusal: refused,
        elsewhere: (path) => (/\/\/.*workout/.test(path) ? answer({ offers: offers(), items }) : notFound),
      });
      expect(run.check('refuses-other-spellings').outcome).toBe('failed');
    });

  test('rows of the key’s owner among them are an opening', async () => {
    const run = await judged({
      keyed: () => page([...offers(), ...own]),
      publicList: () => page([...offers(), ...catalogue.slice(0, 5)]),
      elsewhere: (path) => (/\/\/.*workout/.test(path) ? page([...offers(), ...own]) : notFound),
    });
    expect(run.check('refuses-other-spellings').outcome).toBe('failed');
  });
});

test.describe('where offers by turns stand beside the rows', () => {
  const offers = (): readonly object[] => {
    const first = randomInt(80);
    return catalogue.slice(first, first + 10).filter((_, at) => at % 2 === 0 || randomInt(2) === 0);
  };
  const keyed = (): Answer => ({ status: 200, body: { items: own, offers: offers() } });
  const without = (body: object, status: number) => (): Answer => ({ status, body: { ...body, offers: offers() } });
  const cases: readonly (readonly [what: string, refusal: () => Answer])[] = [
    ['a refusal', without({ detail: 'No key.' }, 401)],
    ['an empty page in its place', without({ items: [] }, 200)],
    ['a body without the list', without({}, 200)],
  ];
  for (const [what, refusal] of cases)
    test(`no one is accused: ${what} has such offers too`, row(), async () => {
      expect((await judged({ keyed, refusal })).failedClauses).toEqual([]);
    });

  test('no one is accused: they stand beside a record', inCi, async () => {
    const record = { account: 48_213, since: '2021-04-05', email: 'mara@example.org', plan: 'Pro' };
    const run = await judged({
      keyed: () => ({ status: 200, body: { ...record, offers: offers() } }),
      refusal: without({ detail: 'No key.' }, 401),
    });
    expect(run.failedClauses).toEqual([]);
  });

  /** Three of the account's rows at each read, in two groups. */
  const groups = (): readonly object[] =>
    [0, 1].map((at) => ({ day: at, sessions: rowsOf('Session', 44_100, 60).slice(randomInt(50)).slice(0, 3) }));
  const grouped = (items: readonly object[]): Answer => ({ status: 200, body: { items, offers: offers() } });
  const inGroups = (): Answer => grouped(groups());

  test('no one is accused: they stand beside groups without a row', async () => {
    const run = await judged({
      keyed: inGroups,
      refusal: () => grouped([{ day: 0, sessions: [] }]),
      publicList: ofAnotherStructure,
    });
    expect(['inconclusive', 'blocked']).toContain(run.check('refuses-missing-key').outcome);
  });

  const openings: readonly (readonly [what: string, keyed: () => Answer, opened: () => Answer])[] = [
    ['the rows in groups beside other offers', inGroups, inGroups],
    ['the rows beside other offers', keyed, keyed],
    ['somebody else’s rows beside other offers', keyed, without({ items: theirs }, 200)],
  ];
  for (const [what, ofKey, opened] of openings)
    test(`an opening: ${what}`, row(), async () => {
      const run = await judged({
        keyed: ofKey,
        publicList: ofAnotherStructure,
        elsewhere: (path) => (/\/\/.*workout/.test(path) ? opened() : notFound),
      });
      expect(run.check('refuses-other-spellings').outcome).toBe('failed');
    });
});
