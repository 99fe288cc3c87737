import {
  type Answer,
  type Asked,
  judgeDocument,
  newKey,
  notFound,
  things,
  tokenList,
  unauthorized,
} from '../support/document-server.js';
import { expect, inCi, test } from '../support/test.js';

/** Services that refuse a client for a while, or are out, whatever it asks. */

const key = newKey();

const isKeyed = ({ headers }: Asked): boolean => headers.authorization === `Token ${key}`;

const conforming = (asked: Asked): Answer => {
  if (asked.path !== '/things') return notFound;
  return isKeyed(asked) ? { status: 200, body: things } : unauthorized;
};

const judged = (handler: (asked: Asked) => Answer) => judgeDocument(tokenList, handler, { settings: { API_KEY: key } });

test('a client that is banned asks no more than one that is not, and is told what the key got', async () => {
  const free = await judged(conforming);
  let wrong = 0;
  const run = await judged((asked) => {
    if (wrong >= 5) return { status: 403, body: { detail: 'Blocked.' } };
    if (asked.headers.authorization !== undefined && !isKeyed(asked)) wrong += 1;
    return conforming(asked);
  });
  expect(run.failedClauses).toEqual([]);
  expect(run.results.verdict).toBe('incomplete');
  expect(run.requests.length).toBeLessThan(free.requests.length + 50);
  const lost = run.results.checks.filter(({ cause }) => cause?.id === 'key-no-longer-opens');
  expect(new Set(lost.map(({ reason }) => reason)).size).toBe(1);
  const [read] = lost[0]?.exchanges ?? [];
  expect(run.exchanges.find(({ id }) => id === read)).toMatchObject({
    probe: { name: 'with the key' },
    attempts: [{ response: { status: 403 } }],
  });
});

test('a ban that gives everybody an empty success is not told as another format of what the key opens', async () => {
  let count = 0;
  const run = await judged((asked) => {
    count += 1;
    return count > 60 ? { status: 200 } : conforming(asked);
  });
  expect(run.failedClauses).toEqual([]);
  expect(run.results.verdict).toBe('incomplete');
});

test(
  'a new version that refuses in other words, and one of two servers that does, cost few requests',
  inCi,
  async () => {
    const free = await judged(conforming);
    const inOtherWords = (asked: Asked): Answer => {
      const answer = conforming(asked);
      return answer.status === 401 ? { status: 401, body: { error: { title: 'unauthorized' } } } : answer;
    };
    for (const isOther of [(count: number) => count > 60, (count: number) => count % 2 === 0]) {
      let count = 0;
      const run = await judged((asked) => {
        count += 1;
        return (isOther(count) ? inOtherWords : conforming)(asked);
      });
      expect(run.results.verdict).toBe('conformant');
      expect(run.requests.length).toBeLessThan(free.requests.length + 120);
    }
  },
);

test('what a service answers after an outage is not told as a ban', async () => {
  let out = 3;
  const run = await judged((asked) => {
    const isPlain = asked.method === 'GET' && asked.path === '/things' && String(asked.query) === '' && !isKeyed(asked);
    if (!isPlain || out === 0 || asked.headers.authorization !== undefined) return conforming(asked);
    out -= 1;
    return { status: 503, body: { detail: 'Maintenance.' } };
  });
  expect(run.failedClauses).toEqual([]);
  expect(run.results.checks.map(({ cause }) => cause?.id)).not.toContain('client-refused');
});

test('a first read without a key that meets a server error makes no client a banned one', async () => {
  let broken = 0;
  const run = await judged((asked) => {
    const isFirst = asked.path === '/things' && asked.headers.authorization === undefined && broken === 0;
    if (!isFirst) return conforming(asked);
    broken += 1;
    return { status: 500, body: { error: 'deadlock' } };
  });
  expect(broken).toBe(1);
  expect(run.results.verdict, run.results.causes.map(({ title }) => title).join('\n')).toBe('conformant');
});

test('a client that by now gets what the key gets is not told as shut out', async () => {
  const app: Answer = { status: 200, type: 'text/html', body: '<!doctype html><p>App</p>' };
  let keyed = 0;
  const run = await judgeDocument(
    tokenList,
    (asked) => {
      if (/^\/(?:missing-[^/]*)?$/.test(asked.path)) return notFound;
      if (isKeyed(asked)) keyed += 1;
      // A client without a key gets the app after two keyed reads, and the things after more.
      if (isKeyed(asked) || (keyed > 2 && asked.method === 'GET' && asked.path === '/things'))
        return { status: 200, body: things };
      return asked.path === '/things' && (keyed < 2 || asked.method === 'HEAD') ? unauthorized : app;
    },
    { settings: { API_KEY: key }, only: ['refuses-other-spellings'] },
  );
  expect(run.check('refuses-other-spellings').cause?.id).toBe('opens-by-now');
});
