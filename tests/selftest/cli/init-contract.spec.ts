import { readFileSync, statSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { parse as parseYaml, stringify } from 'yaml';
import { loadContract } from '../../../src/contract/load.js';
import { app } from '../support/app.js';
import { certificate } from '../support/certificates.js';
import { newKey, things } from '../support/document-server.js';
import { expect, inCi, test } from '../support/test.js';

/** `init --contract`, and then `run`, for a service of one's own with a document of its own. */

const key = newKey();
const silent = { default: { description: 'silent' } };

/** As a framework writes it that leaves `security` out where an operation asks for no key. */
const document = {
  openapi: '3.1.1',
  info: { title: 'Heroes', version: '1' },
  components: { securitySchemes: { HTTPBearer: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/heroes': { get: { security: [{ HTTPBearer: [] }], responses: silent } },
    '/heroes/{id}': {
      get: {
        security: [{ HTTPBearer: [] }],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: silent,
      },
    },
    '/admin/heroes': { get: { responses: silent } },
    '/status': { get: { responses: silent } },
  },
};

/** `/admin/heroes` opens to everybody what `/heroes` opens to the key. */
const serve = async (): Promise<{ readonly origin: string; readonly cert: string; close(): Promise<void> }> => {
  const { cert, key: privateKey } = await certificate();
  const server = https.createServer({ cert, key: privateKey }, ({ url = '', headers }, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const opens = headers.authorization === `Bearer ${key}`;
    const hero = things.results.find(({ id }) => url === `/heroes/${id}`);
    if (url === '/openapi.json') answer(200, document);
    else if (url === '/admin/heroes') answer(200, things);
    else if (url === '/status') answer(200, { up: true });
    else if (url !== '/heroes' && !url.startsWith('/heroes/')) answer(404, { detail: 'Not Found' });
    else if (!opens) answer(401, { detail: 'Not authenticated' });
    else if (url === '/heroes') answer(200, things);
    else answer(hero ? 200 : 404, hero ?? { detail: 'Not Found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cert,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));

test(
  'init and run: what is unstated keeps the run incomplete, and a decision in the overlay gets it judged',
  inCi,
  async ({ cwd }) => {
    const service = await serve();
    const results = () => JSON.parse(readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8'));
    const settings = { REPORTS_DIR: join(cwd, 'reports'), PROBES: 'standard' };
    try {
      writeFileSync(join(cwd, 'ca.pem'), service.cert);
      const words = ['init', '--contract', `${service.origin}/openapi.json`];
      const made = await app(words, { cwd, env: { CA_FILE: 'ca.pem' } });
      expect(made.code, made.err).toBe(0);
      expect(made.out.match(/^wrote .*$/gm)).toEqual(['wrote .env', 'wrote overlay.yaml']);
      expect(made.out).toContain('added .env and reports/ to .gitignore');
      expect(made.out).toContain('overlay.yaml: 2 operations, with or without a key? The document does not say.');
      expect(made.out.match(/^ {2}access-conformance \w+/gm)).toHaveLength(3);
      expect(statSync(join(cwd, '.env')).mode & 0o077).toBe(0);
      expect(parse(readFileSync(join(cwd, '.env'), 'utf8'))).toEqual({
        CONTRACT: `${service.origin}/openapi.json`,
        BASE_URL: service.origin,
        API_KEY: '',
        CA_FILE: 'ca.pem',
        HTTP_BASE_URL: '',
      });

      edit(join(cwd, '.env'), (text) =>
        text.replace('API_KEY=', `API_KEY=${key}`).replace('HTTP_BASE_URL=', 'HTTP_BASE_URL=none'),
      );
      expect((await app(['doctor'], { cwd, env: settings })).out).toMatch(
        /! contract .*: GET \/admin\/heroes, GET \/status\./,
      );
      const first = await app(['run'], { cwd, env: settings });
      expect(first.code, first.out + first.err).toBe(2);
      expect(results().operations).toMatchObject([
        { id: 'GET /heroes', judged: true },
        { id: 'GET /heroes/{id}', judged: true },
        { id: 'GET /admin/heroes', judged: false, why: 'access-unstated' },
        { id: 'GET /status', judged: false, why: 'access-unstated' },
      ]);

      // The heroes of the administrator need a key, and the status does not.
      edit(join(cwd, 'overlay.yaml'), (text) =>
        text
          .replace(/^( *)# (- target: '\$\.paths\["\/admin\/heroes"\]\.get' .*needs a key)\n( *)# /m, '$1$2\n$3')
          .replace(/^( *)# (- target: '\$\.paths\["\/status"\]\.get' .*public on purpose.*)\n( *)# /m, '$1$2\n$3'),
      );
      edit(join(cwd, '.env'), (text) => text.replace('# OVERLAY=', 'OVERLAY='));
      const second = await app(['run'], { cwd, env: settings });
      expect(second.code, second.out + second.err).toBe(1);
      expect(results()).toMatchObject({ verdict: 'non-conformant', coverage: { operations: 4, judged: 4 } });
      const failed = results().checks.filter(({ outcome }: { outcome: string }) => outcome === 'failed');
      expect([...new Set(failed.map(({ operation }: { operation?: string }) => operation))]).toEqual([
        'GET /admin/heroes',
      ]);
    } finally {
      await service.close();
    }
  },
);

const several = {
  ...document,
  servers: [{ url: 'https://api.heroes.dev/v2' }],
  security: [{ partner: [] }],
  components: {
    securitySchemes: {
      userToken: { type: 'http', scheme: 'bearer' },
      partner: { type: 'apiKey', in: 'header', name: 'X-Partner' },
      login: { type: 'http', scheme: 'basic' },
    },
  },
  paths: {
    '/heroes': { get: { security: [{ userToken: [] }], responses: silent } },
    '/teams': { get: { responses: silent } },
    '/me': { get: { security: [{ login: [] }], responses: silent } },
  },
};

test('.env has every key that the document needs, and nothing is written that nobody needs', async ({ cwd }) => {
  writeFileSync(join(cwd, 'openapi.yaml'), stringify(several));
  const { code, out, err } = await app(['init', '--contract', 'openapi.yaml'], { cwd });
  expect(code, err).toBe(0);
  expect(out.match(/^wrote .*$/gm)).toEqual(['wrote .env']);
  expect(
    Object.keys(parse(readFileSync(join(cwd, '.env'), 'utf8')))
      .filter((name) => /KEY/.test(name))
      .sort(),
  ).toEqual(['API_KEY_LOGIN', 'API_KEY_PARTNER', 'API_KEY_USER_TOKEN']);
  const text = readFileSync(join(cwd, '.env'), 'utf8');
  expect(text).toContain('BASE_URL=https://api.heroes.dev/v2\n');
  expect(text).toContain('user:password');
  expect(out).toContain('Is that what you want judged?');
  const given = await app(['init', '--contract', 'openapi.yaml', '--base-url', 'https://x.example'], { cwd });
  expect(given.out).toContain('kept  .env, which is there already; put BASE_URL=https://x.example into it');
  expect(given.out).toContain('kept  .gitignore, which has .env and reports/');
});

test('init reads the document with OVERLAY, of the environment or of the .env that is there', async ({ cwd }) => {
  writeFileSync(join(cwd, 'a.json'), JSON.stringify(document));
  const decided = { target: '$.paths.*[?@.responses && !@.security]', update: { security: [{ HTTPBearer: [] }] } };
  const info = { title: 'O', version: '1' };
  writeFileSync(join(cwd, 'o.yaml'), stringify({ overlay: '1.0.0', info, actions: [decided] }));
  writeFileSync(join(cwd, 'none.yaml'), stringify({ overlay: '1.0.0', info, actions: [{ target: '$', update: {} }] }));
  const words = ['init', '--contract', 'a.json', '--base-url', 'https://a.example'];
  const open = await app(words, { cwd, env: { OVERLAY: 'none.yaml' } });
  expect(open.out, open.err).toContain('overlay.yaml: 2 operations, with or without a key?');
  const text = readFileSync(join(cwd, '.env'), 'utf8');
  expect(parse(text)).toMatchObject({ OVERLAY: 'none.yaml' });
  expect(text).toContain('\n# OVERLAY=none.yaml,overlay.yaml\n');

  writeFileSync(join(cwd, '.env'), 'OVERLAY=o.yaml\n');
  const decidedOpen = await app(words, { cwd });
  expect(decidedOpen.code, decidedOpen.err).toBe(0);
  expect(decidedOpen.out).not.toContain('with or without a key?');
  expect(decidedOpen.out).toContain('.env: API_KEY has no key yet.');
});

test('an .env that is there is told what it lacks, and nothing that it has', async ({ cwd }) => {
  writeFileSync(join(cwd, 'openapi.yaml'), stringify(several));
  const { out: first } = await app(['init', '--contract', 'openapi.yaml'], { cwd });
  expect(first).toContain('.env: API_KEY_PARTNER, API_KEY_USER_TOKEN, API_KEY_LOGIN have no key yet.');
  const told = async (text: string, env = {}): Promise<string> => {
    writeFileSync(join(cwd, '.env'), text);
    return (await app(['init', '--contract', 'openapi.yaml'], { cwd, env })).out;
  };
  const whole = 'CONTRACT=openapi.yaml\nBASE_URL=https://mine.example\n';
  const some = await told(`${whole}API_KEY_LOGIN=me:secret-of-mine\nAPI_KEY_PARTNER=\n`);
  expect(some).toContain('there already; put BASE_URL=https://api.heroes.dev/v2, API_KEY_USER_TOKEN= into it\n');
  expect(some).toContain('.env: API_KEY_PARTNER, API_KEY_USER_TOKEN have no key yet.');
  expect(some).not.toMatch(/Is that what you want judged|secret-of-mine/);
  for (const given of ['API_KEY=x', 'API_KEYS_FILE=keys.yaml', 'IDENTITIES=identities.yaml']) {
    const out = await told(`${whole.replace('mine.example', 'api.heroes.dev/v2')}${given}\n`);
    expect(out).toContain('kept  .env, which is there already\n');
    expect(out).not.toContain('no key');
  }
  expect(await told('', { API_KEY: 'x' })).not.toContain('no key yet');
});

test('of keys that each open everything one is enough, and a key that one operation needs is asked for', async ({
  cwd,
}) => {
  const { paths, components } = several;
  const anyOf = [{ userToken: [] }, { partner: [] }];
  const alternatives = { ...paths, '/heroes': { get: { responses: silent } }, '/me': { get: { responses: silent } } };
  const out = async (document: object, env: string): Promise<string> => {
    writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...several, ...document, components, security: anyOf }));
    writeFileSync(join(cwd, '.env'), `CONTRACT=openapi.yaml\nBASE_URL=https://api.heroes.dev/v2\n${env}`);
    return (await app(['init', '--contract', 'openapi.yaml'], { cwd })).out;
  };
  expect(await out({ paths: alternatives }, '')).toContain(
    'have no key yet. Of API_KEY_USER_TOKEN, API_KEY_PARTNER one is enough.',
  );
  const given = await out({ paths: alternatives }, 'API_KEY_USER_TOKEN=mine\n');
  expect(given).toContain('kept  .env, which is there already\n');
  expect(given).not.toContain('no key');
  // One operation takes the user token alone.
  const partly = { paths: { ...paths, '/me': alternatives['/me'] } };
  expect(await out(partly, 'API_KEY_PARTNER=mine\n')).toContain('.env: API_KEY_USER_TOKEN has no key yet.\n');
  expect(await out(partly, 'API_KEY_USER_TOKEN=mine\n')).not.toContain('no key');
});

test('a document that asks for no key leads to an overlay, and its service is judged by it', inCi, async ({ cwd }) => {
  const service = await serve();
  try {
    const none = { get: { security: [], responses: silent } };
    const open = { ...document, components: {}, paths: { '/heroes': none, '/status': none } };
    writeFileSync(join(cwd, 'openapi.yaml'), stringify(open));
    writeFileSync(join(cwd, 'ca.pem'), service.cert);
    const env = { CA_FILE: 'ca.pem', REPORTS_DIR: join(cwd, 'reports'), HTTP_BASE_URL: 'none' };
    const words = ['init', '--contract', 'openapi.yaml', '--base-url', service.origin];
    const made = await app(words, { cwd, env: { CA_FILE: 'ca.pem' } });
    expect(made.out.match(/^wrote .*$/gm)).toEqual(['wrote .env', 'wrote overlay.yaml']);
    expect(made.out).toContain('The document says that no operation needs a key. If one does, say in overlay.yaml');
    const doctor = await app(['doctor'], { cwd, env });
    expect([doctor.code, doctor.out]).toEqual([0, expect.stringContaining('openapi.yaml writes one')]);
    const first = await app(['run'], { cwd, env });
    expect([first.code, first.err]).toEqual([2, expect.not.stringContaining('No key was given')]);
    expect(first.out).toContain('GET /heroes does not open without a key (401), and the document names none');
    expect(first.out).toContain('Try next: access-conformance init --contract ');
    expect(first.out).not.toMatch(/\d\. {2}| is not set/);

    edit(join(cwd, 'overlay.yaml'), (text) =>
      text
        .replace(/^( *)# (- target: \$ .*Bearer <key>)\n( *)# /m, '$1$2\n$3')
        .replace(/^( *)# (- target: '\$\.paths\["\/heroes"\].*needs a key)\n( *)# /m, '$1$2\n$3'),
    );
    edit(join(cwd, '.env'), (text) => text.replace('# OVERLAY=', 'OVERLAY=').replace('API_KEY=', `API_KEY=${key}`));
    const second = await app(['run'], { cwd, env });
    expect(second.code, second.out + second.err).toBe(0);
  } finally {
    await service.close();
  }
});

test('where a key is optional everywhere, an overlay says at which operations it is needed', async ({ cwd }) => {
  const optional = [{}, { token: [] }];
  const paths = {
    '/heroes': { get: { responses: silent } },
    '/teams': { get: { security: optional, responses: silent } },
    '/status': { get: { security: [], responses: silent } },
  };
  const file = join(cwd, 'openapi.yaml');
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
  writeFileSync(file, stringify({ ...document, security: optional, components: { securitySchemes }, paths }));
  const { out } = await app(['init', '--contract', 'openapi.yaml', '--base-url', 'https://a.invalid'], { cwd });
  expect(out).toContain('overlay.yaml: which operations need a key?');
  const overlay = join(cwd, 'overlay.yaml');
  const written = readFileSync(overlay, 'utf8');
  const accessWith = async (lines: RegExp): Promise<readonly string[]> => {
    writeFileSync(overlay, written.replace(lines, '$1$2\n$3'));
    return (await loadContract(file, { overlay })).operations.map(({ access }) => access);
  };
  const one = (path: string): RegExp => new RegExp(`^( *)# (- target: '\\$\\.paths\\["${path}.*)\n( *)# `, 'm');
  expect(await accessWith(one('/heroes'))).toEqual(['protected', 'public', 'public']);
  expect(await accessWith(one('/teams'))).toEqual(['public', 'protected', 'public']);
  expect(await accessWith(one('/status'))).toEqual(['public', 'public', 'protected']);
  const all = /^( *)# (- target: '\$\.(?:security|paths\.\*).*)\n( *)# /gm;
  expect(await accessWith(all)).toEqual(['protected', 'protected', 'public']);
});

test('files that are there stay as they are, and lines of .gitignore too', async ({ cwd }) => {
  const parameters = [{ name: 'owner', in: 'path', required: true, schema: { type: 'string', pattern: '^x{40}$' } }];
  const lacking = { '/of/{owner}': { get: { security: [], parameters, responses: silent } } };
  writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...document, paths: { ...document.paths, ...lacking } }));
  for (const name of ['.env', 'overlay.yaml', 'parameters.yaml']) writeFileSync(join(cwd, name), '# mine');
  writeFileSync(join(cwd, '.gitignore'), 'dist\n/.env');
  const { out } = await app(['init', '--contract', 'openapi.yaml'], { cwd });
  expect(out).toContain('parameters.yaml: 1 read needs a value that a run would not find by itself.');
  expect(out.match(/^kept .*, which is there already/gm)).toHaveLength(3);
  for (const name of ['.env', 'overlay.yaml', 'parameters.yaml'])
    expect(readFileSync(join(cwd, name), 'utf8')).toBe('# mine');
  expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('dist\n/.env\nreports/\n');
});

test('a value is asked for also where the document does not say who may read', async ({ cwd }) => {
  const parameters = [{ name: 'owner', in: 'path', required: true, schema: { type: 'string' } }];
  const paths = { '/of/{owner}': { get: { parameters, responses: silent } } };
  const schemesOf = { without: {}, with: document.components };
  for (const [name, components] of Object.entries(schemesOf)) {
    writeFileSync(join(cwd, `${name}.yaml`), stringify({ ...document, components, paths }));
    const { out } = await app(['init', '--contract', `${name}.yaml`], { cwd });
    expect(out, name).toContain('parameters.yaml: 1 read needs a value');
  }
});

test('texts of the document decide nothing: a line break in one begins no line of a file', async ({ cwd }) => {
  const evil = "x\nINSECURE_TLS=true\nactions: [remove]\u2028y: '";
  const hostile = {
    ...document,
    servers: [{ url: 'https://api.heroes.dev/v2\nINSECURE_TLS=true' }],
    components: { securitySchemes: { evil: { type: 'apiKey', in: 'query', name: evil } } },
    paths: {
      '/locked': { get: { security: [{ evil: [] }], responses: silent } },
      [`/${evil}`]: { get: { responses: silent } },
      [`/with/{${evil}}`]: {
        get: {
          security: [],
          parameters: [{ name: evil, in: 'path', required: true, description: evil, schema: { type: 'string' } }],
          responses: silent,
        },
      },
    },
  };
  writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(hostile));
  const { code, err } = await app(['init', '--contract', 'openapi.json'], { cwd });
  expect(code, err).toBe(0);
  const written = readFileSync(join(cwd, '.env'), 'utf8');
  const env = parse(written);
  expect(env.INSECURE_TLS).toBeUndefined();
  expect(written).toContain('# PROBE_KEY_IN_URL=true\n');
  expect(Object.keys(env)).toHaveLength(6);
  expect(parseYaml(readFileSync(join(cwd, 'overlay.yaml'), 'utf8'))).toMatchObject({ overlay: '1.0.0', actions: null });
  expect(parseYaml(readFileSync(join(cwd, 'parameters.yaml'), 'utf8'))).toBeNull();
});

test('--overlay-skeleton is for the shipped contract, and a wrong document is named', async ({ cwd }) => {
  writeFileSync(join(cwd, 'openapi.yaml'), stringify(document));
  const both = await app(['init', '--contract', 'openapi.yaml', '--overlay-skeleton'], { cwd });
  expect([both.code, both.err]).toEqual([3, expect.stringContaining('is for the shipped contract')]);
  const none = await app(['init', '--contract', 'none.yaml'], { cwd });
  expect([none.code, none.err]).toEqual([3, expect.stringContaining('none.yaml')]);
});

test('one key for schemes that send it alike, and warnings of the document are printed', async ({ cwd }) => {
  const oauth = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: {} } } };
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' }, oauth };
  const paths = {
    '/heroes': { get: { security: [{ token: [] }], responses: silent } },
    '/teams': { get: { security: [{ oauth: [] }], responses: silent } },
  };
  const servers = [{ url: 'http://plain.example' }];
  writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...document, servers, components: { securitySchemes }, paths }));
  const { err } = await app(['init', '--contract', 'openapi.yaml'], { cwd, env: {} });
  expect(err).toContain('server http://plain.example is not https; it is left out');
  const names = readFileSync(join(cwd, '.env'), 'utf8').match(/^API_KEY\w*(?==)/gm);
  expect(names).toEqual(['API_KEY']);
});

