import { KeyRing } from '../../../src/wire/keyring.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor, withKey } from '../support/wires.js';

const adas = 'ada5ca1ab1e00decafbad0ddba11facade45678';
const others = new Set(['API_KEY_OF_ADA']);
const keys = () => new KeyRing({ keys: { API_KEY: testKey, API_KEY_OF_ADA: adas }, seed: 'self-test' });
const withAdas = [['Authorization', 'Token <API_KEY_OF_ADA>']] as const;

test('a connection that carried the key of one identity serves no other, and nobody', async () => {
  const usedBy = new Map<number, Set<string>>();
  const server = await rawServer((head, { connection }) => {
    const who = head.includes(testKey) ? 'main' : head.includes(adas) ? 'ada' : 'nobody';
    usedBy.set(connection, (usedBy.get(connection) ?? new Set()).add(who));
    return answer(200);
  });
  const wire = wireFor(server, { concurrency: 6, keys: keys(), others });
  await Promise.all(
    Array.from({ length: 60 }, (_, round) =>
      wire.send(probe(server.origin, { round, headers: [withKey, withAdas, []][round % 3] ?? [] })),
    ),
  );
  for (const who of usedBy.values()) expect([...who]).toHaveLength(1);
  expect(server.connections).toBeLessThanOrEqual(18);
  await wire.close();
  await server.close();
});

test('the session of another identity is not taken for that of the key', async () => {
  const heads: string[] = [];
  const server = await rawServer((head) => {
    heads.push(head);
    return answer(200, '{}', [`Set-Cookie: sid=session-of-${head.includes(adas) ? 'ada' : 'main'}-1`]);
  });
  const wire = wireFor(server, { keys: keys(), others });
  await wire.send(probe(server.origin, { headers: withKey }));
  await wire.send(probe(server.origin, { headers: withAdas, round: 2 }));
  const last = lastOf(await wire.send(probe(server.origin, { headers: [['Cookie', '<COOKIES>']], round: 3 })));
  expect(last.response?.status).toBe(200);
  expect(heads.at(-1)).toContain('sid=session-of-main-1');
  expect(heads.at(-1)).not.toContain('session-of-ada');
  await wire.close();
  await server.close();
});
