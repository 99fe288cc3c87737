import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyFetchError } from '../../../src/keys/fetched-key.js';
import { type CommandOptions, runKeyCommand } from '../../../src/keys/key-command.js';
import { readSettings, SettingsError } from '../../../src/settings/settings.js';
import { atSomeDeadline } from '../support/deadlines.js';
import { expect, inCi, test } from '../support/test.js';

const secret = 's3cr3t-of-somebody-4471';

const run = (script: string, folder: string, options: Partial<CommandOptions> = {}) =>
  runKeyCommand(
    { kind: 'command', command: [process.execPath, '-e', script], folder },
    { env: process.env, secrets: [], ...options },
  );

const failure = async (running: Promise<unknown>): Promise<KeyFetchError> => {
  const error = await running.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error instanceof KeyFetchError) return error;
  throw new Error(`no KeyFetchError: ${error}`);
};

test.describe('a program that prints a key', () => {
  test('prints it alone, or with its end', async ({ cwd }) => {
    expect(await run(`console.log('${secret}')`, cwd)).toEqual({ key: secret, secrets: [] });
    const json = JSON.stringify({ key: secret, expiresAt: '2999-01-31T12:00:00+01:00' });
    expect(await run(`console.log(${JSON.stringify(json)})`, cwd)).toEqual({
      key: secret,
      secrets: [],
      endsAt: Date.parse('2999-01-31T11:00:00Z'),
    });
  });

  for (const [what, printed, said] of [
    ['two lines', `${secret}\nmore`, /cannot be used: it has a control character/],
    ['a word in front', `Token ${secret}`, /cannot be used: it has a space/],
    ['half a JSON object', `{"key": "${secret}`, /begins with \{ and is no JSON/],
    ['another member', `{"token": "${secret}"}`, /has no text "key"/],
    ['one more member', `{"key": "${secret}", "kind": "x"}`, /other members/],
    ['a time without an offset', `{"key": "${secret}", "expiresAt": "2999-01-31T12:00:00"}`, /time with its offset/],
    ['a key that has ended', `{"key": "${secret}", "expiresAt": "2001-01-31T12:00:00Z"}`, /ended at 2001-01-31/],
    ['nothing', '', /printed nothing/],
  ] as const)
    test(`${what} is refused, and not repeated`, async ({ cwd }) => {
      const error = await failure(run(`process.stdout.write(${JSON.stringify(printed)})`, cwd));
      expect(error.message).toMatch(said);
      expect(`${error.message}${error.stack}`).not.toContain(secret);
      if (printed !== '') expect(error.secrets.join()).toContain(secret);
    });

  test('what it says beside is thrown away, also where it fails', async ({ cwd }) => {
    const error = await failure(run(`console.error('${secret}'); console.log('${secret}'); process.exit(7)`, cwd));
    expect(error.message).toBe('the program ended with 7; what it said is not shown');
  });

  test('has a deadline, its children too', inCi, async ({ cwd }) => {
    const late = join(cwd, 'late');
    const child = `setTimeout(() => require('fs').writeFileSync(${JSON.stringify(late)}, ''), 3000)`;
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], {stdio: 'inherit'}); setInterval(() => {}, 1000)`;
    const error = await failure(run(script, cwd, { deadlineMs: 1_000 }));
    expect(error.message).toBe('the program did not end within 1 s');
    await pause(3_000);
    expect(existsSync(late)).toBe(false);
  });

  test('that has ended is not said to go on where its child keeps the output open', async ({ cwd }) => {
    const script = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: 'inherit'}).unref(); console.log('${secret}')`;
    const error = await atSomeDeadline(async (deadlineMs) => {
      const caught = await failure(run(script, cwd, { deadlineMs }));
      expect(caught.message).toContain('the program ended');
      return caught;
    });
    expect(error.message).toMatch(
      /^the program ended, but a process that it started kept its output open for [\d.]+ s$/,
    );
    expect(error.secrets).toContain(secret);
  });

  test('prints no more than is read', async ({ cwd }) => {
    const error = await failure(run(`process.stdout.write('k'.repeat(100000)); setInterval(() => {}, 1000)`, cwd));
    expect(error.message).toBe('the program printed more than 64 KiB');
  });

  test('a program that is not there is named by its error alone', async ({ cwd }) => {
    const command = { kind: 'command', command: ['./not-there', secret], folder: cwd } as const;
    const error = await failure(runKeyCommand(command, { env: process.env, secrets: [] }));
    expect(error.message).toBe('the program cannot be started (ENOENT)');
  });

  test('an argument with a null byte is not quoted', async ({ cwd }) => {
    const command = { kind: 'command', command: ['./print.sh', `${secret}\0`], folder: cwd } as const;
    const error = await failure(runKeyCommand(command, { env: process.env, secrets: [] }));
    expect(error.message).toBe('the program cannot be started (a null byte in its arguments)');
  });

  test('no shell reads its arguments, and it runs in the folder of its settings', async ({ cwd }) => {
    const script = join(cwd, 'print.sh');
    writeFileSync(script, '#!/bin/sh\nprintf "%s" "$1" > seen\necho a-key-of-the-program\n');
    chmodSync(script, 0o700);
    const command = { kind: 'command', command: ['./print.sh', '$(id); `id` | id'], folder: cwd } as const;
    expect((await runKeyCommand(command, { env: process.env, secrets: [] })).key).toBe('a-key-of-the-program');
    expect(readFileSync(join(cwd, 'seen'), 'utf8')).toBe('$(id); `id` | id');
  });

  test('gets no secret of ours', async ({ cwd }) => {
    const env = {
      PATH: process.env.PATH,
      OWN: 'kept',
      API_KEY_OTHER: 'a-key-of-another-scheme',
      WEB_PASSWORD: 'a-password-of-a-page',
      OAUTH_CLIENT_SECRET: 'a-secret-of-a-client',
      SOMETHING: `https://user:${secret}@proxy.example`,
    };
    const { key } = await run(`console.log(Object.keys(process.env).sort().join())`, cwd, { env, secrets: [secret] });
    expect(key.split(',').filter((name) => name in env)).toEqual(['OWN', 'PATH']);
  });
});