test('where nothing says what stands before a key in Authorization, the overlay can', async ({ cwd }) => {
  const securitySchemes = { auth: { type: 'apiKey', in: 'header', name: 'Authorization' } };
  const paths = {
    '/heroes': { get: { security: [{ auth: [] }], responses: silent } },
    '/heroes/{id}': { get: { security: [{ auth: [] }], responses: silent } },
    '/teams/{id}': { get: { security: [{ auth: [] }], responses: silent } },
    '/caves/{id}': { get: { security: [{ auth: [] }], responses: silent } },
  };
  const servers = [{ url: '/v2' }];
  writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...document, servers, components: { securitySchemes }, paths }));
  const { out, err } = await app(['init', '--contract', 'openapi.yaml', '--base-url', 'https://a.invalid'], { cwd });
  expect(out).toContain('overlay.yaml: what stands before the key of auth in Authorization?');
  expect(out).toContain('BASE_URL has none. If nothing is found, try BASE_URL=https://a.invalid/v2.');
  expect(err.match(/is not declared/g)).toHaveLength(3);
  edit(join(cwd, 'overlay.yaml'), (text) => text.replace(/^( *)# (- target: .*Bearer <key>)\n( *)# /m, '$1$2\n$3'));
  edit(join(cwd, '.env'), (text) =>
    text.replace('# OVERLAY=', 'OVERLAY=').replace('API_KEY=', 'API_KEY=abcdefgh12345'),
  );
  const plan = await app(['plan'], { cwd });
  expect(plan.out, plan.err).toContain("-H 'Authorization: Bearer <API_KEY>'");
});

