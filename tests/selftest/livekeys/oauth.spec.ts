import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from '../../../src/app/judge.js';
import { fetchToken, type TokenPlace } from '../../../src/keys/token-endpoint.js';
import type { Grant } from '../../../src/settings/keys.js';
import { createHttpsRequester } from '../../../src/wire/https-request.js';
import { type Answer, type Asked, notFound, serving, things, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, someOfTable, test } from '../support/test.js';

const clientSecret = 'secret-of-the-client-8842';
const password = 'pass-word-of-ada-1187';

/** What a client sends in HTTP Basic, whose halves are form-encoded (RFC 6749 section 2.3.1). */
const clientIn = ({ headers }: Asked): string =>
  decodeURIComponent(Buffer.from(headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString('utf8'));

const paths = ['/things', '/parts'];
const documentWith = (scheme: object): object =>
  documentOf({
    components: { securitySchemes: { login: scheme } },
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        { get: { operationId: path.slice(1), security: [{ login: [] }], responses: { '200': { description: '-' } } } },
      ]),
    ),
  });

const clientCredentials = (tokenUrl: string): object => ({
  type: 'oauth2',
  flows: { clientCredentials: { tokenUrl, scopes: {} } },
});

/** An authorization server and its API, on one origin. Its tokens live so many milliseconds. */
const authorizationServer = (lastsMs: number, faulty = false) => {
  const ends = new Map<string, number>();
  const others: string[] = [];
  const give = (): Answer => {
    const token = randomBytes(20).toString('hex');
    const refresh = randomBytes(20).toString('hex');
    ends.set(token, Date.now() + lastsMs);
    others.push(refresh);
    return {
      status: 200,
      body: { access_token: token, token_type: 'Bearer', expires_in: lastsMs / 1000, refresh_token: refresh },
    };
  };
  const handler = (asked: Asked): Answer => {
    const { path, method, headers } = asked;
    if (path === '/.well-known/openid-configuration')
      return {
        status: 200,
        body: { issuer: `https://${headers.host}`, token_endpoint: `https://${headers.host}/token` },
      };
    if (path === '/elsewhere') return { status: 307, headers: { location: '/token' } };
    if (path === '/token') {
      if (method !== 'POST') return notFound;
      return clientIn(asked) === `me:${clientSecret}` ? give() : { status: 401, body: { error: 'invalid_client' } };
    }
    if (!paths.includes(path)) return notFound;
    if (faulty && path === '/parts') return { status: 200, body: things };
    const end = ends.get(headers.authorization?.replace(/^Bearer /, '') ?? '') ?? 0;
    // What a caller sees of its own token and secret is in no artefact.
    const echo = { ...things, you: { token: [...ends.keys()].at(-1), clientSecret, refresh: others.at(-1) } };
    return Date.now() < end ? { status: 200, body: echo } : unauthorized;
  };
  return { handler, tokens: () => [...ends.keys(), ...others] };
};

/** The settings of a client of the service, with its document and certificate in files. */
const settingsAt = (baseUrl: string, path: (name: string) => string) => ({
  baseUrl,
  caFile: path('ca.pem'),
  contract: path('openapi.yaml'),
  httpBaseUrl: 'none',
  oauthClientId: 'me',
  oauthClientSecret: clientSecret,
});

const tagged = someOfTable();
for (const [what, scheme] of [
  ['the tokenUrl of the document', clientCredentials('/token')],
  [
    'the token endpoint that OpenID Connect names',
    { type: 'openIdConnect', openIdConnectUrl: '/.well-known/openid-configuration' },
  ],
] as const)
  for (const faulty of [false, true])
    test(
      `tokens of ${what} that live a second: ${faulty ? 'a fault is seen' : 'conformant'}, and nothing of them is written`,
      tagged(),
      async ({ cwd }) => {
        const { handler, tokens } = authorizationServer(1_000, faulty);
        await serving(handler, ({ baseUrl, cert }) =>
          withFiles({ 'openapi.yaml': documentWith(scheme), 'ca.pem': cert }, async (path) => {
            const run = await judge({
              ...settingsAt(baseUrl, path),
              reportsDir: cwd,
              evidence: 'full',
              concurrency: 2,
              probes: 'standard',
            });
            expect(run.results.verdict).toBe(faulty ? 'non-conformant' : 'conformant');
            const failed = run.results.checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
            expect(failed.every((id) => id.endsWith('@parts'))).toBe(true);
            // A fast machine may be done within the life of the first token.
            if (run.results.durationMs > 1_500) expect(tokens().length).toBeGreaterThan(2);
            await run.writeReports();
            await run.dispose();
            const folder = join(cwd, 'conformance');
            for (const file of readdirSync(folder)) {
              const text = readFileSync(join(folder, file), 'utf8');
              for (const secret of [...tokens(), clientSecret])
                for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, -3), secret.slice(0, 20)])
                  expect(text.includes(form), `${file} has a secret in it`).toBe(false);
            }
          }),
        );
      },
    );

