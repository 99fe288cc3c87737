import { createHash } from 'node:crypto';
import { cookiesOf, sessionSecrets, withoutCookieValues } from '../../../src/wire/cookies.js';
import { KeyRing } from '../../../src/wire/keyring.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

const session = 'SESSION7c1f0aa93be84d21';

const fields: readonly (readonly [field: string, kept: string])[] = [
  [`sid=${session}; Path=/; HttpOnly`, 'sid=<cookie>; Path=/; HttpOnly'],
  [`lang=x; Path=/, sid=${session}; Path=/`, 'lang=<cookie>; Path=/, sid=<cookie>; Path=/'],
  [
    `a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, sid=${session}`,
    'a=<cookie>; Expires=Wed, 21 Oct 2026 07:28:00 GMT, sid=<cookie>',
  ],
  [`lang=x; Path=/; x-sid=${session}; SameSite=Lax`, 'lang=<cookie>; Path=/; x-sid=<cookie>; SameSite=Lax'],
  [`lang=x; ${session}; Max-Age=3`, 'lang=<cookie>; <cookie>; Max-Age=3'],
  [session, '<cookie>'],
];
for (const [field, kept] of fields) {
  test(`keeps of "${field.replaceAll(session, '…')}" how it is kept, and no value`, async () => {
    expect(withoutCookieValues(field)).toBe(kept);
    const server = await rawServer(() =>
      answer(200, JSON.stringify({ link: `/x;jsessionid=${session}` }), [
        `Set-Cookie: ${field}`,
        `Location: /login;jsessionid=${session}`,
        `X-Session-Id: ${session}`,
      ]),
    );
    const wire = wireFor(server);
    const exchange = await wire.send(probe(server.origin, {}));
    expect(JSON.stringify(exchange)).not.toContain(session);
    expect(lastOf(exchange).response?.headers).toContainEqual(['Location', '/login;jsessionid=<cookie>']);
    await wire.close();
    await server.close();
  });
}

test('takes joined cookies apart, and leaves a comma in a value', () => {
  const raw = ['Set-Cookie', 'lang=x; Path=/, sid=1; Path=/', 'set-cookie', 'a=1,b=2', 'X', 'y=z'];
  expect(cookiesOf(raw)).toEqual([
    ['lang', 'x'],
    ['sid', '1'],
    ['a', '1,b=2'],
  ]);
});

test('takes for a session what is drawn by lot alone', () => {
  const drawn = [session, 's%3Aj1Xq0aPz93kd02mmQx.sig1', 'a8Kd03xZ', 'AbCdEfGhIjKlMnOpQr', '"f3c0ffee99d1"'];
  for (const value of drawn) expect(sessionSecrets(value).length, value).toBeGreaterThan(0);
  const said = [
    'deleted',
    'true',
    'en-US,en',
    'dark-mode-2024',
    'Europe/Berlin',
    '/api/v2/workout/1',
    'https://a.example/2?b=3c4',
    'ann.smith1@example.com',
    '2026-11-21T20:11:08Z',
    '1790000000',
    '90211345',
    'quentin4711',
    'internationalisation',
  ];
  for (const value of said) expect(sessionSecrets(value), value).toEqual([]);
});

test('hides the cookies that are sent in every spelling, where each answer sets new ones', inCi, async () => {
  const given: string[] = [];
  const server = await rawServer((head) => {
    const [, sent = ''] = /\r\nCookie: sid=(\S+)/.exec(head) ?? [];
    given.push(createHash('sha512').update(String(given.length)).digest('base64url'));
    const echo = { sent, encoded: Buffer.from(sent).toString('base64'), first: given[0] };
    return answer(401, JSON.stringify(echo), [`Set-Cookie: sid=${given.at(-1)}`]);
  });
  const wire = wireFor(server, { concurrency: 1 });
  for (let round = 1; round <= 5; round += 1) {
    await wire.send(probe(server.origin, { round }));
    const sent = given.at(-1) ?? '';
    const replay = await wire.send(probe(server.origin, { round, headers: [['Cookie', '<VISITOR_COOKIES>']] }));
    expect(server.heads.at(-1)).toContain(`sid=${sent}`);
    for (const secret of [sent, Buffer.from(sent).toString('base64'), given[0]])
      expect(JSON.stringify(replay)).not.toContain(secret);
  }
  await wire.close();
  await server.close();
});

test('of more sent cookies than are searched for in every spelling, the oldest are hidden as they are', () => {
  const ring = new KeyRing({ keys: {} });
  const sent = Array.from({ length: 70 }, (_, index) => createHash('sha256').update(`${index}`).digest('base64url'));
  for (const cookie of sent) ring.sendCookie(cookie);
  const [oldest = '', newest = ''] = [sent[0], sent.at(-1)];
  const text = ring.redact(JSON.stringify([...sent, Buffer.from(newest).toString('base64')]));
  for (const cookie of [...sent, Buffer.from(newest).toString('base64')]) expect(text).not.toContain(cookie);
  expect(ring.redact(oldest)).toBe('<cookie>');
});
