import type { WireOptions } from '../../../src/wire/attempt.js';
import { MissingKeyError } from '../../../src/wire/keyring.js';
import { UnsafeProbeError } from '../../../src/wire/probe-safety.js';
import type { Probe } from '../../../src/wire/types.js';
import { answer, type RawServer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, ringOf, testKey, wireFor, withKey } from '../support/wires.js';

let server: RawServer;
test.beforeAll(async () => {
  server = await rawServer(() => answer(200));
});
test.afterAll(() => server.close());

type Change = (origin: string) => [Partial<Probe>, Partial<WireOptions>?];

const refused: Record<string, Change> = {
  'the key over plain HTTP': (origin) => [{ origin: origin.replace('https', 'http'), headers: withKey }],
  'the key to another origin': () => [{ origin: 'https://127.0.0.1:1', headers: withKey }],
  'the key to another port': (origin) => [{ origin: `${origin}0`, headers: withKey }],
  'the key in a URL': () => [{ target: '/?token=<API_KEY>' }],
  'the key in another case': () => [{ target: '/?token=<API_KEY:upper>' }],
  'the key as a literal': () => [{ target: `/?token=${testKey}` }],
  'the key to another host by Host': () => [{ headers: [...withKey, ['Host', 'other.example']] }],
  'the key to another host by target': () => [{ target: 'http://other.example/', headers: withKey }],
  'cookies of the key over plain HTTP': (origin) => [
    { origin: origin.replace('https', 'http'), headers: [['Cookie', '<COOKIES>']] },
  ],
  'cookies of visitors to another origin': () => [
    { origin: 'https://127.0.0.1:1', headers: [['Cookie', '<VISITOR_COOKIES>']] },
  ],
  POST: () => [{ method: 'POST' }],
  'DELETE by override': () => [{ headers: [['X-HTTP-Method-Override', 'DELETE']] }],
  'POST by parameter': () => [{ target: '/?_method=post' }],
  'POST with the key': () => [{ method: 'POST', headers: withKey }, { unsafeMethods: true }],
  'a broken line': () => [{ headers: [['X-A', 'a\r\nX-B: b']] }],
  'a target with a space': () => [{ target: '/a b' }],
};
for (const [name, change] of Object.entries(refused)) {
  test(`never sends ${name}`, async () => {
    const before = server.heads.length;
    const [changes, options] = change(server.origin);
    const wire = wireFor(server, options);
    const error = await wire.send(probe(server.origin, changes)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UnsafeProbeError);
    expect(String(error)).not.toContain(testKey);
    expect(server.heads).toHaveLength(before);
    expect(wire.requestsSent).toBe(0);
    await wire.close();
  });
}

const allowed: Record<string, Change> = {
  'the key in a URL where that is wanted': () => [{ target: '/?token=<API_KEY>' }, { probeKeyInUrl: true }],
  'a worthless key anywhere': () => [{ target: '/?token=<API_KEY:random>', headers: [['Host', 'other.example']] }],
  'POST without the key where that is wanted': () => [{ method: 'POST' }, { unsafeMethods: true }],
  'GET by override': () => [{ headers: [['X-HTTP-Method-Override', 'GET']] }],
};
for (const [name, change] of Object.entries(allowed)) {
  test(`sends ${name}`, async () => {
    const [changes, options] = change(server.origin);
    const wire = wireFor(server, options);
    const exchange = await wire.send(probe(server.origin, changes));
    expect(lastOf(exchange).response?.status).toBe(200);
    expect(JSON.stringify(exchange)).not.toContain(testKey);
    await wire.close();
  });
}

test('says when a probe needs a key that was not given', async () => {
  const wire = wireFor(server, { keys: ringOf('') });
  await expect(wire.send(probe(server.origin, { headers: withKey }))).rejects.toThrow(MissingKeyError);
  await wire.close();
});
