/**
 * `npx playwright test` against the command, over the same operations of the same server: the price
 * of one test a check. Usage: front-end.js [OPERATIONS_OF_EACH_ACCESS]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asset } from '../src/package.js';
import { documentOf } from './document.js';
import { builtCommand, serve } from './processes.js';

const operations = Number(process.argv[2] ?? 150);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const server = await serve(operations, 0);
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  CI: '1',
  BASE_URL: server.baseUrl,
  HTTP_BASE_URL: server.httpBaseUrl,
  API_KEY: server.key,
  CONTRACT: file('openapi.json', documentOf(operations)),
  CA_FILE: file('ca.pem', server.ca),
};

const timed = (words: readonly string[]): { readonly ms: number; readonly status: number | null } => {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) console.error(stderr.slice(0, 2_000));
  return { ms: Math.round(performance.now() - start), status };
};

try {
  const command = timed([builtCommand, 'run', '--quiet']);
  const playwright = join(root, 'node_modules', '@playwright', 'test', 'cli.js');
  const words = [playwright, 'test', '-c', asset('dist', 'playwright.config.js')];
  const list = timed([...words, '--list', '--reporter', 'null']);
  const whole = timed(words);
  // Without our reporter, each operation is a run of its own.
  const alone = timed([...words, '--reporter', 'null']);
  console.log({
    operations: operations * 2,
    commandMs: command.ms,
    playwrightMs: whole.ms,
    ratio: (whole.ms / command.ms).toFixed(1),
    listingMs: list.ms,
    withoutReporterMs: alone.ms,
    exits: [command.status, list.status, whole.status, alone.status],
  });
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
