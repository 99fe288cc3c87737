import { type Answer, judgeDocument, newKey, notFound } from '../support/document-server.js';
import { protectedList as document } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * What a way round opens is somebody's, also where it is not the data of the key's owner and opens
 * only once.
 */

const key = newKey();
const bearer = { type: 'http', scheme: 'bearer' };
const list = (whose: string, from: number): Answer => ({
  status: 200,
  body: {
    count: 3,
    results: [1, 2, 3].map((day) => ({
      id: from + day,
      minutes: (from % 977) + day * 3,
      comment: `The diary of ${whose}, ${day}`,
    })),
  },
});

for (const always of [true, false])
  test(`what a field opens ${always ? 'each time' : 'once'} is not stored`, async () => {
    let asked = 0;
    const run = await judgeDocument(
      document,
      ({ path, headers }) => {
        if (path !== '/things/') return notFound;
        if (headers.authorization === `Bearer ${key}`) return list('the owner of the key', 40_120);
        if (headers['x-real-ip'] === '127.0.0.1' && (always || asked++ === 0)) return list('somebody else', 50_411);
        return { status: 401, body: { detail: 'no' } };
      },
      { settings: { API_KEY: key }, only: ['refuses-proxy-fields'] },
    );
    expect(run.check('refuses-proxy-fields').outcome).toBe(always ? 'failed' : 'inconclusive');
    expect(JSON.stringify(run.exchanges)).not.toContain('The diary of');
  });

test('a key that one refusal alone gives in a field is seen beside others with the same body', async () => {
  const { check } = await judgeDocument(
    document,
    ({ path, headers }) => {
      if (path !== '/things/') return notFound;
      if (headers.authorization === `Bearer ${key}`) return list('the owner of the key', 40_120);
      const refusal = { status: 401, body: { detail: 'no' } };
      return headers['x-real-ip'] === '127.0.0.1' ? { ...refusal, headers: { 'x-waits-for': key } } : refusal;
    },
    { settings: { API_KEY: key }, only: ['refuses-missing-key', 'refuses-proxy-fields'] },
  );
  expect(check('refuses-proxy-fields').outcome).toBe('failed');
  expect(check('refuses-missing-key').outcome).toBe('passed');
});

for (const [prefix, scheme] of [
  ['', 'key'],
  ['/v1', 'key'],
  ['/api/v2', 'key'],
  ['', 'sameKey'],
] as const)
  test(`a small answer below "${prefix}/" is open where others there refuse by status (${scheme})`, async () => {
    const names = ['mood', 'plan', 'goal', 'rank', 'lamp'];
    const { check } = await judgeDocument(
      {
        ...document,
        components: { securitySchemes: { key: bearer, sameKey: bearer } },
        paths: Object.fromEntries(
          names.map((name) => [
            `${prefix}/${name}`,
            {
              get: {
                operationId: name,
                security: [{ [name === 'lamp' ? scheme : 'key']: [] }],
                responses: { default: { description: '-' } },
              },
            },
          ]),
        ),
      },
      ({ path, headers }) => {
        const name = names.find((one) => path === `${prefix}/${one}`);
        if (name === undefined) return notFound;
        if (name === 'lamp') return { status: 200, body: { on: true } };
        if (headers.authorization === `Bearer ${key}`) return { status: 200, body: { [name]: 7 } };
        return { status: 401, body: { detail: 'no' } };
      },
      { settings: { API_KEY: key, PROBES: 'standard' } },
    );
    expect(check('refuses-missing-key@lamp').outcome).toBe('failed');
    expect(check('refuses-missing-key@mood').outcome).toBe('passed');
  });

for (const anyKey of [true, false])
  test(`a service that takes ${anyKey ? 'any key' : 'its key with anything behind it'} has one cause`, async () => {
    const { check, results } = await judgeDocument(
      document,
      ({ path, headers }) => {
        if (path !== '/things/') return notFound;
        const [, given = ''] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
        return (anyKey ? given !== '' : given.startsWith(key))
          ? list('the owner of the key', 40_120)
          : { status: 401, body: { detail: 'no' } };
      },
      { settings: { API_KEY: key }, only: ['AUTH-2', 'AUTH-3'] },
    );
    const found = check('takes-no-other-format');
    expect(found.outcome).toBe(anyKey ? 'blocked' : 'lenient');
    if (anyKey) expect(found.blockers).toEqual([{ kind: 'check', id: 'refuses-worthless-keys@list' }]);
    expect(results.causes.map(({ outcome }) => outcome)).toEqual([anyKey ? 'failed' : 'lenient']);
  });

const small = ['mood', 'plan', 'goal', 'rank', 'profile'];

/** Protected reads of small records, for a service that tells a wrong key in a 200. */
const judgeSmall = (bodyOf: (name: string) => object) =>
  judgeDocument(
    {
      ...document,
      paths: Object.fromEntries(
        small.map((name) => [
          `/${name}`,
          { get: { operationId: name, security: [{ key: [] }], responses: { default: { description: '-' } } } },
        ]),
      ),
    },
    ({ path, headers }) => {
      const name = path.slice(1);
      if (!small.includes(name)) return notFound;
      const given = /^Bearer ./.test(headers.authorization ?? '');
      return given ? { status: 200, body: bodyOf(name) } : { status: 401, body: { detail: 'no' } };
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );

test('small answers to any key are data where a sibling gives any key a record', inCi, async () => {
  const { outcomesOf, results } = await judgeSmall((name) =>
    name === 'profile' ? { id: 48_213, email: 'mara@example.com', since: '2021-04-11' } : { [name]: 7, of: name },
  );
  expect(outcomesOf('refuses-worthless-keys')).toEqual(small.map(() => 'failed'));
  expect(results.causes.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
});

test('small answers to any key may be refusals of each where no sibling gives a record', async () => {
  const { outcomesOf, results } = await judgeSmall((name) => ({ denied: name, at: '2021-04-11', docs: 48_213 }));
  expect(outcomesOf('refuses-worthless-keys')).toEqual(small.map(() => 'blocked'));
  expect(results.verdict).toBe('incomplete');
});
