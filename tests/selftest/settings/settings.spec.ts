import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { parse } from 'dotenv';
import { judge } from '../../../src/app/judge.js';
import { asset } from '../../../src/package.js';
import { certificateOf } from '../../../src/reference/certificates.js';
import { envExample } from '../../../src/settings/env-file.js';
import { readSettings, SettingsError, type SettingsInput, settingsTable } from '../../../src/settings/settings.js';
import { describeOptions, readTarget, unusedInResolve } from '../../../src/settings/target.js';
import { isUrl } from '../../../src/urls.js';
import { expect, test } from '../support/test.js';

const base = 'https://api.example.com';

/** The problems of settings that must be refused. */
const problemsOf = (input: SettingsInput) => {
  try {
    readSettings(input);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map((problem) => ({ ...problem, text: error.message }));
    throw error;
  }
  throw new Error('these settings were accepted');
};

const targetOf = (env: Readonly<Record<string, string>>, cwd: string) => readTarget(readSettings({ env, cwd }));

test.describe('base URL', () => {
  for (const [given, origin, basePath] of [
    [base, base, ''],
    [`${base}/`, base, ''],
    [`${base}/fitness`, base, '/fitness'],
    [`${base}/fitness/sub///`, base, '/fitness/sub'],
    ['HTTPS://API.Example.com:443', base, ''],
    ['https://api.example.com:8443/x/', 'https://api.example.com:8443', '/x'],
    ['https://[::1]:8443', 'https://[::1]:8443', ''],
    ['https://bücher.example', 'https://xn--bcher-kva.example', ''],
    ['https://127.0.0.1:1', 'https://127.0.0.1:1', ''],
  ] as const)
    test(`takes ${given}`, ({ cwd }) => {
      expect(targetOf({ BASE_URL: given }, cwd)).toMatchObject({ origin, basePath });
    });

  for (const [given, said] of [
    ['http://api.example.com', /HTTPS only \(clause HTTPS-2\)/],
    ['HTTP://api.example.com', /HTTPS only \(clause HTTPS-2\)/],
    ['ftp://api.example.com', /HTTPS only/],
    ['api.example.com', /did you mean https:\/\/api\.example\.com/],
    ['api.example.com:8443/x', /did you mean https:\/\/api\.example\.com:8443\/x/],
    ['//api.example.com', /did you mean https:\/\/api\.example\.com/],
    ['https:/api.example.com', /did you mean https:\/\/api\.example\.com/],
    ['https://', /no valid URL/],
    ['https://api.example.com:99999', /no valid URL/],
    ['https://api.example.com:0', /port 0/],
    ['https://[::1', /no valid URL/],
    ['https://api .example.com', /whitespace/],
    [' https://api.example.com', /whitespace/],
    ['https://api.example.com\\x', /backslash/],
    ['https://ada@api.example.com', /user or password/],
    ['https://@api.example.com', /user or password/],
    ['https://api.example.com/?', /query/],
    ['https://api.example.com/?page=1', /query/],
    ['https://api.example.com/#top', /fragment/],
  ] as const)
    test(`refuses ${given}`, ({ cwd }) => {
      const [problem, ...others] = problemsOf({ env: { BASE_URL: given }, cwd });
      expect(problem?.setting).toBe('BASE_URL');
      expect(problem?.text).toMatch(said);
      expect(problem?.allowed).toContain('https URL');
      expect(others).toEqual([]);
    });

  test('shows neither password nor query of a refused one', ({ cwd }) => {
    for (const url of [
      'https://ada:hunter2@x.example',
      'http://ada:hunter2@x.example',
      'ada:hunter2@x.example',
      `${base}?key=hunter2`,
    ])
      for (const { text } of problemsOf({ env: { BASE_URL: url }, cwd })) expect(text).not.toContain('hunter2');
  });

  for (const [name, url] of [
    ['BASE_URL', 'https://me:hunter2/pw@host/'],
    ['BASE_URL', 'https:/me:hunter2/x@host'],
    ['BASE_URL', 'me:hunter2#x@host'],
    ['HTTP_BASE_URL', 'http://me:hunter2?x@host/'],
    ['KEY_PAGE_URL', 'https://me:hunter2#x@host/'],
    ['KEY_PAGE_URL', 'me:hunter2@host/'],
    ['KEY_PAGE_URL', 'https:/me:hunter2@host/'],
    ['LOGIN_URL', 'https://host/login?name=me&password=hunter2 x'],
  ] as const)
    test(`shows no password of ${name}=${url}`, ({ cwd }) => {
      const [problem, ...others] = problemsOf({ env: { [name]: url }, cwd });
      expect(problem?.setting).toBe(name);
      expect(problem?.text).not.toContain('hunter2');
      expect(others).toEqual([]);
    });

  test('missing: says how to give one, how to see a run without one, and which name was near', ({ cwd }) => {
    const [problem] = problemsOf({ env: { BASEURL: base }, cwd, needs: ['BASE_URL'] });
    expect(problem?.text).toMatch(
      /--base-url[\s\S]*\.env[\s\S]*service: access-conformance run --reference[\s\S]*npm run demo/,
    );
    expect(problem?.text).toContain('BASEURL: did you mean BASE_URL?');
    expect(() => readTarget(readSettings({ env: {}, cwd }))).toThrow(SettingsError);
  });

  test('an empty value is an unset one', ({ cwd }) => {
    expect(readSettings({ env: { BASE_URL: '', STRICT: '', API_KEY: '' }, cwd })).toMatchObject({
      base: undefined,
      keys: {},
    });
  });
});

