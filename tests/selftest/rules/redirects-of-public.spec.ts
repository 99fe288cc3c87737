import { randomBytes } from 'node:crypto';
import { type Answer, type Handler, notFound, serving, unauthorized } from '../support/document-server.js';
import { judgeRunning } from '../support/judge.js';
import { exercises, workouts } from '../support/sample-rows.js';
import { expect, test } from '../support/test.js';

/**
 * What the key gets where a client without one gets something else: a redirect is read by its end,
 * and a body that nothing is equal to by what else is refused.
 */

const key = 'Kq7dW2mZx9Lr4Tb8Vn3Hs6Pj1Gf5Yc0A';
const ok = (body: unknown): Answer => ({ status: 200, body });
const to = (location: string): Answer => ({ status: 302, headers: { location } });
const login: Answer = { status: 200, type: 'text/html', body: '<form action="/login"><input name="user"></form>' };
/** An answer, or another one at each read. */
type Given = Answer | (() => Answer);
const given = (one: Given): Answer => (typeof one === 'function' ? one() : one);
interface Service {
  /** What a client without the key gets. */
  readonly exercise?: Given;
  readonly refusal?: Answer;
  readonly elsewhere?: Readonly<Record<string, Given>>;
  readonly keyed?: () => Answer;
  readonly isTaken?: (authorization: string) => boolean;
  /** The key opens the public resource. */
  readonly isPublicKeyed?: boolean;
}

const judged = ({
  exercise = ok(exercises),
  refusal = unauthorized,
  elsewhere = {},
  keyed = () => ok(workouts),
  isTaken = (authorization) => authorization === `Token ${key}`,
  isPublicKeyed = true,
}: Service) => {
  const handler: Handler = ({ method, path, headers }) => {
    if (method !== 'GET') return { status: 405 };
    const isKeyed = isTaken(headers.authorization ?? '');
    if (path === '/api/v2/workout/') return isKeyed ? keyed() : refusal;
    if (path === '/api/v2/exercise/')
      return isKeyed && isPublicKeyed
        ? ok({ results: exercises.map((each) => ({ ...each, favourite: false })) })
        : given(exercise);
    return path === '/api/v2/ingredient/' ? ok(exercises) : given(elsewhere[path.replace(/\?.*/, '')] ?? notFound);
  };
  return serving(handler, ({ baseUrl }) =>
    judgeRunning(
      { baseUrl, httpBaseUrl: 'none', key },
      { settings: { INSECURE_TLS: 'true', PROBES: 'standard' }, only: ['AUTH-2', '@listExercises'] },
    ),
  );
};

test.describe('a redirect of who sends no key to a public resource', () => {
  for (const [where, exercise] of [
    ['another host that gives no answer', to('https://files.example.invalid/exercise.json')],
    ['the same rows in a file', to('/files/exercise.json')],
  ] as const)
    test(`to ${where} withholds nothing for certain`, async () => {
      const run = await judged({ exercise, elsewhere: { '/files/exercise.json': ok(exercises) } });
      expect(run.check('opens-without-credentials').outcome).toBe('inconclusive');
      expect(run.failedClauses).toEqual([]);
    });

  for (const [where, exercise, refusal] of [
    ['a log-in page', to('/login'), unauthorized],
    ['an error', to('/gone'), unauthorized],
    [
      'where protected resources redirect',
      to('https://login.example.invalid/in'),
      to('https://login.example.invalid/in'),
    ],
    ['a refusal in a body', to('/no'), ok({ error: 4011, rows: [] })],
  ] as const)
    test(`to ${where} withholds it`, async () => {
      const elsewhere = { '/login': login, '/no': ok({ error: 4011, rows: [] }) };
      const run = await judged({ exercise, refusal, elsewhere });
      expect(run.check('opens-without-credentials').outcome).toBe('failed');
    });
});

for (const [location, says] of [
  ['/api/v2/exercise/', 'redirects to itself (/api/v2/exercise/)'],
  ['./', 'redirects to itself (./)'],
  ['https://www.example.invalid/api/v2/exercise/', 'set EXERCISE_PATH'],
] as const)
  test(`a public resource that redirects everybody to ${location} is told as that`, async () => {
    const run = await judged({ exercise: to(location), isPublicKeyed: false });
    const check = run.check('opens-without-credentials');
    expect([check.outcome, check.reason]).toEqual(['inconclusive', expect.stringContaining(says)]);
  });

test.describe('a public resource that ends as protected ones do, with the key too', () => {
  const logIn = (): Answer => ({
    ...login,
    body: `<form action="/login"><input name="csrf" value="${randomBytes(16).toString('hex')}"></form>`,
  });
  for (const [where, there] of [
    ['the log-in page to which they redirect', login],
    ['that page with another token at each read', logIn],
  ] as const)
    test(`opens nothing for certain at ${where}`, async () => {
      const run = await judged({
        exercise: to('/login?next=exercise'),
        refusal: to('/login?next=workout'),
        elsewhere: { '/login': there },
        isPublicKeyed: false,
      });
      expect(run.check('opens-without-credentials').outcome).toBe('inconclusive');
    });

  test('opens nothing for certain where a path that does not exist leads too', async () => {
    const found: Handler = ({ path, headers }) => {
      if (path === '/api/v2/workout/') return headers.authorization === `Token ${key}` ? ok(workouts) : unauthorized;
      const next = `/?next=${path.slice(1)}`;
      return path.startsWith('/?') ? logIn() : { ...to(next), type: 'text/html', body: `<a href="${next}">Found</a>` };
    };
    const run = await serving(found, ({ baseUrl }) =>
      judgeRunning(
        { baseUrl, httpBaseUrl: 'none', key },
        { settings: { INSECURE_TLS: 'true', PROBES: 'standard' }, only: ['@listExercises'] },
      ),
    );
    expect(run.check('opens-without-credentials')).toMatchObject({
      outcome: 'inconclusive',
      cause: { id: 'redirects-elsewhere' },
      reason: expect.stringContaining('where a path that does not exist leads too'),
    });
  });

  test('is broken if only some reads do', async () => {
    let reads = 0;
    const exercise = (): Answer => {
      reads += 1;
      return reads > 1 ? to('/login?next=exercise') : ok(exercises);
    };
    const run = await judged({ exercise, refusal: to('/login'), elsewhere: { '/login': login } });
    expect(run.check('opens-without-credentials').outcome).toBe('failed');
  });
});

test.describe('an export that is another one at each read', () => {
  const keyed = (): Answer => ({ status: 200, type: 'application/jose', body: randomBytes(600).toString('base64url') });

  test('is seen to be given for the key in another form, where a random one is refused by status', async () => {
    const isTaken = (authorization: string): boolean => authorization.toLowerCase() === `token ${key}`.toLowerCase();
    const run = await judged({ keyed, isTaken });
    const check = run.check('takes-no-other-format');
    expect([check.outcome, check.reason]).toEqual(['lenient', expect.stringContaining('token <key>')]);
  });
});
