import type { Response } from '../../../src/wire/types.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, ringOf, testKey, wireFor, withKey } from '../support/wires.js';

/** An answer that holds a whole key is marked where no whole key was sent. */

const seenOf = async (reply: Buffer, headers: typeof withKey = [], key = testKey): Promise<Response | undefined> => {
  const server = await rawServer(() => reply);
  const wire = wireFor(server, { keys: ringOf(key) });
  const exchange = await wire.send(probe(server.origin, { headers }));
  await wire.close();
  await server.close();
  expect(JSON.stringify(exchange)).not.toContain(testKey);
  return lastOf(exchange).response;
};

for (const text of [testKey, `Token ${testKey}`, btoa(testKey), btoa(btoa(testKey))])
  test(`marks an answer that gives the key to nobody (${text.length} characters)`, async () => {
    expect((await seenOf(answer(401, text)))?.givesKey).toBe(true);
  });

for (const between of [' ', ', ', ','])
  test(`marks one that gives its bytes with "${between}" between them`, async () => {
    expect((await seenOf(answer(401, `want [${[...Buffer.from(testKey)].join(between)}]`)))?.givesKey).toBe(true);
  });

test('marks one that gives it in a field', async () => {
  expect((await seenOf(answer(401, '{}', [`X-Expected: ${testKey}`])))?.givesKey).toBe(true);
});

test('marks one that gives it inside longer data in base64, at each alignment and in both alphabets', async () => {
  for (const before of ['', 'a', 'ab', 'api:', '{"key":"'])
    for (const encoding of ['base64', 'base64url'] as const) {
      const token = Buffer.from(`${before}${testKey}"}`).toString(encoding);
      expect((await seenOf(answer(401, '{}', [`Set-Cookie: guest=e30.${token}.c2ln; Path=/`])))?.givesKey).toBe(true);
    }
});

test('marks one that gives it in a location inside another one', async () => {
  const encoded = [...testKey].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const next = encodeURIComponent(`/orders?key=${encodeURIComponent(encoded)}`);
  expect((await seenOf(answer(302, '', [`Location: /login?next=${next}`])))?.givesKey).toBe(true);
});

test('marks none that repeats what was sent', async () => {
  expect(await seenOf(answer(401, testKey), withKey)).not.toHaveProperty('givesKey');
  const flipped: typeof withKey = [['Authorization', 'Token <API_KEY:case-flipped>']];
  expect(await seenOf(answer(401, testKey), flipped)).not.toHaveProperty('givesKey');
});

for (const form of ['first-half', 'one-changed', 'tail-changed', 'reversed'])
  test(`marks one that gives it to who sent no more than a part of it (${form})`, async () => {
    const sent: typeof withKey = [['Authorization', `Token <API_KEY:${form}>`]];
    expect((await seenOf(answer(401, `Did you mean ${testKey}?`), sent))?.givesKey).toBe(true);
    expect(
      await seenOf(answer(401, `No such key: ${ringOf(testKey).fill(`<API_KEY:${form}>`)}`), sent),
    ).not.toHaveProperty('givesKey');
  });

test('the random key of a user name with a password has another user name', () => {
  const made = ringOf('mara:correct-horse-27').fill('<API_KEY:random> <API_KEY:random-2>');
  expect(made).toMatch(/^[a-z]{4}:[a-z]{7}-[a-z]{5}-\d{2} mara:[a-z]{7}-[a-z]{5}-\d{2}$/);
  expect(made).not.toMatch(/^mara:/);
});

test('marks none that gives a part of it', async () => {
  expect(await seenOf(answer(401, testKey.slice(0, 30)))).not.toHaveProperty('givesKey');
});

test('marks none that names a key which anybody might write', async () => {
  for (const key of ['DEMO_KEY', '12345678'])
    expect(await seenOf(answer(401, `try ${key}`), [], key)).not.toHaveProperty('givesKey');
});
