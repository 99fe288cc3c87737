import { startReference } from '../../../src/reference/index.js';
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