test.describe('plain-HTTP side', () => {
  for (const [baseUrl, given, expected] of [
    [base, '', 'http://api.example.com'],
    [`${base}/fitness/`, '', 'http://api.example.com/fitness'],
    ['https://api.example.com:8443', '', null],
    ['https://api.example.com:8443', 'none', 'none'],
    ['https://api.example.com:8443', 'None', 'none'],
    ['https://api.example.com:8443', 'http://api.example.com:8080/x/', 'http://api.example.com:8080/x'],
  ] as const)
    test(`${baseUrl} and "${given}" give ${expected}`, ({ cwd }) => {
      expect(targetOf({ BASE_URL: baseUrl, HTTP_BASE_URL: given }, cwd).httpBaseUrl).toBe(expected);
    });

  test('no URL with two schemes is proposed', ({ cwd }) => {
    expect(problemsOf({ env: { BASE_URL: `<${base}>` }, cwd })[0]?.hint).toBeUndefined();
  });

  test('https is refused there', ({ cwd }) => {
    const [problem] = problemsOf({ env: { HTTP_BASE_URL: base }, cwd });
    expect(problem?.message).toContain('http://');
  });
});

test.describe('keys', () => {
  for (const [key, where] of [
    ['abc def', /a space at position 4 of 7/],
    ['abc\tdef', /a control character at position 4/],
    ['abc\u0000', /a control character at position 4/],
    ['abc\ndef', /a control character at position 4[\s\S]*one line/],
    ['schlüssel', /a non-ASCII character at position 5/],
    ['Token 0123456789', /without the word Token in front/],
    ['<API_KEY>', /placeholder/],
    ['{{API_KEY}}', /placeholder/],
  ] as const)
    test(`refuses ${JSON.stringify(key)} without showing it`, ({ cwd }) => {
      const [problem] = problemsOf({ env: { API_KEY: key }, cwd });
      expect(problem).not.toHaveProperty('value');
      expect(problem?.text).toMatch(where);
      if (!key.includes('API_KEY')) expect(problem?.text).not.toContain(key);
    });

  test('takes one newline off, from the environment and from a file', ({ cwd }) => {
    writeFileSync(join(cwd, 'key'), 'secret\r\n');
    expect(readSettings({ env: { API_KEY: 'secret\n' }, cwd }).keys).toEqual({ API_KEY: 'secret' });
    expect(readSettings({ env: { API_KEY_FILE: 'key' }, cwd }).keys).toEqual({ API_KEY: 'secret' });
    writeFileSync(join(cwd, 'key'), 'secret\n\n');
    expect(problemsOf({ env: { API_KEY_FILE: 'key' }, cwd })[0]?.text).toContain('control character');
  });

  test('a key file that is not there, empty, or a folder', ({ cwd }) => {
    writeFileSync(join(cwd, 'empty'), '\n');
    mkdirSync(join(cwd, 'sub'));
    for (const [file, said] of [
      ['nowhere', /no such file/],
      ['empty', /empty/],
      ['sub', /folder/],
    ] as const)
      expect(problemsOf({ env: { API_KEY_FILE: file }, cwd }).map(({ message }) => message)).toEqual([
        expect.stringMatching(said),
      ]);
  });

  test('not both of key and key file', ({ cwd }) => {
    writeFileSync(join(cwd, 'key'), 'secret');
    const [problem] = problemsOf({ env: { API_KEY: 'other', API_KEY_FILE: 'key' }, cwd });
    expect(problem?.message).toContain('one of the two');
    expect(problem?.text).not.toContain('other');
  });

  const secret = 'S3cretS3cret9x';
  for (const [what, env] of [
    ['the name of its file', { API_KEY_FILE: secret }],
    ['the name of the file of keys', { API_KEYS_FILE: secret }],
    ['the name of its file, beside the key', { API_KEY_FILE: secret, API_KEY: 'other' }],
    ['the name of the target', { TARGET_NAME: `ours ${secret}`, API_KEY: secret }],
    ['the base URL', { BASE_URL: `${base}/${secret}/`, API_KEY: secret }],
    ['the base URL, escaped', { BASE_URL: `${base}/%533cretS3cret9x/`, API_KEY: secret }],
    ['a path', { EXERCISE_PATH: `/${secret}`, API_KEY_ADMIN: secret }],
    ['a path that is none', { EXERCISE_PATH: secret, API_KEY: secret }],
    ['a path, the password of a key', { EXERCISE_PATH: `/${secret}`, API_KEY: `me:${secret}` }],
    ['a path, a password', { EXERCISE_PATH: `/${secret}`, WEB_PASSWORD: secret }],
    ['a path, the password of the second account', { EXERCISE_PATH: `/${secret}`, WEB_PASSWORD_WITHOUT_KEY: secret }],
    ['a setting of one of three words', { PROBES: secret, API_KEY: secret }],
  ] as const)
    test(`a key given as ${what} is refused and not shown`, ({ cwd }) => {
      const [problem] = problemsOf({ env, cwd });
      expect(problem?.setting).toBe(Object.keys(env)[0]);
      expect(problem?.text).not.toMatch(/S3cret|%533cret/);
    });

  test('a name that is the password as well, and a short key inside a word, are nobody’s slip', ({ cwd }) => {
    const web = { WEB_USERNAME: 'testuser', WEB_PASSWORD: 'testuser' };
    const other = { WEB_USERNAME_WITHOUT_KEY: 'testuser2', WEB_PASSWORD_WITHOUT_KEY: 'testuser2' };
    const env = { ...web, ...other, API_KEY: 'demo', TARGET_NAME: 'demonstration' };
    expect(readSettings({ env, cwd }).values.TARGET_NAME).toBe('demonstration');
  });

  test('a file of keys, one a scheme, beside keys that are given by themselves', ({ cwd }) => {
    const written = 'tokenAuth: S3cretS3cret9x\nmy-key: "00123"\nBASIC: 0042\nfile: me:pass\n';
    writeFileSync(join(cwd, 'keys.yaml'), written);
    const settings = readSettings({ env: { API_KEYS_FILE: 'keys.yaml', API_KEY_OTHER: 'o' }, cwd });
    expect(settings.keys).toEqual({
      API_KEY_OTHER: 'o',
      API_KEY_TOKEN_AUTH: 'S3cretS3cret9x',
      API_KEY_MY_KEY: '00123',
      API_KEY_BASIC: '0042',
      API_KEY_FILE_2: 'me:pass',
    });
    expect(settings.sources).toMatchObject({ API_KEY_TOKEN_AUTH: 'environment', API_KEYS_FILE: 'environment' });
    writeFileSync(join(cwd, 'keys.yaml'), JSON.stringify({ a: 'x' }));
    expect(readSettings({ flags: { API_KEYS_FILE: 'keys.yaml' }, env: {}, cwd }).keys).toEqual({ API_KEY_A: 'x' });
  });

  for (const [what, written, env, said] of [
    ['that is no object', '- S3cretS3cret9x', {}, /must hold an object/],
    ['that cannot be read', 'a: x\nb: "S3cretS3cret9x', {}, /line 2 cannot be read as YAML or JSON/],
    ['that names a scheme twice', 'a: x\na: S3cretS3cret9x', {}, /line 2 cannot be read/],
    [
      'with two schemes of one setting',
      'my-key: x\nmy_key: S3cretS3cret9x',
      {},
      /line 2: "my_key" and "my-key" are both/,
    ],
    ['with a scheme without a key', 'a: x\nb:\n', {}, /line 2: the scheme "b" has no key/],
    ['with an object for a key', 'a: { b: S3cretS3cret9x }', {}, /line 1: the scheme "a" has no key/],
    [
      'with a key that is none',
      'a: Bearer S3cretS3cret9x',
      {},
      /line 1: the key of "a" cannot be used: it has a space/,
    ],
    [
      'with a key that is given too',
      'tokenAuth: S3cretS3cret9x',
      { API_KEY_TOKEN_AUTH: 'x' },
      /API_KEY_TOKEN_AUTH is given too/,
    ],
    [
      'with a key that stands elsewhere too',
      'a: S3cretS3cret9x',
      { TARGET_NAME: 'S3cretS3cret9x' },
      /it has a key or a password in it/,
    ],
  ] as const)
    test(`a file of keys ${what} is refused, and no key shown`, ({ cwd }) => {
      writeFileSync(join(cwd, 'keys.yaml'), written);
      const [problem] = problemsOf({ env: { API_KEYS_FILE: 'keys.yaml', ...env }, cwd });
      expect(problem?.message).toMatch(said);
      expect(problem?.text).not.toContain('S3cret');
    });

  test('one a scheme', ({ cwd }) => {
    expect(readSettings({ env: { API_KEY_TOKENAUTH: 'a', API_KEY_BASIC_2: 'b' }, cwd }).keys).toEqual({
      API_KEY_TOKENAUTH: 'a',
      API_KEY_BASIC_2: 'b',
    });
  });
});