test('what is said of several places of a document is said once', async ({ cwd }) => {
  const get = { security: [{ HTTPBearer: [] }], responses: silent };
  const paths = { '/heroes/{id}': { get, put: get, patch: get, delete: get, post: get, head: get } };
  writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...document, paths }));
  const { err } = await app(['init', '--contract', 'openapi.yaml', '--base-url', 'https://a.invalid'], { cwd });
  expect(err.match(/is not declared/g)).toHaveLength(1);
  expect(err).toMatch(
    /path parameter "id" of \/heroes\/\{id\} is not declared \(and at 5 more places: \d+:\d+, \d+:\d+, \d+:\d+, …\)\n/,
  );
});

test('what is decided of one operation holds beside what is decided of all the others', async ({ cwd }) => {
  const paths = Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, { get: { responses: silent } }]));
  writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...document, paths }));
  await app(['init', '--contract', 'openapi.yaml', '--base-url', 'https://a.invalid'], { cwd, env: {} });
  edit(join(cwd, 'overlay.yaml'), (text) =>
    text
      .replace(/^( *)# (- target: '\$\.paths\["\/b"\].*public on purpose.*)\n( *)# /m, '$1$2\n$3')
      .replace(/^( *)# (- target: '\$\.paths\.\*.*needs a key)\n( *)# /m, '$1$2\n$3'),
  );
  const overlay = join(cwd, 'overlay.yaml');
  const { operations, warnings } = await loadContract(join(cwd, 'openapi.yaml'), { overlay });
  expect(operations.map(({ path, access }) => [path, access])).toEqual([
    ['/a', 'protected'],
    ['/b', 'public'],
    ['/c', 'protected'],
  ]);
  expect(warnings).toEqual([]);
});

