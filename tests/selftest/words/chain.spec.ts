import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../support/app.js';
import { authority, certificate } from '../support/certificates.js';
import { judgeRunning } from '../support/judge.js';
import { type RawServer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';

/**
 * A certificate that is not trusted: what helps depends on what was sent and on what CA_FILE holds.
 */

const answer = (): string => 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';

interface Said {
  readonly run: string;
  readonly doctor: string;
}

const said = async (server: RawServer, cwd: string, ca?: string): Promise<Said> => {
  const file = join(cwd, 'ca.pem');
  if (ca !== undefined) writeFileSync(file, ca);
  const CA_FILE = ca === undefined ? {} : { CA_FILE: file };
  const run = await judgeRunning(
    { baseUrl: server.origin, key: '0123456789abcdef', ...(ca === undefined ? {} : { caFile: file }) },
    { only: ['serves-https'], settings: { HTTP_BASE_URL: 'none' } },
  );
  const { reason, outcome } = run.check('serves-https');
  expect(outcome).toBe('inconclusive');
  const doctor = await app(['doctor'], {
    cwd,
    env: { BASE_URL: server.origin, API_KEY: '0123456789abcdef', ...CA_FILE },
  });
  expect(doctor.code).toBe(2);
  await server.close();
  return { run: reason, doctor: doctor.out };
};

test('an intermediate certificate is left out, and CA_FILE holds the root: the server has to send the full chain', async ({
  cwd,
}) => {
  const root = await authority('the root');
  const middle = await authority('the middle', root);
  const leaf = await certificate({ issuer: middle });
  const { run, doctor } = await said(await rawServer(answer, { tls: { certificate: leaf } }), cwd, root.cert);
  for (const words of [run, doctor]) {
    expect(words).toContain('sends its certificate alone, and its issuer, CN=the middle, is not known here');
    expect(words).toContain('the full chain');
    expect(words).not.toMatch(/set CA_FILE/i);
  }
});

test('CA_FILE holds another authority than that at the end of the chain', async ({ cwd }) => {
  const root = await authority('the root');
  const middle = await authority('the middle', root);
  const leaf = await certificate({ issuer: middle });
  const chain = { ...leaf, cert: leaf.cert + middle.cert };
  const { run, doctor } = await said(
    await rawServer(answer, { tls: { certificate: chain } }),
    cwd,
    (await authority('another')).cert,
  );
  for (const words of [run, doctor]) {
    expect(words).toContain('ends at CN=the root, which is not known here');
    expect(words).toContain('CA_FILE does not hold it');
    expect(words).not.toMatch(/set CA_FILE/i);
  }
});

test('without CA_FILE it is named, and so is the full chain', async ({ cwd }) => {
  const leaf = await certificate({ issuer: await authority('the root') });
  const { run, doctor } = await said(await rawServer(answer, { tls: { certificate: leaf } }), cwd);
  for (const words of [run, doctor]) {
    expect(words).toContain('set CA_FILE to its certificate');
    expect(words).toContain('the full chain');
  }
});

test('a certificate that signs itself is to be in CA_FILE itself', async ({ cwd }) => {
  const { run, doctor } = await said(await rawServer(answer, { tls: { certificate: await certificate() } }), cwd);
  for (const words of [run, doctor]) expect(words).toMatch(/signs itself[\s\S]*Set CA_FILE to that very certificate/);
});
