import { judgeRunning } from '../support/judge.js';
import { rawServer } from '../support/raw-server.js';
import { exercises, workouts } from '../support/sample-rows.js';
import { expect, inCi, oneOfThree, test } from '../support/test.js';

/** Pages without rows: of an owner who has none yet, and of a client who is let in as nobody. */

const key = 'Kq7dW2mZx9Lr4Tb8Vn3Hs6Pj1Gf5Yc0A';
const json = (status: number, body: unknown, hasBody: boolean): string => {
  const text = JSON.stringify(body);
  const reason = status === 200 ? 'OK' : 'No';
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}`;
  return `${head}\r\n\r\n${hasBody ? text : ''}`;
};

interface Lists {
  readonly page: (rows: readonly object[], name: string) => unknown;
  readonly own: readonly object[];
  /**
   * What a client is given that sends no Authorization field; refused with 401 when absent, as any
   * other key is.
   */
  readonly nobody?: readonly object[];
  /** What is given with 200 in place of 401. */
  readonly refusal?: unknown;
  /** What is given at other paths; 404 when absent. */
  readonly elsewhere?: (path: string) => readonly object[];
  /** Whether what the key got is given to everybody who asks for the same URL. */
  readonly isCached?: (target: string) => boolean;
}

const judged = async (
  { page, own, nobody, refusal, elsewhere, isCached = () => false }: Lists,
  only: readonly string[] = ['AUTH-2', 'AUTH-3'],
) => {
  const cached = new Set<string>();
  const server = await rawServer((head) => {
    const [, method, target = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
    const hasBody = method !== 'HEAD';
    const [path = ''] = target.split('?');
    const name = path.split('/').findLast((segment) => segment !== '') ?? '';
    const give = (rows: readonly object[]): string => json(200, page(rows, name), hasBody);
    if (path === '/api/v2/exercise/' || path === '/api/v2/ingredient/') return give(exercises);
    if (path !== '/api/v2/workout/')
      return elsewhere ? give(elsewhere(path)) : json(404, { detail: 'Nothing is here.' }, hasBody);
    // The word of the scheme in any case, as RFC 9110 lets a client write it.
    const isOwner = new RegExp(`^[Aa]uthorization: [Tt][Oo][Kk][Ee][Nn] ${key}\\r$`, 'm').test(head);
    if (isOwner && method === 'GET' && isCached(target)) cached.add(target);
    if (isOwner || (method === 'GET' && cached.has(target))) return give(own);
    if (nobody && !/^authorization:/im.test(head)) return give(nobody);
    return refusal === undefined ? json(401, { detail: 'A key is needed.' }, hasBody) : json(200, refusal, hasBody);
  });
  try {
    return await judgeRunning(
      { baseUrl: server.origin, httpBaseUrl: 'none', key },
      { settings: { INSECURE_TLS: 'true' }, only },
    );
  } finally {
    await server.close();
  }
};

test('a page that states a count and a number of pages is not refused by having none of either', inCi, async () => {
  const page = (rows: readonly object[]) => ({
    content: rows,
    totalElements: rows.length,
    totalPages: Math.ceil(rows.length / 20),
    size: 20,
    empty: rows.length === 0,
  });
  for (const own of [workouts, workouts.slice(0, 1)]) {
    const open = await judged({ page, own, nobody: [] }, ['refuses-missing-key']);
    expect(open.check('refuses-missing-key').outcome).not.toBe('passed');
  }
  const closed = await judged({ page, own: workouts }, ['refuses-missing-key']);
  expect(closed.check('refuses-missing-key').outcome).toBe('passed');
});

test('HEAD does not decide what GET leaves undecided: a bare empty list may refuse', async () => {
  const run = await judged({ page: (rows) => rows, own: [], nobody: [] });
  expect(run.check('refuses-missing-key').outcome).toBe('inconclusive');
  expect(run.failedClauses).toEqual([]);
});

test('an object that is null beside a list of errors is no empty page of an owner without rows', inCi, async () => {
  const page = (rows: readonly object[]) => ({
    data: { viewer: { workouts: { totalCount: rows.length, edges: rows } } },
  });
  const errors = [{ message: 'Not authenticated', path: ['viewer'], locations: [{ line: 1, column: 3 }] }];
  const told = await judged({ page, own: [], refusal: { data: { viewer: null }, errors } });
  expect(told.check('refuses-missing-key').outcome).toBe('passed');
  const silent = await judged({ page, own: [], refusal: { data: { viewer: null } } });
  expect(silent.check('refuses-missing-key').outcome).not.toBe('passed');
  expect([...told.failedClauses, ...silent.failedClauses]).toEqual([]);
});

test(
  'an empty page that a cache gives to everybody is laid to the cache, and to no request after it',
  inCi,
  async () => {
    const page = (rows: readonly object[]) => ({ count: rows.length, next: null, results: rows });
    const outcomes = async (isCached: (target: string) => boolean) => {
      const run = await judged({ page, own: [], isCached });
      return ['refuses-missing-key', 'refuses-leftovers', 'refuses-worthless-keys', 'refuses-proxy-fields'].map(
        (rule) => `${run.check(rule).outcome} ${run.check(rule).cause?.id ?? ''}`.trim(),
      );
    };
    expect(await outcomes(() => true)).toEqual([
      'passed',
      'failed opens-by-bypass',
      'blocked opens-by-now',
      'blocked opens-by-now',
    ]);
    // A cache that keeps nothing with a query: the check of what is left behind does not meet it.
    const [missing, , ...others] = await outcomes((target) => !target.includes('?'));
    expect([missing, ...others]).toEqual(['passed', 'failed opens-by-now', 'failed opens-by-now']);
  },
);

test('an owner without rows is seen to be served under the scheme in other case', async () => {
  const page = (rows: readonly object[]) => ({ count: rows.length, next: null, results: rows });
  const run = await judged({ page, own: [] });
  const check = run.check('takes-no-other-format');
  expect([check.outcome, check.reason]).toEqual(['lenient', expect.stringContaining('token <key>')]);
});

test.describe('where every name is that of a collection, which is empty until it is filled', () => {
  const pages: readonly (readonly [what: string, page: Lists['page']])[] = [
    ['names itself', (rows, name) => ({ collection: name, count: rows.length, results: rows })],
    ['has a title', (rows, name) => ({ title: `All entries of ${name}`, count: rows.length, results: rows })],
    ['links to itself', (rows, name) => ({ self: `https://api.example/api/v2/${name}/`, total: rows.length, rows })],
    ['is a member of its name', (rows, name) => ({ count: rows.length, [name]: rows })],
    ['names itself and counts nothing', (rows, name) => ({ collection: name, results: rows })],
  ];
  for (const [row, [what, page]] of pages.entries()) {
    test(`a spelling that is another collection opens nothing: the page ${what}`, oneOfThree(row), async () => {
      const closed = await judged({ page, own: workouts, elsewhere: () => [] }, ['refuses-other-spellings']);
      expect(closed.check('refuses-other-spellings').outcome).toBe('passed');
      const open = await judged({ page, own: workouts, elsewhere: (path) => (path.includes('//') ? workouts : []) }, [
        'refuses-other-spellings',
      ]);
      expect(open.check('refuses-other-spellings').outcome).toBe('failed');
    });
  }

  test('a page that repeats what was looked for is not the list, whatever it found', async () => {
    const articles = workouts.map(({ id, kg }) => ({ id: id + 9001, date: `2019-0${id % 9 || 1}-02`, kg: kg + 7.25 }));
    const run = await judged({
      page: (rows, name) => (rows === workouts ? { items: rows } : { query: name, items: rows }),
      own: workouts,
      elsewhere: (path) => (path.includes('missing') ? [] : articles),
    });
    expect(run.failedClauses).toEqual([]);
  });

  test('an owner without entries is not told from a name without any', async () => {
    const page: Lists['page'] = (rows, name) => ({ collection: name, count: rows.length, results: rows });
    const run = await judged({ page, own: [], elsewhere: () => [] });
    expect(run.failedClauses).toEqual([]);
  });
});