for (const [offered, planned] of [
  ['X-API-Key: <key>', 'X-API-Key: <API_KEY>'],
  ['Authorization: Basic, with API_KEY=user:password', 'Authorization: Basic <API_KEY'],
] as const)
  test(`where the document has no security scheme, the overlay says how one is added: ${offered}`, async ({ cwd }) => {
    const paths = { '/heroes': { get: { responses: silent } } };
    writeFileSync(join(cwd, 'openapi.yaml'), stringify({ ...document, components: {}, paths }));
    const { out } = await app(['init', '--contract', 'openapi.yaml', '--base-url', 'https://a.invalid'], {
      cwd,
      env: {},
    });
    expect(out).toContain('The document has no security scheme: if it needs a key');
    edit(join(cwd, 'overlay.yaml'), (text) =>
      text
        .replace(new RegExp(`^( *)# (- target: \\$ .*${offered})\n( *)# `, 'm'), '$1$2\n$3')
        .replace(/^( *)# (- target: '\$\.paths\.\*.*needs a key)\n( *)# /m, '$1$2\n$3'),
    );
    edit(join(cwd, '.env'), (text) => text.replace('# OVERLAY=', 'OVERLAY='));
    const plan = await app(['plan'], { cwd, env: {} });
    expect(plan.err).toBe('');
    expect(plan.out).toContain(planned);
  });