test('a tokenUrl off the origin of BASE_URL is asked only where OAUTH_TOKEN_URL names it', async () => {
  const { handler } = authorizationServer(60_000);
  await serving(handler, ({ baseUrl: login, cert, asked }) =>
    serving(handler, ({ baseUrl }) =>
      withFiles({ 'openapi.yaml': documentWith(clientCredentials(`${login}/token`)), 'ca.pem': cert }, async (path) => {
        const given = settingsAt(baseUrl, path);
        await expect(judge(given)).rejects.toThrow(/off the origin of BASE_URL .*must not lead secrets there/);
        expect(asked).toHaveLength(0);
        const run = await judge({ ...given, oauthTokenUrl: `${login}/token`, only: ['refuses-missing-key'] });
        await run.dispose();
        expect(asked.filter(({ path: at }) => at === '/token')).toHaveLength(1);
      }),
    ),
  );
});

test.describe('a token endpoint', () => {
  const grant: Grant = { flow: 'clientCredentials', clientId: 'me', clientSecret };

  const askedOf = async (
    handler: (asked: Asked) => Answer,
    place: (baseUrl: string) => TokenPlace,
    own: Grant = grant,
  ) =>
    serving(handler, async ({ baseUrl, cert, asked }) => {
      const ask = createHttpsRequester({ timeoutMs: 10_000, resolve: [], ca: cert });
      const result = await fetchToken(own, place(baseUrl), { ask }).catch((error: unknown) => error);
      return { result, asked };
    });
  const tokenUrl = (baseUrl: string): TokenPlace => ({ tokenUrl: new URL('/token', baseUrl) });

  test('that takes the secret in the body alone gets it there, after it has refused the field', async () => {
    const { result, asked } = await askedOf(
      ({ headers }) =>
        headers.authorization === undefined
          ? { status: 200, body: { access_token: 'tok-en', token_type: 'bearer' } }
          : { status: 401, body: { error: 'invalid_client' } },
      tokenUrl,
    );
    expect(result).toEqual({ key: 'tok-en', secrets: [] });
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test('of the password flow', async () => {
    const account = { username: 'ada', password };
    const { result } = await askedOf(
      () => ({
        status: 200,
        body: { access_token: 'tok-en', token_type: 'bearer', id_token: 'a.b.c', expires_in: 60 },
      }),
      tokenUrl,
      { flow: 'password', clientId: 'me', account },
    );
    expect(result).toMatchObject({ key: 'tok-en', secrets: ['a.b.c'] });
  });

  for (const [what, answer, said] of [
    ['redirects', { status: 307, headers: { location: '/other' } }, /redirects \(307\), and secrets are sent nowhere/],
    [
      'refuses',
      { status: 400, body: { error: 'invalid_grant', error_description: clientSecret } },
      /refuses: invalid_grant$/,
    ],
    [
      'says the secret',
      { status: 400, body: { error: clientSecret } },
      /refuses with an error of its own \(status 400\)$/,
    ],
    [
      'is no token endpoint',
      { status: 404, type: 'text/plain', body: clientSecret },
      /answers with status 404, and no error/,
    ],
    ['gives no token', { status: 200, body: { ok: clientSecret } }, /gives no bearer token/],
    [
      'gives two words',
      { status: 200, body: { access_token: 'a b', token_type: 'bearer' } },
      /cannot be used: it has a space/,
    ],
  ] as const)
    test(`that ${what} is named, and nothing that it says`, async () => {
      const { result, asked } = await askedOf(() => answer, tokenUrl);
      expect(result).toBeInstanceOf(Error);
      const { message } = result as Error;
      expect(message).toMatch(said);
      expect(message).not.toContain(clientSecret);
      expect(asked.every(({ path }) => path === '/token')).toBe(true);
    });

  test('of a discovery document is on its origin', async () => {
    const { result, asked } = await askedOf(
      () => ({ status: 200, body: { token_endpoint: 'https://elsewhere.example/token' } }),
      (baseUrl) => ({ discoveryUrl: new URL('/.well-known/openid-configuration', baseUrl) }),
    );
    expect((result as Error).message).toMatch(/token endpoint on https:\/\/elsewhere\.example, another origin/);
    expect(asked).toHaveLength(1);
  });
});
