import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { app } from '../support/app.js';
import { start } from '../support/command.js';
import { expect, inCi, test } from '../support/test.js';

/** Starts `serve`, and waits for its `.env`, which ends with `last`. */
const serve = async (words: readonly string[], cwd: string, last = 'KEY_PAGE_GENERATE') => {
  const { child, ended } = start(['serve', ...words], { cwd });
  let text = '';
  child.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toContain(`${last}=`);
  return { child, ended, text };
};

test('prints a .env with which a run in another process is conformant, and ends by Ctrl-C', inCi, async ({ cwd }) => {
  const { child, ended, text } = await serve([], cwd);
  const lines = text.split('\n').filter((line) => /^[A-Z_]+=/.test(line));
  writeFileSync(join(cwd, '.env'), lines.join('\n'));
  const { CA_FILE = '' } = parse(lines.join('\n'));
  expect(readFileSync(CA_FILE, 'utf8')).toContain('BEGIN CERTIFICATE');
  expect((await app(['run', '--quiet', '--probes', 'standard'], { cwd })).code).toBe(0);

  const checked = await app(['doctor'], { cwd });
  expect(checked.out).toContain('✓ certificate');
  expect(checked.code).toBe(0);

  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
});

test('--demo roles prints a .env with its document, its identities and their keys', inCi, async ({ cwd }) => {
  const { child, ended, text } = await serve(['--demo', 'roles'], cwd, 'FOREIGN_TOKEN');
  writeFileSync(join(cwd, '.env'), text.slice(text.indexOf('BASE_URL=')));
  expect((await app(['doctor'], { cwd })).code).not.toBe(3);
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
  const wrong = await app(['serve', '--demo', 'rolls'], { cwd });
  expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('allowed: roles') });
  expect((await app(['serve', '--demo', 'roles', '--list'], { cwd })).out).toContain('  peers-item-opens ');
});

test('a fault is told with the clauses that it breaks', inCi, async ({ cwd }) => {
  const { child, ended, text } = await serve(['--fault', 'no-key-asked'], cwd);
  expect(text).toMatch(/Fault no-key-asked: .*Breaks AUTH-3/);
  child.kill('SIGTERM');
  await ended;
});

test('--list names faults of the API and of the key page', async ({ cwd }) => {
  const { code, out } = await app(['serve', '--list'], { cwd });
  for (const name of ['no-key-asked', 'plain-http', 'wants-bearer', 'public-needs-key', 'no-message'])
    expect(out).toContain(`  ${name} `);
  expect(code).toBe(0);
});

test('doctor says what to do about a host, a port, a certificate and a key', inCi, async ({ cwd }) => {
  const { child, ended, text } = await serve([], cwd);
  const { BASE_URL = '', HTTP_BASE_URL = '', CA_FILE = '' } = parse(text);
  const askedWith = (env: Record<string, string>) => app(['doctor'], { cwd, env });
  const unknown = await askedWith({ BASE_URL, API_TOKEN: 'x' });
  expect(unknown.out).toMatch(/✗ certificate[\s\S]*set CA_FILE/);
  expect(unknown.out).toMatch(/✗ key .*API_TOKEN: did you mean API_KEY/);
  expect(unknown.code).toBe(2);
  // It sends no key, and says none that comes back: here in the name of the certificate's issuer.
  const knowing = await askedWith({ BASE_URL, CA_FILE, API_KEY: 'authority' });
  expect(knowing.out).toMatch(/✓ certificate .* from CN=Reference service test <API_KEY>/);
  const plain = async (HTTP_BASE_URL: string): Promise<string> => (await askedWith({ BASE_URL, HTTP_BASE_URL })).out;
  expect(await plain(HTTP_BASE_URL)).toMatch(/✓ plain HTTP .*redirects to https/);
  expect(await plain('http://127.0.0.1:1')).toMatch(/✓ plain HTTP .*no answer: the connection was refused/);
  expect(await plain('http://nowhere.invalid')).toMatch(/! plain HTTP .*was not reached: .*look at HTTP_BASE_URL/);
  const get = { security: [], responses: { default: { description: '-' } } };
  const absent = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: { '/one': { get }, '/two': { get } } };
  writeFileSync(join(cwd, 'absent.json'), JSON.stringify(absent));
  const nowhere = await askedWith({ BASE_URL, CA_FILE, CONTRACT: 'absent.json' });
  expect(nowhere.out).toMatch(
    /\/one is not there \(404\)\.\n! path .*\/two is not there \(404\)\.\n +→ Look at BASE_URL/,
  );
  const proxied = await askedWith({ BASE_URL, HTTPS_PROXY: 'http://127.0.0.1:1' });
  expect(proxied.out).toMatch(/✗ proxy .*the proxy 127.0.0.1:1 cannot be used: the connection was refused/);
  expect(proxied.out).not.toContain('certificate ');
  const run = await app(['run'], { cwd, env: { BASE_URL, CA_FILE, HTTPS_PROXY: 'http://127.0.0.1:1' } });
  expect(run.out).toMatch(/\? The proxy does not lead to the deployment\n[\s\S]*name it in NO_PROXY/);
  child.kill('SIGINT');
  await ended;
  expect((await askedWith({ BASE_URL })).out).toMatch(/✗ port .*refuses/);
  expect((await askedWith({ BASE_URL: 'https://nowhere.invalid' })).out).toMatch(/✗ DNS /);
});
