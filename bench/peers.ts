/**
 * The command and its peers, one after the other, each against a fresh embedded service with a
 * latency of 100 ms. The peers are installed by `npm ci --ignore-scripts` and `python3 -m venv
 * .venv && .venv/bin/pip install -r requirements.txt` in `bench/peers/`; what is not there is left
 * out.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtCommand, type Served, serveReference } from './processes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const peers = join(root, 'bench', 'peers');
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const caFile = join(folder, 'ca.pem');
const node = (name: string): string => join(peers, 'node_modules', '.bin', name);

const commands: readonly {
  readonly name: string;
  readonly program: string;
  readonly words: (server: Served) => readonly string[];
}[] = [
  {
    name: 'access-conformance',
    program: process.execPath,
    words: () => [builtCommand, 'run', '--quiet'],
  },
  {
    name: 'dredd',
    program: node('dredd'),
    words: ({ baseUrl, key }) => [join(peers, 'contract.yaml'), baseUrl, '--header', `Authorization: Token ${key}`],
  },
  {
    name: 'newman',
    program: node('newman'),
    words: ({ baseUrl, key }) => [
      'run',
      join(peers, 'newman.json'),
      '--env-var',
      `baseUrl=${baseUrl}`,
      '--env-var',
      `key=${key}`,
      '--ssl-extra-ca-certs',
      caFile,
    ],
  },
  {
    name: 'stepci',
    program: node('stepci'),
    words: ({ baseUrl, key }) => ['run', join(peers, 'stepci.yml'), '-e', `baseUrl=${baseUrl}`, '-e', `key=${key}`],
  },
  {
    name: 'schemathesis',
    program: join(peers, '.venv', 'bin', 'schemathesis'),
    words: ({ baseUrl, key }) => [
      'run',
      join(peers, 'contract.yaml'),
      '--url',
      baseUrl,
      '--header',
      `Authorization: Token ${key}`,
      '--tls-verify',
      caFile,
      '--workers',
      '8',
      '--max-examples',
      '20',
      '--no-color',
    ],
  },
];

try {
  for (const { name, program, words } of commands) {
    if (!existsSync(program)) {
      console.log(`${name.padEnd(20)} not installed`);
      continue;
    }
    const server = await serveReference(100);
    writeFileSync(caFile, server.ca);
    const start = performance.now();
    const child = spawn(program, words(server), {
      cwd: folder,
      stdio: ['ignore', process.env.SHOW ? 'inherit' : 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        STEPCI_DISABLE_ANALYTICS: '1',
        NODE_EXTRA_CA_CERTS: caFile,
        BASE_URL: server.baseUrl,
        HTTP_BASE_URL: server.httpBaseUrl,
        API_KEY: server.key,
        CA_FILE: caFile,
      },
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const ms = performance.now() - start;
    const requests = await server.finish();
    console.log(
      `${name.padEnd(20)} ${String(Math.round(ms)).padStart(6)} ms  ${String(requests).padStart(4)} requests arrived  exit ${code}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
