import { startReference } from '../../../src/reference/index.js';
import { judgeDocument, newKey, notFound, tokenComponents, unauthorized } from '../support/document-server.js';
import { judgeReference, judgeRunning } from '../support/judge.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';

/**
 * The other host that a request is made out for is never the target's own, by whatever name the
 * target is reached.
 */

for (const host of ['localhost', '127.0.0.1'])
  for (const [fault, clause] of [
    ['plain-http-for-other-host', 'HTTPS-2'],
    ['other-hosts-need-no-key', 'AUTH-3'],
  ] as const)
    test(`${fault} is seen where the deployment is reached as ${host}`, async () => {
      const run = await judgeReference({ fault, service: { host }, only: [clause], exchanges: true });
      expect(run.failedClauses).toEqual([clause]);
      const named = run.exchanges
        .filter(({ probe }) => probe.name !== 'Host without its port')
        .flatMap(({ probe }) => probe.headers.flatMap(([name, value]) => (name === 'Host' ? [value] : [])));
      expect(named).not.toEqual([]);
      expect(named).not.toContain(host);
    });

test('a redirect that repeats the name of another host is asked of the same server', async () => {
  const service = await startReference();
  const plain = await rawServer(
    (head) => {
      const [, target = ''] = /^\S+ (\S+)/.exec(head) ?? [];
      const [, host = ''] = /^host: (.*)$/im.exec(head) ?? [];
      const to = target.startsWith('/www') ? `https://${host}${target}` : `http://${host}/www${target}`;
      return answer(301, '', [`Location: ${to}`]);
    },
    { tls: false },
  );
  const run = await judgeRunning(
    { ...service, httpBaseUrl: plain.origin },
    { only: ['refuses-plain-http@listWorkouts'] },
  );
  expect([run.check('refuses-plain-http').outcome, run.check('refuses-plain-http').reason]).toEqual([
    'passed',
    expect.any(String),
  ]);
  const elsewhere = plain.heads.filter((head) => !head.includes(`Host: ${new URL(plain.origin).host}`));
  expect(elsewhere.map((head) => /^\S+ (\S+)/.exec(head)?.[1])).toContain('/www/api/v2/workout/');
  await Promise.all([service.close(), plain.close()]);
});

for (const [what, answersAs, outcome] of [
  ['the same at every path', () => '', 'passed'],
  [
    'something else at these paths',
    (path: string) => (path.includes('missing') ? 'Nothing here.' : 'Three are open at noon.'),
    'inconclusive',
  ],
] as const)
  test(`a host that answers with 200 and ${what} is compared with a missing path there`, async () => {
    const key = newKey();
    const owned = ['/rooms', '/trips', '/meals', '/books'];
    const get = { security: [{ key: [] }], responses: { default: { description: 'Not stated.' } } };
    const rows = [11, 12, 13].map((day) => ({ id: day * 137, made: `2026-03-${day}`, label: `Number ${day}` }));
    const run = await judgeDocument(
      {
        openapi: '3.1.0',
        info: { title: 'Behind a proxy of several hosts', version: '1' },
        paths: Object.fromEntries(owned.map((path) => [path, { get }])),
        components: tokenComponents,
      },
      ({ path, headers }) => {
        if (headers.host?.endsWith('.invalid')) return { status: 200, type: 'text/plain', body: answersAs(path) };
        if (!owned.includes(path)) return notFound;
        return headers.authorization === `Token ${key}`
          ? { status: 200, body: rows.map((row) => ({ ...row, of: path })) }
          : unauthorized;
      },
      { settings: { API_KEY: key, PROBES: 'extended' } },
    );
    expect(run.outcomesOf('refuses-proxy-fields')).toEqual(owned.map(() => outcome));
  });
