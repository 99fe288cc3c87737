import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { causesOf } from '../../../src/engine/causes/causes.js';
import { curlLine } from '../../../src/engine/curl-line.js';
import { exchange } from '../support/run-record.js';
import { finding } from '../support/sample-findings.js';
import { expect, someOfTable, test } from '../support/test.js';

const row = someOfTable();

const run = promisify(execFile);
const key = 'Abc-0123456789-xyz';

let server: Server;
let received = '';
let origin = '';
let dir = '';
test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'curl-'));
  server = createServer((socket) => {
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      received += data;
      if (received.includes('\r\n\r\n')) socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true, force: true });
});
test.beforeEach(() => {
  received = '';
});
test.skip(
  !['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl', '/opt/homebrew/bin/curl'].some((path) => existsSync(path)),
  'curl is not installed here',
);

/** Runs the line in bash as a person would paste it; gives what arrived. */
const sent = async (
  target: string,
  headers: readonly (readonly [string, string])[],
  more: Parameters<typeof exchange>[5] = {},
  of = key,
): Promise<string> => {
  const line = curlLine(exchange('listWorkouts', 'probe', target, headers, { status: 204 }, { origin, ...more }));
  expect(line).toMatch(/^[\x20-\x7e]*$/);
  expect(line).not.toContain(of);
  await run('bash', ['-c', line], { env: { ...process.env, API_KEY: of }, cwd: dir, timeout: 120_000 });
  // Nothing else happened: no file, no second command.
  expect(await readdir(dir)).toEqual([]);
  return received;
};

