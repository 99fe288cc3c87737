import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer, type Server } from 'node:tls';
import type { KeyPageSettings } from '../../../src/keypage/input.js';
import { startBrowser } from '../../../src/keypage/window/browser.js';
import { makeCertificate } from '../../../src/reference/certificates.js';
import { authority, certificate } from '../support/certificates.js';
import { connectProxy } from '../support/connect-proxy.js';
import { startHostilePage } from '../support/hostile-page.js';
import { judgeAt, noAccount, opensAt, type ServiceWithPages, startWithPages } from '../support/key-page.js';
import { expect, inCi, inFull, test } from '../support/test.js';

const bare: KeyPageSettings = { url: 'https://localhost/', generate: false, insecureTls: false };

const during = async <T>(
  service: Promise<ServiceWithPages>,
  use: (service: ServiceWithPages) => Promise<T>,
): Promise<T> => {
  const running = await service;
  try {
    return await use(running);
  } finally {
    await running.close();
  }
};

const reasonOf = (judged: Awaited<ReturnType<typeof judgeAt>>, rule: string): string =>
  judged.findings.find((finding) => finding.rule === rule)?.reason ?? '';

test('an account with a key, not asked to press: the key is judged and left alone', inCi, async ({ chromium }) => {
  await during(startWithPages(), async (service) => {
    const judged = await judgeAt(service, chromium, { username: 'ada', generate: false });
    expect(judged.outcomes, judged.everything).toEqual({
      'makes-a-key': 'excluded',
      'shows-the-current-key': 'passed',
      'says-when-there-is-none': 'inconclusive',
      'observes-key-life': 'observed',
    });
    expect(reasonOf(judged, 'makes-a-key')).toContain('KEY_PAGE_GENERATE=true');
    expect(await opensAt(service)(service.adasKey)).toBe('granted');
    expect(judged.everything).not.toContain(service.adasKey);
  });
});

test('an account with a key, asked to press: what happens to the old key is observed', inFull, async ({ chromium }) => {
  for (const [variant, fact] of [
    ['plain', 'Making a key revokes the one before.'],
    ['table', 'The key from before still opens'],
  ] as const)
    await during(startWithPages({ variant }), async (service) => {
      const judged = await judgeAt(service, chromium, { username: 'ada' });
      expect(judged.outcomes, judged.everything).toEqual({
        'makes-a-key': 'passed',
        'shows-the-current-key': 'passed',
        'says-when-there-is-none': 'inconclusive',
        'observes-key-life': 'observed',
      });
      expect(judged.observations.map((observation) => observation.fact).join('\n')).toContain(fact);
      expect(judged.everything).toContain('was pressed once');
    });
});

test('an account without a key, not asked to press: the message is taken at its word', inFull, async ({ chromium }) => {
  await during(startWithPages(), async (service) => {
    const judged = await judgeAt(service, chromium, { generate: false });
    expect(judged.outcomes, judged.everything).toEqual({
      'makes-a-key': 'excluded',
      'shows-the-current-key': 'inconclusive',
      'says-when-there-is-none': 'passed',
      'observes-key-life': 'observed',
    });
    // Nothing but key-like text of the page is ever tried, and this page has none.
    expect(judged.asked).toEqual([]);
  });
});

test('a log-in that fails is told as such, without the password', inCi, async ({ chromium }) => {
  await during(startWithPages(), async (service) => {
    const wrong = await judgeAt(service, chromium, { password: 'not-the-right-one' });
    expect(wrong.findings.slice(0, 3).map(({ outcome }) => outcome)).toEqual(Array(3).fill('inconclusive'));
    expect(reasonOf(wrong, 'makes-a-key')).toContain('Username or password is wrong.');
    expect(wrong.everything).not.toContain('not-the-right-one');
    const none = await judgeAt(service, chromium, noAccount);
    expect(reasonOf(none, 'shows-the-current-key')).toContain('set WEB_USERNAME and WEB_PASSWORD');
  });
});

test('an API that gives no answer lets nothing be said', inFull, async ({ chromium }) => {
  await during(startWithPages(), async (service) => {
    const judged = await judgeAt(service, chromium, {}, { opens: async () => 'unknown', lateMs: 0 });
    expect(judged.findings.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['inconclusive', 'inconclusive']);
    expect(Object.values(judged.outcomes)).not.toContain('failed');
  });
});

test('a certificate that nobody vouches for stops the walk, unless INSECURE_TLS says otherwise', inCi, async () => {
  await during(startWithPages(), async (service) => {
    const settings = { url: service.url, generate: false, insecureTls: false };
    const own = await startBrowser(settings, String);
    try {
      const judged = await judgeAt(service, own.browser, { ca: undefined });
      expect(reasonOf(judged, 'makes-a-key')).toContain('set CA_FILE');
      const open = await judgeAt(service, own.browser, { ca: undefined, insecureTls: true, generate: false });
      expect(open.outcomes['says-when-there-is-none'], open.everything).toBe('passed');
    } finally {
      await own.close();
    }
  });
});

test('a browser that is not there is asked for', async () => {
  await expect(startBrowser({ ...bare, chromiumPath: '/nowhere/chromium' }, String)).rejects.toThrow('CHROMIUM_PATH');
});

