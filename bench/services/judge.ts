import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../../src/engine/outcomes.js';
import type { Results } from '../../src/engine/results.js';
import { readResults } from '../../src/report/results-file.js';
import type { Seeded } from './service.js';
import type { Front } from './tls-front.js';

const command = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** What one run of the command gave. */
export interface Run {
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly results: Omit<Results, 'exchanges'>;
}

/**
 * Runs the command in a folder to its end; what it says on its error output goes to `messages.txt`.
 */
const called = async (
  folder: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<number | null> => {
  const child = spawn(process.execPath, [command, ...words], {
    cwd: folder,
    stdio: ['ignore', 'ignore', openSync(join(folder, 'messages.txt'), 'w')],
    env: { PATH: process.env.PATH, ...settings },
  });
  return new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
};

/**
 * Runs `init` and `run` as a user does, with the document and the keys and nothing written by hand.
 * @throws Error with the words of the command, where it cannot use the document
 */
export const judge = async (
  folder: string,
  { document, keys, basePath = '' }: Seeded,
  { baseUrl, ca }: Front,
): Promise<Run> => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'ca.pem'), ca);
  const settings = { HTTP_BASE_URL: 'none', CA_FILE: 'ca.pem', ...keys };
  const messages = (): string => readFileSync(join(folder, 'messages.txt'), 'utf8');
  if ((await called(folder, ['init', '--contract', 'openapi.json', '--base-url', `${baseUrl}${basePath}`], {})) !== 0)
    throw new Error(messages());
  const start = performance.now();
  const exitCode = await called(folder, ['run', '--quiet'], settings);
  const seconds = (performance.now() - start) / 1000;
  if (exitCode === exitCodes.usage) throw new Error(messages());
  const record = await readResults(join(folder, 'reports', 'conformance', 'results.json'));
  return { exitCode, seconds, results: record.results };
};
