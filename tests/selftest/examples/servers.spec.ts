import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { asset } from '../../../src/package.js';
import { certificate } from '../support/certificates.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * The servers that people copy from: each is started as its README says, and judged by every rule.
 */

interface Example {
  readonly language: string;
  readonly file: string;
  /** A command that works where the toolchain is there. */
  readonly toolchain: readonly [command: string, ...args: string[]];
  readonly when: { readonly tag: string };
  /** Makes the program in a folder, and says how to start it. */
  readonly make: (folder: string) => readonly [command: string, ...args: string[]];
}

const examples: readonly Example[] = [
  {
    language: 'Python',
    file: asset('docs', 'examples', 'python', 'server.py'),
    toolchain: ['python3', '--version'],
    when: inCi,
    make: () => ['python3', asset('docs', 'examples', 'python', 'server.py')],
  },
  {
    language: 'Go',
    file: asset('docs', 'examples', 'go', 'main.go'),
    toolchain: ['go', 'version'],
    // The compiler builds TLS and HTTP first where its cache is empty: a minute of both processors.
    when: inFull,
    make: (folder) => {
      const program = join(folder, 'server');
      execFileSync('go', ['build', '-o', program, '.'], { cwd: asset('docs', 'examples', 'go'), stdio: 'pipe' });
      return [program];
    },
  },
];

const isThere = ([command, ...args]: Example['toolchain']): boolean => spawnSync(command, args).status === 0;

/** Starts a server and reads the settings that it prints; `stop` ends it. */
const start = async (
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<{ baseUrl: string; httpBaseUrl: string; stop: () => Promise<void> }> => {
  const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  server.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const printed: Record<string, string> = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) printed[name] = value;
    if (printed.BASE_URL && printed.HTTP_BASE_URL) break;
  }
  const { BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl } = printed;
  if (baseUrl === undefined || httpBaseUrl === undefined) throw new Error(`${command} did not start:\n${errors}`);
  return {
    baseUrl,
    httpBaseUrl,
    stop: async () => {
      server.kill();
      await ended;
    },
  };
};

for (const { language, toolchain, when, make } of examples) {
  test.describe(`the example in ${language}`, () => {
    const there = isThere(toolchain);
    test.skip(!there, `${toolchain[0]} is not installed here, so the example in ${language} is NOT proved by this run`);

    test(there ? 'is judged conformant' : `is NOT judged: ${toolchain[0]} is missing`, when, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'access-conformance-example-'));
      try {
        const { cert, key: privateKey } = await certificate();
        writeFileSync(join(folder, 'cert.pem'), cert);
        writeFileSync(join(folder, 'key.pem'), privateKey);
        const [command, ...args] = make(folder);
        const nobody = spawnSync(command, [...args, 'make-key'], { encoding: 'utf8', timeout: 120_000 });
        expect(nobody.stderr).toContain('usage: ');
        expect(nobody.status).toBe(2);
        const made = spawnSync(command, [...args, 'make-key', 'mara'], { encoding: 'utf8' });
        writeFileSync(join(folder, 'keys.txt'), made.stdout);
        const apiKey = /[0-9a-f]{40}$/m.exec(made.stderr)?.[0] ?? '';
        expect(made.stdout, 'the file of keys holds no key').not.toContain(apiKey);

        const server = await start([command, ...args], {
          CERT_FILE: join(folder, 'cert.pem'),
          CERT_KEY_FILE: join(folder, 'key.pem'),
          KEYS_FILE: join(folder, 'keys.txt'),
          PORT: '0',
          HTTP_PORT: '0',
        });
        try {
          const { results } = await judgeRunning(
            { ...server, key: apiKey, caFile: join(folder, 'cert.pem') },
            { settings: { STRICT: 'true' } },
          );
          expect(
            results.checks.filter(({ outcome }) => /failed|lenient|inconclusive|blocked/.test(outcome)),
            'nothing to complain of',
          ).toEqual([]);
          expect(results.verdict).toBe('conformant');
        } finally {
          await server.stop();
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
}

test('each example marks where it keeps a clause', () => {
  for (const { file } of examples) {
    const text = readFileSync(file, 'utf8');
    for (const clause of ['HTTPS-1', 'HTTPS-2', 'PATH-1', 'AUTH-1', 'AUTH-2', 'AUTH-3', 'AUTH-4'])
      expect(text, file).toContain(clause);
  }
});
