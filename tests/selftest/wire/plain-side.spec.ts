import net from 'node:net';
import { type Override, workoutsAs } from '../../../src/reference/behaviour.js';
import { startReference } from '../../../src/reference/index.js';
import { json } from '../../../src/reference/messages.js';
import { startChanged } from '../../../src/reference/service.js';
import { whyNotReached } from '../../../src/rules/plain-http/plain-answer.js';
import { failureOf } from '../../../src/wire/failure.js';
import { connectProxy } from '../support/connect-proxy.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';
import { probe, wireFor } from '../support/wires.js';

/**
 * A service that answers over plain HTTP too, seen through settings with which nobody gets that
 * far: nothing there passes.
 */

const nobody = 'http://127.0.0.1:1';

for (const [what, { plain, forwarded }, said] of [
  ['a name that cannot be looked up', { plain: 'http://nowhere.invalid:8080' }, /ENOTFOUND.*HTTP_BASE_URL/],
  ['HTTPS by a proxy, plain HTTP refused without one', { plain: nobody, forwarded: 0 }, /refused.*set HTTP_PROXY/],
  [
    'an error that the proxy of plain HTTP may have made',
    { plain: nobody, forwarded: 503 },
    /503 may be the proxy's own/,
  ],
] as const)
  test(`HTTPS-2 is not passed by ${what}`, inCi, async () => {
    const service = await startReference({ fault: 'plain-http' });
    const proxy = forwarded === undefined ? undefined : await connectProxy({ forward: forwarded || 200 });
    const proxies = proxy && {
      HTTPS_PROXY: `127.0.0.1:${proxy.port}`,
      ...(forwarded ? { HTTP_PROXY: `127.0.0.1:${proxy.port}` } : {}),
    };
    const run = await judgeRunning(service, { only: ['HTTPS-2'], settings: { HTTP_BASE_URL: plain, ...proxies } });
    const check = run.check('refuses-plain-http@listWorkouts');
    expect([check.outcome, check.reason]).toEqual(['inconclusive', expect.stringMatching(said)]);
    // The port of HTTPS is reached as HTTPS is: by the tunnel.
    expect(run.outcomesOf('refuses-plain-http-on-tls-port')).toEqual(['passed']);
    expect(run.results.verdict).toBe('incomplete');
    await Promise.all([service.close(), proxy?.close()]);
  });

/** Answers plain HTTP itself, and passes TLS on to `target`. */
const onePort = async (target: string, plain: (path: string) => string | undefined) => {
  const { port } = new URL(target);
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      const [, path] = /^[A-Z]+ (\S+) HTTP/.exec(bytes.toString('latin1')) ?? [];
      if (path !== undefined) {
        socket.end(plain(path) ?? '');
        return;
      }
      const behind = net.connect(Number(port), '127.0.0.1');
      behind.on('error', () => undefined);
      behind.write(bytes);
      socket.pipe(behind).pipe(socket);
      socket.on('close', () => behind.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const baseUrl = new URL(target);
  baseUrl.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    baseUrl: baseUrl.href.replace(/\/$/, ''),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

test('what the TLS port says over plain HTTP is told of each operation, where it differs', async () => {
  const service = await startReference();
  const judged = async (plain: (path: string) => string | undefined) => {
    const front = await onePort(service.baseUrl, plain);
    const only = ['refuses-plain-http-on-tls-port'];
    const run = await judgeRunning({ ...service, baseUrl: front.baseUrl }, { only });
    front.close();
    const { outcome, reason } = run.check('refuses-plain-http-on-tls-port');
    expect(outcome).toBe('passed');
    return reason;
  };
  const bad = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';
  expect(await judged(() => bad)).toMatch(/^Plain HTTP gives nothing of it: [^:]*400[^:]*$/);
  expect(await judged((path) => (path.includes('workout') ? undefined : bad))).toMatch(
    /^listWorkouts: Plain HTTP gives nothing of it: .*\. listExercises and listIngredients: .*400/,
  );
  await service.close();
});

test('"host unreachable" is a rejection where the same address answers over HTTPS, in whatever words', async () => {
  const service = await startReference();
  const { origin } = new URL(service.baseUrl);
  const wire = wireFor({ origin, ca: service.ca });
  const https = await wire.send(probe(origin));
  const address = https.connection.address?.replace(/:\d+$/, '') ?? '';
  /** What plain HTTP gets where Node reports this error of `connect`. */
  const rejected = (error: { readonly code: string; readonly address?: string }) => {
    const { code, hostUnreachable } = failureOf(Object.assign(new Error('connect failed'), error), 'connect');
    expect(code).toBe('unreachable');
    return {
      ...https,
      attempts: [
        {
          error: { code, message: 'reworded', ...(hostUnreachable === undefined ? {} : { hostUnreachable }) },
          timing: { total: 1 },
        },
      ],
    };
  };
  const unseen = (error: Parameters<typeof rejected>[0]) => whyNotReached(rejected(error), https)?.cause;
  expect(unseen({ code: 'EHOSTUNREACH', address })).toBeUndefined();
  for (const error of [
    { code: 'EHOSTUNREACH', address: '192.0.2.1' },
    { code: 'EHOSTUNREACH' },
    { code: 'ENETUNREACH', address },
  ])
    expect(unseen(error)).toMatchObject({ id: 'not-reached', values: ['no-route', 'unreachable'] });
  // Where nothing was attempted, the earlier attempts tell whether the time was long enough.
  const needed = https.attempts.at(-1)?.timing.total ?? 0;
  const notAttempted = (earlierMs: number) => ({
    ...https,
    attempts: [{ error: { code: 'connect-timeout' as const, message: '', earlierMs }, timing: { total: 0 } }],
  });
  expect(whyNotReached(notAttempted(needed * 3), https)).toBeUndefined();
  expect(whyNotReached(notAttempted(needed), https)?.cause.values).toEqual(['slow', 'connect-timeout']);
  await wire.close();
  await service.close();
});

/** A record whose lists are empty, as that of an account without groups. */
const recordOf: Override = workoutsAs(() =>
  json(200, { name: 'Mara', born: '1991-04-12', city: 'Lisbon', note: 'Left knee', groups: [], badges: [] }),
);

for (const [what, plain, outcome] of [
  ['what the key gets', undefined, 'failed'],
  ['its empty lists alone', { groups: [], badges: [] }, 'inconclusive'],
] as const)
  test(`a record with empty lists is not nothing over plain HTTP: ${what}`, async () => {
    const everybody: Override = (base, { self }) => ({
      plain: (call) =>
        self.route(call) === 'workout'
          ? plain === undefined
            ? self.represent(call, 'workout', 'mara')
            : json(200, plain)
          : base.plain(call),
    });
    const service = await startChanged([{ override: recordOf }, { override: everybody }]);
    const run = await judgeRunning(service, { only: ['refuses-plain-http'] });
    expect(run.check('refuses-plain-http@listWorkouts')).toMatchObject({ outcome });
    await service.close();
  });
