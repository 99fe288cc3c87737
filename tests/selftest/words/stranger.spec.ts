import { type AddressInfo, createServer } from 'node:net';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { expect, test } from '../support/test.js';

/** What somebody reads who points the command at a place where no API is. */

test('a port that speaks no TLS is told as that, once for all that rests on it', async ({ cwd }) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('SSH-2.0-OpenSSH_9.6\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = { BASE_URL: `https://127.0.0.1:${port}`, HTTP_BASE_URL: 'none', API_KEY: '0123456789abcdef' };
  const { out, code } = await app(['run'], { cwd, env });
  const doctor = await app(['doctor'], { cwd, env });
  server.close();
  expect(code).toBe(2);
  expect(out).toContain('Not judged: the deployment gave no answer');
  for (const words of [out, doctor.out])
    expect(words.replaceAll(/\s+/g, ' ')).toContain('what answers there does not speak TLS');
  expect(out.match(/What takes the connection does not speak TLS as it should/g)).toHaveLength(2);
  expect(out.match(/^ {2}\d+ checks wait for this\.$/gm)).toHaveLength(1);
  expect(out).not.toContain('no request got through');
  expect(out).toMatch(/^ {2}1\. Port \d+ speaks plain HTTP or something else, and no TLS\.$/m);
  expect(out).toMatch(/^ {2}Try next: openssl s_client -connect 127\.0\.0\.1:\d+ /m);
});

test('a dead port is told in words and one code, not twice', async ({ cwd }) => {
  const env = { BASE_URL: 'https://127.0.0.1:9', HTTP_BASE_URL: 'none', API_KEY: '0123456789abcdef' };
  const { out } = await app(['run'], { cwd, env });
  expect(out.replaceAll(/\s+/g, ' ')).toContain(
    'gave no answer over HTTPS: the connection was refused (connect ECONNREFUSED 127.0.0.1:9).',
  );
});

test('a dead port is named too where another check was asked for alone', async ({ cwd }) => {
  const env = { BASE_URL: 'https://127.0.0.1:9', HTTP_BASE_URL: 'none', API_KEY: '0123456789abcdef' };
  const { out, code } = await app(['run', '--only', 'AUTH-3'], { cwd, env });
  expect(code).toBe(2);
  expect(out.replaceAll(/\s+/g, ' ')).toContain(
    'no request got through (the connection was refused (connect ECONNREFUSED 127.0.0.1:9)).',
  );
});

test('a run of checks that tell no access counts them, and no operations', async ({ cwd }) => {
  const { baseUrl, caFile, key, close } = await startReference();
  const env = { BASE_URL: baseUrl, CA_FILE: caFile, HTTP_BASE_URL: 'none', API_KEY: key };
  const { out } = await app(['run', '--only', 'AUTH-1'], { cwd, env });
  await close();
  expect(out).toContain('Conformant in the selected checks: 2 checks passed');
  expect(out).not.toContain('0 of 3 operations');
});

test('a wrong key has its likely reasons also where a single check was asked for', async ({ cwd }) => {
  const { baseUrl, caFile, close } = await startReference();
  const env = { BASE_URL: baseUrl, CA_FILE: caFile, HTTP_BASE_URL: 'none', API_KEY: '0123456789abcdef' };
  const { out } = await app(['run', '--only', 'refuses-missing-key'], { cwd, env });
  await close();
  expect(out).toContain('1. The key is wrong, expired or revoked');
  expect(out).toContain('Try next: access-conformance doctor');
});
