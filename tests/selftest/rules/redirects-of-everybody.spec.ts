import { type Answer, type Handler, newKey, notFound, serving, unauthorized } from '../support/document-server.js';
import { judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** Public resources that redirect everybody, with the key or without: where they lead decides. */

const key = newKey();
const page = (...items: readonly object[]): Answer => ({ status: 200, body: { count: items.length, items } });
const own = page({ id: 44_100, title: 'Session 1' }, { id: 44_137, title: 'Session 2' });
const exercises = page({ id: 7_000, title: 'Squat' }, { id: 7_037, title: 'Lunge' });
const ingredients = page({ id: 9_000, title: 'Oats' }, { id: 9_037, title: 'Rice' });
const logIn: Answer = {
  status: 200,
  type: 'text/html',
  body: '<!doctype html><title>Log in</title><form method="post"><input name="user"><input type="password"></form>',
};

/** The outcomes for exercises and ingredients, which lead to these paths. */
const outcomesWith = (places: Readonly<Record<string, Answer>>): Promise<readonly string[]> => {
  const [first = '', last = first] = Object.keys(places);
  const leads: Readonly<Record<string, string>> = { '/api/v2/exercise/': first, '/api/v2/ingredient/': last };
  const handler: Handler = ({ method, path, headers }) => {
    if (method !== 'GET') return { status: 405 };
    if (path === '/api/v2/workout/') return headers.authorization === `Token ${key}` ? own : unauthorized;
    const location = leads[path];
    return location === undefined ? (places[path] ?? notFound) : { status: 302, headers: { location } };
  };
  return serving(handler, async ({ baseUrl }) => {
    const { results } = await judgeRunning(
      { baseUrl, httpBaseUrl: 'none', key },
      { settings: { INSECURE_TLS: 'true' }, only: ['opens-without-credentials'] },
    );
    return results.checks.flatMap(({ rule, outcome }) => (rule === 'opens-without-credentials' ? [outcome] : []));
  });
};

const cases: readonly (readonly [what: string, places: Readonly<Record<string, Answer>>, outcome: string])[] = [
  ['a log-in page is no resource', { '/login/': logIn }, 'inconclusive'],
  ['nor is one in JSON', { '/login/': { status: 200, body: { detail: 'Log in first.' } } }, 'inconclusive'],
  ['nor are rows to which both lead', { '/news/': exercises }, 'inconclusive'],
  ['rows at a path of any name are', { '/static/a.json': exercises, '/static/b.json': ingredients }, 'passed'],
  ['and a page at a path of its name is', { '/de/exercise/': logIn, '/de/ingredients/': logIn }, 'passed'],
];
for (const [what, places, outcome] of cases)
  test(`where public resources redirect everybody, ${what}`, async () => {
    expect(await outcomesWith(places)).toEqual([outcome, outcome]);
  });
