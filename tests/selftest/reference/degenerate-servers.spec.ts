import { connect } from 'node:tls';
import { degenerateServers, hostileServers, startTestServer } from '../support/servers/index.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * What comes back to one plain request, up to where it shows what it is, or ends. Of those of whom
 * nothing in particular is expected, what comes in a moment.
 */
const knock = (baseUrl: string, ca: string, until?: RegExp): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl);
    let bytes = '';
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(bytes);
    };
    const timer = setTimeout(done, until ? 120_000 : 100);
    const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] }, () =>
      socket.write('GET /api/v2/workout/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    );
    socket.on('data', (chunk) => {
      bytes += chunk.toString('latin1');
      if (until?.test(bytes) || bytes.length > 1_000_000) done();
    });
    for (const event of ['end', 'close', 'error']) socket.on(event, done);
  });

const expected: Readonly<Record<string, RegExp>> = {
  'all-200-empty': /^HTTP\/1\.1 200 OK\r\n[^{<]*$/,
  'all-401': /^HTTP\/1\.1 401/,
  'all-redirect': /Location: \/elsewhere\//,
  closes: /^$/,
  'no-http': /^220 mail/,
  'dead-port': /^$/,
  'drips-headers': /^HTTP\/1\.1 200 OK\r\nX-Drip: a{3,}$/,
  'endless-body': /\[{1000}/,
  'endless-headers': /X-Field-50: v/,
  'interim-flood': /103 Early Hints/,
  'compression-bomb': /Content-Length: 10\d{4}\r\n/,
  'conflicting-lengths': /Content-Length: 2\r\nContent-Length: 40/,
  'report-injection': /<script>alert\(1\)<\/script>/,
  'half-closed': /Content-Length: 10\r\n\r\n$/,
  'odd-certificate': /^HTTP\/1\.1 200/,
  'tls-alert': /^$/,
};

for (const [kind, guests] of Object.entries({ degenerateServers, hostileServers })) {
  test(`the ${kind} do what their names say`, inCi, async () => {
    const queue = [...guests];
    const visit = async (): Promise<void> => {
      for (let guest = queue.shift(); guest; guest = queue.shift()) {
        const { name } = guest;
        const { baseUrl, ca, close } = await startTestServer(name);
        const bytes = await knock(baseUrl, ca, expected[name]);
        await close();
        expect.soft(bytes, name).toMatch(expected[name] ?? /(?:)/);
      }
    };
    await Promise.all([visit(), visit(), visit(), visit()]);
  });
}

test('names are unique, and a wrong one is answered with the nearest', async () => {
  const names = [...degenerateServers, ...hostileServers].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  await expect(startTestServer('all-402')).rejects.toThrow(/all-40[0-9]/);
});
