import { type Answer, type Asked, judgeDocument, newKey, notFound } from '../support/document-server.js';
import { protectedList } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * What is said of a key that opened nothing: that its field may be lost only where nothing shows
 * that it came.
 */

const only = ['takes-documented-format'];

const reasonOf = async (handler: (asked: Asked, key: string) => Answer): Promise<string> => {
  const key = newKey();
  const run = await judgeDocument(
    protectedList,
    (asked) => (asked.path === '/things/' ? handler(asked, key) : notFound),
    { settings: { API_KEY: key, PROBES: 'standard' }, only },
  );
  const { reason, outcome } = run.check('takes-documented-format');
  expect(outcome).toBe('inconclusive');
  expect(reason).toContain('the key may be wrong or expired');
  expect(reason).not.toContain(key);
  return reason;
};

const refusal = (detail: string, challenge?: string): Answer => ({
  status: 401,
  body: { detail },
  ...(challenge === undefined ? {} : { headers: { 'WWW-Authenticate': challenge } }),
});

const keyIn = ({ headers }: Asked): string | undefined => headers.authorization;

test('the same answer with the key and without: its field may be lost', async () => {
  const reason = await reasonOf(() => refusal('No credentials were given.'));
  expect(reason).toContain('its field may be lost on the way (in a proxy, or in mod_wsgi');
  expect(reason).not.toContain('arrived');
});

test('the same answer with the key and without, and a refusal of a random one: it arrived', async () => {
  const reason = await reasonOf((asked, key) =>
    keyIn(asked) === undefined || keyIn(asked)?.endsWith(key) === true
      ? { status: 400, body: { detail: 'Required query parameter(s) missing.' } }
      : { status: 403, body: { detail: 'Invalid token.' } },
  );
  expect(reason).not.toContain('lost');
  expect(reason).toContain('The key arrived: without one the answer is the same, and a random one gets 403.');
});

test('another answer with the key: it arrived, in another body', async () => {
  const reason = await reasonOf((asked) => refusal(keyIn(asked) ? 'Invalid token.' : 'No credentials were given.'));
  expect(reason).not.toContain('lost');
  expect(reason).toContain('The key arrived: without one the answer is another. A random key gets the same answer.');
});

test('another answer with the key: it arrived, with a reason in the challenge, which is quoted without the key', async () => {
  const reason = await reasonOf((asked, key) =>
    refusal(
      'No.',
      keyIn(asked)?.includes(key)
        ? `Bearer error="invalid_token", error_description="${key} expired in May"`
        : 'Bearer',
    ),
  );
  expect(reason).not.toContain('lost');
  expect(reason).toContain('The server says: WWW-Authenticate: Bearer error="invalid_token", error_description="');
  expect(reason).toContain('expired in May');
  expect(reason).toContain('A random key gets another answer');
});

test('a long challenge is shortened, and says so', async () => {
  const reason = await reasonOf((asked) =>
    refusal('No.', keyIn(asked) ? `Bearer realm="${'x'.repeat(400)}"` : 'Bearer'),
  );
  expect(reason).toContain('characters in all)');
  expect(reason.length).toBeLessThan(700);
});

test('refusals that change from answer to answer show nothing', async () => {
  let count = 0;
  const reason = await reasonOf(() => {
    count += 1;
    return refusal(`Please try number ${['one', 'two', 'three', 'four', 'five'][count % 5]}`);
  });
  expect(reason).not.toContain('arrived');
});

const rows = [3, 4, 5].map((number) => ({ id: 40_117 + number, day: `2024-03-0${number}` }));

test('rows for everybody but the holder of the key: the check may be the wrong way round', async () => {
  const reason = await reasonOf((asked, key) =>
    keyIn(asked)?.endsWith(key) === true ? refusal('No.') : { status: 200, body: rows },
  );
  expect(reason).toContain(
    'No key gets 200 and a list of 3. A random key gets 200 and a list of 3: the check of keys may be the wrong way round.',
  );
});

test('rows for a random key alone are named too, and the page of an app is not', async () => {
  const random = await reasonOf((asked, key) =>
    keyIn(asked) === undefined || keyIn(asked)?.endsWith(key) === true ? refusal('No.') : { status: 200, body: rows },
  );
  expect(random).toContain(' A random key gets 200 and a list of 3: the check of keys');
  const app: Answer = { status: 200, body: { log_in: ['https://a.example/a', 'https://a.example/b'] } };
  const page = await reasonOf((asked) => (keyIn(asked) ? refusal('No.') : app));
  expect(page).not.toContain('the check of keys');
});