test('the browser does not see the secrets in the environment', async ({ cwd }) => {
  const chromiumPath = join(cwd, 'browser.sh');
  writeFileSync(chromiumPath, `#!/bin/sh\nenv > ${cwd}/seen\n`, { mode: 0o755 });
  const names = { WEB_PASSWORD: 'a password', API_KEY_OTHER: 'other', ADAS_KEY: 'k-123456', ADAS_PET: 'Rex' };
  Object.assign(process.env, names);
  try {
    const starting = startBrowser({ ...bare, chromiumPath }, (text) => text.replace('k-123456', '<API_KEY>'));
    await expect(starting).rejects.toThrow('CHROMIUM_PATH');
  } finally {
    for (const name of Object.keys(names)) delete process.env[name];
  }
  const seen = readFileSync(join(cwd, 'seen'), 'utf8');
  expect(seen).toContain('ADAS_PET=Rex');
  expect(seen).not.toMatch(/WEB_PASSWORD|API_KEY|ADAS_KEY/);
});

/**
 * The message of an account without a key, seen by a browser that was started for these settings.
 */
const messageAt = async (
  service: ServiceWithPages,
  place: Pick<KeyPageSettings, 'url' | 'proxy' | 'resolve' | 'clientCert'>,
): Promise<unknown> => {
  const settings = { ...place, generate: false, ca: service.ca, insecureTls: false };
  const own = await startBrowser(settings, String);
  try {
    const judged = await judgeAt(service, own.browser, settings, { opens: async () => 'unknown' });
    return judged.outcomes['says-when-there-is-none'] ?? judged.everything;
  } finally {
    await own.close();
  }
};

test('the page is reached where RESOLVE says', inFull, async () => {
  // Its certificate is for fitness.example, which no resolver knows.
  await during(startWithPages({ certificate: 'wrong-host' }), async (service) => {
    const { port, pathname } = new URL(service.url);
    const url = `https://fitness.example:${port}${pathname}`;
    const resolve = [{ host: 'fitness.example', port: Number(port), address: '127.0.0.1' }];
    expect(await messageAt(service, { url, resolve })).toBe('passed');
    expect(await messageAt(service, { url })).not.toBe('passed');
  });
});

test('the page is reached through the proxy of the environment, unless NO_PROXY names it', inFull, async () => {
  await during(startWithPages(), async (service) => {
    const { host } = new URL(service.url);
    const proxy = await connectProxy();
    const url = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await messageAt(service, { url: service.url, proxy: { url, noProxy: '127.0.0.1' } })).toBe('passed');
      expect(proxy.seen.filter(({ target }) => target === `CONNECT ${host}`)).toEqual([]);
      expect(await messageAt(service, { url: service.url, proxy: { url, noProxy: 'other.example' } })).toBe('passed');
      // The verification of the certificate, and the browser, which may have errands of its own.
      expect(proxy.seen.filter(({ target }) => target === `CONNECT ${host}`).length).toBeGreaterThan(1);
    } finally {
      await proxy.close();
    }
  });
});

/** Stands before the service and lets in who shows a certificate of `authority`. */
const gateBefore = async (service: ServiceWithPages, authority: string): Promise<Server> => {
  const { cert, key } = await makeCertificate();
  const { hostname, port } = new URL(service.url);
  const gate = createServer({ cert, key, ca: authority, requestCert: true, rejectUnauthorized: true }, (client) => {
    const inner = connect({ host: hostname, port: Number(port), ca: service.ca });
    for (const [socket, other] of [[client, inner] as const, [inner, client] as const])
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    client.pipe(inner).pipe(client);
  });
  gate.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  return gate;
};

test('the client certificate opens the page, also through a proxy and where RESOLVE says', inFull, async () => {
  const root = await authority();
  const clientCert = await certificate({ issuer: root, commonName: 'client' });
  await during(startWithPages(), async (service) => {
    const gate = await gateBefore(service, root.cert);
    const proxy = await connectProxy();
    const { port } = gate.address() as AddressInfo;
    const { pathname } = new URL(service.url);
    const url = `https://127.0.0.1:${port}${pathname}`;
    const through = { url: `http://127.0.0.1:${proxy.port}`, noProxy: 'other.example' };
    try {
      expect(await messageAt(service, { url, clientCert, proxy: through })).toBe('passed');
      expect(proxy.seen.filter(({ target }) => target === `CONNECT 127.0.0.1:${port}`).length).toBeGreaterThan(1);
      const resolve = [{ host: 'localhost', port, address: '127.0.0.1' }];
      const named = url.replace('127.0.0.1', 'localhost');
      expect(await messageAt(service, { url: named, clientCert, resolve })).toBe('passed');
      expect(await messageAt(service, { url })).not.toBe('passed');
    } finally {
      gate.close();
      await proxy.close();
    }
  });
});

test(
  'a page that asks for a name alone may be the first step of a log-in, and is told so',
  inFull,
  async ({ chromium }) => {
    const page = await startHostilePage({
      login:
        '<h1>Welcome</h1><form method="post" action="/next"><label>User name <input name="username"></label><button>Next</button></form>',
    });
    try {
      const judged = await judgeAt(page, chromium, {}, { patienceMs: 200 });
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(judged.findings[0]?.reason).toContain('if it is the first step of one, set LOGIN_URL to its address.');
    } finally {
      await page.close();
    }
  },
);