test.describe('API_KEY_COMMAND', () => {
  const problemOf = (env: Readonly<Record<string, string>>, cwd: string): string => {
    try {
      readSettings({ env, cwd });
    } catch (error) {
      if (error instanceof SettingsError) return error.message;
      throw error;
    }
    return '';
  };

  test('is a JSON array', ({ cwd }) => {
    const { keyCommand, keys } = readSettings({ env: { API_KEY_COMMAND: '["./token.sh", "a b"]' }, cwd });
    expect(keyCommand).toEqual({ kind: 'command', command: ['./token.sh', 'a b'], folder: cwd });
    expect(keys).toEqual({});
    for (const wrong of ['./token.sh', '[]', '[""]', '["a", 1]', '{"a": 1}'])
      expect(problemOf({ API_KEY_COMMAND: wrong }, cwd)).toMatch(/^API_KEY_COMMAND \(from the environment\): it is no/);
  });

  test('is never taken from .env, which says why', ({ cwd }) => {
    writeFileSync(join(cwd, '.env'), `API_KEY_COMMAND=["./token.sh", "${secret}"]\n`);
    const said = problemOf({}, cwd);
    expect(said).toMatch(/^API_KEY_COMMAND \(from \.env\): a program is never taken from \.env: .* could run programs/);
    expect(said).not.toContain(secret);
  });

  for (const other of ['API_KEY', 'API_KEY_FILE'])
    test(`and ${other} are one too many`, ({ cwd }) => {
      writeFileSync(join(cwd, 'key.txt'), secret);
      const env = { API_KEY_COMMAND: '["./token.sh"]', [other]: other === 'API_KEY' ? secret : 'key.txt' };
      expect(problemOf(env, cwd)).toContain(`${other} is given too; give one of the two.`);
    });
});

test.describe('settings of OAuth', () => {
  const id = { OAUTH_CLIENT_ID: 'me', OAUTH_CLIENT_SECRET: secret };
  test('say which flow', ({ cwd }) => {
    expect(readSettings({ env: id, cwd }).grant).toEqual({
      flow: 'clientCredentials',
      clientId: 'me',
      clientSecret: secret,
    });
    const env = { OAUTH_CLIENT_ID: 'me', OAUTH_USERNAME: 'ada', OAUTH_PASSWORD: 'pass-word', OAUTH_SCOPE: 'a b' };
    expect(readSettings({ env, cwd }).grant).toEqual({
      flow: 'password',
      clientId: 'me',
      account: { username: 'ada', password: 'pass-word' },
      scope: 'a b',
    });
  });

  for (const [env, said] of [
    [{ OAUTH_CLIENT_SECRET: secret }, /^OAUTH_CLIENT_ID: it is not set, and OAUTH_CLIENT_SECRET needs it/],
    [{ OAUTH_CLIENT_ID: 'me' }, /^OAUTH_CLIENT_SECRET: it is not set, and the client credentials flow/],
    [{ ...id, OAUTH_USERNAME: 'ada' }, /^OAUTH_PASSWORD: it is not set/],
    [{ ...id, OAUTH_TOKEN_URL: 'http://a.example/token' }, /^OAUTH_TOKEN_URL .*secrets are sent over HTTPS only/],
    [{ ...id, OAUTH_SCOPE: `x ${secret}` }, /^OAUTH_SCOPE .*it has a key or a password in it/],
  ] as const)
    test(`that lack something are named: ${Object.keys(env).join(', ')}`, ({ cwd }) => {
      let message = '';
      try {
        readSettings({ env, cwd });
      } catch (error) {
        message = error instanceof SettingsError ? error.message : '';
      }
      expect(message).toMatch(said);
      expect(message).not.toContain(secret);
    });
});