const targets = [
  '/api/v2/workout/',
  '/a/../b',
  '/a/./b',
  '//a',
  '/a%2e%2e/%2e%2e/b',
  '/a;x=1?y=[1]&z={2}',
  "/it's",
  '/a#b',
  '/%00',
  '/a\\b',
  '/$(touch owned)',
  '/`touch owned`',
  '/!!',
  '*',
  'https://other.example/x',
];
for (const target of targets) {
  test(`repeats the target ${target} to the byte`, row(), async () => {
    const bytes = await sent(target, []);
    expect(bytes.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
    expect(bytes).toContain('\r\nAccept: application/json, */*;q=0.8\r\n');
  });
}

const values: readonly (readonly [value: string, arrives: string])[] = [
  ['Token <API_KEY>', `Token ${key}`],
  ['<API_KEY>', key],
  ['Token <API_KEY>x', `Token ${key}x`],
  ['Token <API_KEY:first-half>', `Token ${key.slice(0, 9)}`],
  ['Token <API_KEY:case-flipped>', 'Token aBC-0123456789-XYZ'],
  ['Key <API_KEY:urlencoded>', `Key ${Buffer.from(key).toString('hex').replace(/../g, '%$&')}`],
  ['Basic <API_KEY:base64>', `Basic ${Buffer.from(key).toString('base64')}`],
  ['Token <API_KEY:random>', 'Token Def-5678901234-nop'],
  ['Token <API_KEY:long>', `Token ${'x'.repeat(8000)}`],
  ['Token  "$HOME" `id` $(touch owned) \\ <API_KEY> !x', `Token  "$HOME" \`id\` $(touch owned) \\ ${key} !x`],
  ["it's '<API_KEY>'", `it's '${key}'`],
  // The wire sends UTF-8, which the socket of this test reads as Latin-1.
  ['caf\u00e9 \u001b[2J\u0007', 'caf\u00c3\u00a9 \u001b[2J\u0007'],
  [`x=%zz${'x'.repeat(5_000)}`, `x=%zz${'x'.repeat(5_000)}`],
];
for (const [value, arrives] of values) {
  test(`repeats the value ${JSON.stringify(value.slice(0, 60))}`, row(), async () => {
    expect(await sent('/', [['Authorization', value]])).toContain(`\r\nAuthorization: ${arrives}\r\n`);
  });
}

const alphabets: Readonly<Record<string, RegExp>> = {
  '9f3c1e77ab0d4c52e8816b20d95fa4c37e10b6a0': /^[0-9a-f]{40}$/,
  '0123456789012345678901230': /^\d{25}$/,
  '3f2a9c1e-77d4-4b0a-9e55-c0ffee12ab34': /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'TG9uZ0tleVZhbHVlMTIzNA==': /^[\w+/]{22}==$/,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.dBjftJeZ4CVPmB92K27': /^[\w-]+\.[\w-]+\.[\w-]+$/,
};
const differences = (one: string, other: string): number => [...one].filter((c, at) => c !== other[at]).length;
for (const [own, alphabet] of Object.entries(alphabets))
  for (const [form, changed] of [
    ['random', own.length],
    ['random-2', own.length],
    ['one-changed', 1],
    ['tail-changed', 1],
    ...(own.includes('.') ? ([['signature-changed', 1]] as const) : []),
  ] as const)
    test(`makes another key of the alphabet of ${own}: ${form}`, row(), async () => {
      const bytes = await sent('/', [['Authorization', `Basic <API_KEY:${form}:base64>`]], {}, own);
      const made = Buffer.from(/Authorization: Basic (\S+)/.exec(bytes)?.[1] ?? '', 'base64').toString();
      expect(made).toMatch(alphabet);
      expect(made.length).toBe(own.length);
      const different = differences(own, made);
      expect(different).toBe(changed === 1 ? 1 : own.replaceAll(/[^0-9A-Za-z]/g, '').length);
      received = '';
      expect(await sent('/', [['X-Key', `<API_KEY:${form}>`]], {}, own)).toContain(`X-Key: ${made}\r\n`);
    });

for (const [form, password] of [
  ['random', 'f8-u'],
  ['one-changed', 'c0-k'],
  ['tail-changed', 'c3-0'],
  ['reversed', 'k-3c'],
  ['first-half', 'c3'],
  ['as-empty', ''],
  ['as-null', 'null'],
  ['all-star', '****'],
] as const)
  test(`alters the password of a user alone: ${form}`, row(), async () => {
    const bytes = await sent('/', [['Authorization', `Basic <API_KEY:${form}:base64>`]], {}, 'mara:c3-k');
    expect(bytes).toContain(`Authorization: Basic ${btoa(`mara:${password}`)}\r\n`);
  });

test('repeats empty values, two fields of one name, a Host of its own, and other methods', async () => {
  const bytes = await sent(
    '/',
    [
      ['Authorization', ''],
      ['X-Two', '1'],
      ['X-Two', '2'],
      ['Host', 'other.example'],
    ],
    { method: 'OPTIONS' },
  );
  expect(bytes).toMatch(/^OPTIONS \/ HTTP\/1.1\r\n/);
  expect(bytes).toMatch(/\r\nAuthorization:\s*\r\n/);
  expect(bytes).toMatch(/\r\nX-Two: 1\r\n(.*\r\n)*X-Two: 2\r\n/);
  expect(bytes).toContain('\r\nHost: other.example\r\n');
});

test('leaves out a User-Agent that the suite leaves out', async () => {
  expect(await sent('/', [['User-Agent', '']])).not.toMatch(/user-agent/i);
});

test('speaks HTTP/1.0 without Host where the suite does', async () => {
  const bytes = await sent('/', [['Host', '']], { protocol: 'http/1.0' });
  expect(bytes).toMatch(/^GET \/ HTTP\/1.0\r\n/);
  expect(bytes).not.toMatch(/\r\nHost:/i);
});

test('asks HEAD without waiting for a body', async () => {
  expect(await sent('/', [], { method: 'HEAD' })).toMatch(/^HEAD \/ HTTP\/1.1\r\n/);
});

test('names version, CA file, pinned address and what it cannot repeat', () => {
  const line = curlLine(
    exchange(
      'listWorkouts',
      'x',
      '/',
      [
        ['Authorization', 'Token <API_KEY:in-morse>'],
        ['X-Long', 'ab'.repeat(1 << 19)],
      ],
      { status: 200 },
      { protocol: 'h2', connection: 'keyed' },
    ),
    { CA_FILE: true, RESOLVE: '["fitness.example:443:203.0.113.9"]' },
  );
  expect(line).toMatch(/--http2 --cacert "\$\{CA_FILE:\?\}" --resolve fitness\.example:443:203\.0\.113\.9/);
  expect(line).toContain(
    "; : 'in place of <API_KEY:in-morse> goes the key, in morse; the value of X-Long is shortened, it had 1,048,576 characters; the suite sent it on the connection that had just carried the key'",
  );
  expect(line.length).toBeLessThan(700);
});

for (const [place, forms, arrives] of [
  ['variable mara_Key', '<API_KEY_OF_MARA>', key],
  ['variable mara_Key', '<API_KEY_OF_MARA>x', `${key}x`],
  ['variable mara_Key', '<API_KEY_OF_MARA:first-half>', key.slice(0, 9)],
  ['variable mara_Key', '<API_KEY_OF_MARA:case-flipped>', 'aBC-0123456789-XYZ'],
  ['file mara.key', '<API_KEY_OF_MARA>', key],
  ['file mara.key', '<API_KEY_OF_MARA:random>', 'Def-5678901234-nop'],
  ['file mara.key', '<API_KEY_OF_MARA:first-half>', key.slice(0, 9)],
  ['file mara.key', '<API_KEY_OF_MARA:appended>', `${key}x`],
] as const)
  test(`repeats ${forms} with the key of an identity from its ${place}`, async () => {
    const sentWith = exchange('list', 'probe', '/', [['Authorization', `Token ${forms}`]], { status: 204 }, { origin });
    const line = curlLine(sentWith, { API_KEY: true, API_KEY_OF_MARA: place });
    expect(line).not.toContain('API_KEY');
    await writeFile(join(dir, 'mara.key'), `${key}\n`);
    await run('bash', ['-c', line], { env: { ...process.env, mara_Key: key }, cwd: dir, timeout: 120_000 });
    await rm(join(dir, 'mara.key'));
    expect(received).toContain(`\r\nAuthorization: Token ${arrives}\r\n`);
  });

test('says why a request with the key has a query that the operation does not have', () => {
  const lineOf = (target: string, headers: readonly (readonly [string, string])[]): string =>
    curlLine(exchange('list', 'probe', target, headers, { status: 200 }));
  const query = '/exercises?nothing-0a1b2c=1';
  const said = /; : 'the suite added the query, to keep the answer out of caches'$/;
  expect(lineOf(query, [['Authorization', 'Token <API_KEY>']])).toMatch(said);
  expect(lineOf('/exercises', [['Authorization', 'Token <API_KEY>']])).not.toContain('; :');
  // Without the key, the query may be what opens the operation.
  expect(lineOf(query, [])).not.toContain('; :');
});

test('curl takes no note for a host in a shell where # starts no comment', async () => {
  const fields = [['Authorization', 'Token <API_KEY>']] as const;
  const sent = exchange('list', 'probe', '/', fields, { status: 204 }, { origin, connection: 'keyed' });
  const line = curlLine(sent);
  expect(line).toContain('carried the key');
  const shell = ['--norc', '-i', '+O', 'interactive_comments', '-c', line];
  const { stdout, stderr } = await run('bash', shell, { env: { ...process.env, API_KEY: key }, timeout: 120_000 });
  expect(stdout.match(/^HTTP/gm)).toHaveLength(1);
  expect(stderr).not.toContain('curl:');
});

test('sends nothing where a variable of the shell is not set', async () => {
  const fields = [['Authorization', 'Token <API_KEY>']] as const;
  for (const [missing, target, headers] of [
    ['API_KEY', '/', fields],
    ['ID_1', '/rooms/<ID_1>', []],
  ] as const) {
    const line = curlLine(exchange('list', 'probe', target, headers, { status: 204 }, { origin }), {});
    received = '';
    const failed = run('bash', ['-c', line], { env: { PATH: process.env.PATH }, cwd: dir, timeout: 120_000 });
    await expect(failed).rejects.toThrow(missing);
    expect(received).toBe('');
  }
});

test('says where the key of an identity is that no variable and no file near holds', () => {
  const variable = `\${${'API_KEY_OF_ROBOT'}:?}`;
  const line = (place: string, form = ''): string =>
    curlLine(exchange('list', 'probe', '/', [['Authorization', `Token <API_KEY_OF_ROBOT${form}>`]], { status: 204 }), {
      API_KEY_OF_ROBOT: place,
    }).replace(/^.*-H "Authorization: Token (.*)" [^\s;]+/, '$1');
  expect(line('program identities.yaml:17:12')).toBe(
    `${variable}; : '$API_KEY_OF_ROBOT is what the program prints that stands at identities.yaml:17:12'`,
  );
  expect(line('token identities.yaml:17:12')).toContain('is the access token that is described at identities.yaml:17:');
  expect(line('elsewhere identities.yaml:3:9')).toContain('is the key that is named at identities.yaml:3:9');
  // A file of results may be somebody else's.
  for (const place of ['variable A;touch owned', 'file $(touch owned)', 'file /etc/passwd', 'file -n', 'constructor x'])
    expect(line(place)).toBe(variable);
});

test('the plain port of a host is pinned to the address that its HTTPS port has', () => {
  const plain = exchange('listWorkouts', 'x', '/', [], { status: 404 }, { origin: 'http://fitness.example:8080' });
  const pinned = (RESOLVE: string): string => curlLine(plain, { RESOLVE });
  expect(pinned('["fitness.example:443:203.0.113.9"]')).toContain('--resolve fitness.example:8080:203.0.113.9');
  expect(pinned('["fitness.example:443:203.0.113.9","fitness.example:8080:203.0.113.7"]')).not.toContain(
    '8080:203.0.113.9',
  );
});

test('sends the cookies of an answer back in the same command', () => {
  const opened = exchange('list', 'probe', '/', [['Cookie', '<VISITOR_COOKIES>']], { status: 200 });
  expect(curlLine(opened)).toMatch(/ -b '' \S+; : 'with the cookies that an answer before it set'$/);
  const setting = exchange('list', 'setting', '/', [], { status: 401 });
  const check = finding({
    rule: 'refuses-leftovers',
    clauses: ['AUTH-3'],
    operation: 'list',
    title: 'refuses cookies',
    outcome: 'failed',
    reason: 'It opens.',
    exchanges: [opened],
    more: { steps: [setting.id, opened.id] },
  });
  const [cause] = causesOf({
    checks: [check],
    operations: [],
    options: {},
    exchange: (id) => [setting, opened].find((each) => each.id === id),
  });
  expect(cause?.curl).toEqual([expect.stringMatching(/^curl -b '' -isS .* --next -isS .* -b '' \S+; : 'with the/)]);
});