test.describe('every other form', () => {
  for (const [name, value, said] of [
    ['CONCURRENCY', '0', /below 1/],
    ['CONCURRENCY', '257', /above 256/],
    ['CONCURRENCY', '8.5', /no whole number/],
    ['CONCURRENCY', '8 ', /no whole number/],
    ['TIMEOUT_MS', '99', /below 100/],
    ['TIMEOUT_MS', '10s', /no whole number/],
    ['RATE_LIMIT_WAIT_S', '-1', /no whole number/],
    ['RATE_LIMIT_WAIT_S', '3601', /above 3600/],
    ['STRICT', 'maybe', /neither yes nor no/],
    ['INSECURE_TLS', '2', /neither yes nor no/],
    ['PROBES', 'all', /no such value/],
    ['EVIDENCE', 'Shape', /no such value/],
    ['EXERCISE_PATH', 'api/v2/exercise/', /slash/],
    ['EXERCISE_PATH', 'https://x.example/exercise/', /whole URL/],
    ['INGREDIENT_PATH', '/x?y=1', /query/],
    ['INGREDIENT_PATH', '/x y', /whitespace/],
    ['CA_FILE', 'nowhere.pem', /no such file/],
    ['CONTRACT', 'nowhere.yaml', /no such file/],
    ['OVERLAY', 'a.yaml,b.yaml', /no such file/],
    ['RESOLVE', 'x.example:443', /host:port:address/],
    ['RESOLVE', 'x.example:443:elsewhere', /no IP address/],
    ['KEY_PAGE_URL', 'example.com/key', /no http or https URL/],
    ['TARGET_NAME', 'a\nb', /control character/],
    ['HTTPS_PROXY', 'socks5://x.example', /not supported/],
    ['HTTPS_PROXY', 'foo', /neither a URL nor host:port/],
    ['HTTPS_PROXY', 'http://me:50%off@x.example:3128', /a % that begins no/],
  ] as const)
    test(`${name}=${JSON.stringify(value)} is refused`, ({ cwd }) => {
      const [problem, ...others] = problemsOf({ env: { [name]: value }, cwd });
      expect(problem).toMatchObject({ setting: name, source: 'environment' });
      expect(problem?.message).toMatch(said);
      expect(problem?.allowed).toBeTruthy();
      expect(others).toEqual([]);
    });

  for (const word of ['true', '1', 'yes', 'TRUE'])
    test(`${word} is yes`, ({ cwd }) => expect(readSettings({ env: { STRICT: word }, cwd }).values.STRICT).toBe(true));
  for (const word of ['false', '0', 'no'])
    test(`${word} is no`, ({ cwd }) => expect(readSettings({ env: { STRICT: word }, cwd }).values.STRICT).toBe(false));

  test('certificates are PEM, and a client certificate has its key', async ({ cwd }) => {
    const { ca, cert, key } = await certificateOf('valid');
    const other = (await certificateOf('expired')).key;
    const files = { 'ca.pem': ca, 'cert.pem': cert, 'key.pem': key, 'no.pem': 'no', 'other.pem': other };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const pem = { CA_FILE: 'ca.pem', CLIENT_CERT_FILE: 'cert.pem', CLIENT_KEY_FILE: 'key.pem' };
    expect(targetOf({ BASE_URL: base, ...pem }, cwd)).toMatchObject({ ca, clientCert: { cert, key } });
    for (const [name, changes] of [
      ['CA_FILE', { CA_FILE: 'no.pem' }],
      ['CLIENT_CERT_FILE', { CLIENT_CERT_FILE: 'no.pem' }],
      ['CLIENT_KEY_FILE', { CLIENT_KEY_FILE: 'no.pem' }],
      ['CLIENT_KEY_FILE', { CLIENT_KEY_FILE: 'other.pem' }],
      ['CLIENT_CERT_FILE', { CLIENT_KEY_FILE: '' }],
      ['CLIENT_KEY_FILE', { CLIENT_CERT_FILE: '' }],
    ] as const)
      expect(problemsOf({ env: { ...pem, ...changes }, cwd }).map(({ setting }) => setting)).toEqual([name]);
  });

  test('all that is wrong is said at once', ({ cwd }) => {
    const names = problemsOf({ env: { BASE_URL: 'x', STRICT: 'x', CONCURRENCY: 'x', API_KEY: 'a b' }, cwd }).map(
      ({ setting }) => setting,
    );
    expect(names.sort()).toEqual(['API_KEY', 'BASE_URL', 'CONCURRENCY', 'STRICT']);
  });

  test('proxy and resolve reach the target', ({ cwd }) => {
    const env = {
      BASE_URL: base,
      https_proxy: 'proxy.example:3128',
      http_proxy: 'http://proxy.example:3129',
      no_proxy: 'localhost',
      RESOLVE: 'api.example.com:443:10.0.0.7, x.example:1:[::1]',
    };
    expect(targetOf(env, cwd)).toMatchObject({
      proxy: { url: 'http://proxy.example:3128', httpUrl: 'http://proxy.example:3129', noProxy: 'localhost' },
      resolve: [
        { host: 'api.example.com', port: 443, address: '10.0.0.7' },
        { host: 'x.example', port: 1, address: '::1' },
        // The plain port of the same host.
        { host: 'api.example.com', port: 80, address: '10.0.0.7' },
      ],
    });
  });

  test('entries of RESOLVE that no request can use are known', ({ cwd }) => {
    const unused = (settings: Record<string, string>): readonly string[] => {
      const RESOLVE = 'api.example.com:443:10.0.0.7,api.example.com:80:10.0.0.7,sso.example:443:10.0.0.8';
      const all = readSettings({ env: { BASE_URL: base, RESOLVE, ...settings }, cwd });
      return unusedInResolve(all, readTarget(all));
    };
    expect(unused({ RESOLVE: 'api.example.com:8443:10.0.0.7' })).toEqual(['api.example.com:8443:10.0.0.7']);
    expect(unused({})).toEqual(['sso.example:443:10.0.0.8']);
    expect(unused({ HTTPS_PROXY: 'https://sso.example' })).toEqual([]);
    expect(unused({ KEY_PAGE_URL: 'https://web.example/key' })).toEqual([]);
  });

  test('the plain port is where RESOLVE says that it is, or nowhere', ({ cwd }) => {
    const portsOf = (settings: Record<string, string>): readonly number[] =>
      targetOf({ BASE_URL: base, RESOLVE: 'api.example.com:443:10.0.0.7', ...settings }, cwd).resolve.map(
        ({ port }) => port,
      );
    expect(portsOf({ HTTP_BASE_URL: 'http://api.example.com:8080' })).toEqual([443, 8080]);
    expect(portsOf({ HTTP_BASE_URL: 'http://other.example' })).toEqual([443]);
    expect(portsOf({ HTTP_BASE_URL: 'none' })).toEqual([443]);
    expect(portsOf({ RESOLVE: 'api.example.com:443:10.0.0.7,api.example.com:80:10.0.0.8' })).toEqual([443, 80]);
  });
});

test.describe('.env', () => {
  test('a flag outranks the environment, which outranks .env; process.env stays as it is', ({ cwd }) => {
    writeFileSync(join(cwd, '.env'), 'BASE_URL=https://file.example\nCONCURRENCY=3\nTIMEOUT_MS=500\n');
    const before = JSON.stringify(process.env);
    const settings = readSettings({ flags: { CONCURRENCY: '5' }, env: { CONCURRENCY: '4', TIMEOUT_MS: '600' }, cwd });
    expect(settings.base?.origin).toBe('https://file.example');
    expect(settings.values).toMatchObject({ CONCURRENCY: 5, TIMEOUT_MS: 600 });
    expect(settings.sources).toMatchObject({ BASE_URL: '.env', CONCURRENCY: 'flag', TIMEOUT_MS: 'environment' });
    expect(JSON.stringify(process.env)).toBe(before);
  });

  test('an empty value in the environment leaves the one of .env', ({ cwd }) => {
    writeFileSync(join(cwd, '.env'), 'CONCURRENCY=3\n');
    expect(readSettings({ env: { CONCURRENCY: '' }, cwd }).values.CONCURRENCY).toBe(3);
  });

  for (const [given, meant] of [
    ['BASEURL', 'BASE_URL'],
    ['BASE_ULR', 'BASE_URL'],
    ['API_TOKEN', 'API_KEY'],
    ['APIKEY', 'API_KEY'],
    ['API_KEY_FIEL', 'API_KEY_FILE'],
    ['TIMEOUT', 'TIMEOUT_MS'],
    ['CACERT', 'CA_FILE'],
    ['EXERCISES_PATH', 'EXERCISE_PATH'],
  ] as const)
    test(`${given} is no setting: did you mean ${meant}?`, ({ cwd }) => {
      writeFileSync(join(cwd, '.env'), `${given}=hunter2\n`);
      const [problem] = problemsOf({ cwd });
      expect(problem?.hint).toContain(`did you mean ${meant}?`);
      expect(problem?.text).not.toContain('hunter2');
    });

  test('a member that is no setting is told with the one that was meant', async () => {
    await expect(judge({ baseUrl: 'https://127.0.0.1', only: ['AUTH-3', 'AUTH-33'] })).rejects.toThrow(
      /only is "AUTH-33": it selects no check\.\n {2}did you mean AUTH-3\?/,
    );
    await expect(judge({ baseURL: 'https://127.0.0.1' } as never)).rejects.toThrow(
      /baseURL: there is no setting of this name\.\n +did you mean baseUrl\?/,
    );
  });

  test('a name like no other says where the settings are listed, and that it may be of an identities file', ({
    cwd,
  }) => {
    writeFileSync(join(cwd, '.env'), 'DATABASE_PORT_NUMBER=1\n');
    const hint = problemsOf({ cwd })[0]?.hint;
    expect(hint).toContain('access-conformance help settings');
    expect(hint).toContain('set IDENTITIES');
  });

  for (const line of ['S3cretS3cret9x=', 'k9-x.4Kd=', '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b=1'])
    test(`the line ${line} is told by its number`, ({ cwd }) => {
      writeFileSync(join(cwd, '.env'), `# mine\n${line}\n`);
      const [problem] = problemsOf({ cwd });
      expect(problem?.setting).toBe('line 2');
      expect(problem?.text).not.toContain(line.split('=', 1)[0]);
    });

  test('UTF-16 is said', ({ cwd }) => {
    for (const text of ['\uFEFFBASE_URL=https://x.example\r\n', 'BASE_URL=https://x.example\r\n']) {
      writeFileSync(join(cwd, '.env'), text, 'utf16le');
      const [problem, ...others] = problemsOf({ cwd });
      expect(problem?.message).toBe('the file is not UTF-8 text.');
      expect(others).toEqual([]);
    }
  });

  test('what dotenv would read otherwise than meant is said by line', ({ cwd }) => {
    writeFileSync(join(cwd, '.env'), '# mine\nBASE_URL https://x.example\nAPI_KEY=abc#def\n');
    expect(problemsOf({ cwd }).map(({ setting, message }) => `${setting}: ${message}`)).toEqual([
      expect.stringMatching(/^BASE_URL: line 2 .*no =/),
      expect.stringMatching(/^API_KEY: line 3 .*#/),
    ]);
    writeFileSync(
      join(cwd, '.env'),
      'BASE_URL=\nBASE_URL=https://x.example\nAPI_KEY_A=abc\n# BASE_URL=https://y.example\nAPI_KEY_A=abd\n',
    );
    const [twice, ...others] = problemsOf({ cwd });
    expect(twice).toMatchObject({
      setting: 'API_KEY_A',
      message: 'line 5 of .env gives it again, after line 3.',
      hint: 'leave one of the two out',
    });
    expect(others).toEqual([]);
    writeFileSync(join(cwd, '.env'), 'BASE_URL=https://x.example\nAPI_KEY="abc\n');
    expect(problemsOf({ cwd }).map(({ setting, message }) => `${setting}: ${message}`)).toEqual([
      expect.stringMatching(/^API_KEY: line 2 .*quote/),
    ]);
    writeFileSync(join(cwd, '.env'), `BASE_URL=https://x.example\nAPI_KEY='"abc"'\n`);
    expect(readSettings({ cwd }).keys).toEqual({ API_KEY: '"abc"' });
    writeFileSync(join(cwd, '.env'), "\uFEFFBASE_URL=https://x.example # ours\nAPI_KEY='abc#def'\n");
    expect(readSettings({ cwd })).toMatchObject({
      base: { origin: 'https://x.example' },
      keys: { API_KEY: 'abc#def' },
    });
  });

  test('a folder of that name is said', ({ cwd }) => {
    mkdirSync(join(cwd, '.env'));
    expect(problemsOf({ cwd })[0]?.message).toContain('cannot be read');
  });
});

test('a misspelled choice is answered with the nearest one', ({ cwd }) => {
  expect(problemsOf({ env: { PROBES: 'extendet' }, cwd })[0]?.hint).toBe('did you mean extended?');
  expect(problemsOf({ env: { PROBES: 'all' }, cwd })[0]?.hint).toBeUndefined();
});

test.describe('.env.example', () => {
  const text = readFileSync(asset('.env.example'), 'utf8');

  test('is what the table says (access-conformance help settings > .env.example)', () => {
    expect(text).toBe(envExample());
  });

  test('documents every setting, and can be read when every line is taken in', ({ cwd }) => {
    const all = parse(text.replaceAll(/^# (?=[A-Z_]+=)/gm, ''));
    for (const { name } of settingsTable) expect(all, name).toHaveProperty(name);
    writeFileSync(join(cwd, '.env'), text);
    expect(readSettings({ cwd, env: {} }).values.CONCURRENCY).toBe('auto');
  });
});

test('options say what changes a judgement, whether there is a key, and no secret', ({ cwd }) => {
  const env = {
    BASE_URL: base,
    API_KEY: 'hunter2hunter2',
    WEB_PASSWORD: 'hunter3',
    WEB_PASSWORD_WITHOUT_KEY: 'hunter5',
    STRICT: 'yes',
    HTTPS_PROXY: 'http://u:hunter4@p.example',
  };
  const settings = readSettings({ env, cwd });
  const options = describeOptions(settings);
  expect(options).toMatchObject({ STRICT: true, PROBES: 'auto', API_KEY: true, EXERCISE_PATH: null });
  expect(JSON.stringify([options, settings.values])).not.toContain('hunter');
  expect(describeOptions(readSettings({ env: {}, cwd })).API_KEY).toBe(false);
});

test('settings and targets print no secret', ({ cwd }) => {
  const env = {
    BASE_URL: 'https://api.example.com',
    API_KEY: 'secret-key-0001',
    API_KEY_OTHER: 'secret-key-0002',
    WEB_PASSWORD: 'secret-password',
    HTTPS_PROXY: 'http://user:secret-proxy@proxy.example.com:3128',
  };
  const settings = readSettings({ env, cwd, envFile: false });
  for (const printable of [settings, readTarget(settings)]) {
    expect(printable.keys.API_KEY).toBe(env.API_KEY);
    expect(JSON.stringify({ printable }) + inspect({ printable }, { depth: null })).not.toContain('secret-');
  }
});

test('a host with letters outside of ASCII is a URL, however often it is asked', () => {
  const asked = Array.from({ length: 50_000 }, () => isUrl('https://bücher.example'));
  expect(asked.filter((is) => !is)).toEqual([]);
  expect([isUrl('https://'), isUrl('https://a.example/a'), isUrl('/a')]).toEqual([false, true, false]);
});
