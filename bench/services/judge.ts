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
 * Runs the command as a user does, with the document, the keys and nothing written by hand.
 * @throws Error with the words of the command, where it cannot use the document
 */
export const judge = async (folder: string, { document, keys }: Seeded, { baseUrl, ca }: Front): Promise<Run> => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'ca.pem'), ca);
  const settings = { BASE_URL: baseUrl, HTTP_BASE_URL: 'none', CA_FILE: 'ca.pem', CONTRACT: 'openapi.json', ...keys };
  // For whoever wants to repeat it or to look closer.
  writeFileSync(
    join(folder, '.env'),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  const start = performance.now();
  const child = spawn(process.execPath, [command, 'run', '--quiet'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', openSync(join(folder, 'messages.txt'), 'w')],
    env: { PATH: process.env.PATH },
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
  const seconds = (performance.now() - start) / 1000;
  if (exitCode === exitCodes.usage) throw new Error(readFileSync(join(folder, 'messages.txt'), 'utf8'));
  const record = await readResults(join(folder, 'reports', 'conformance', 'results.json'));
  return { exitCode, seconds, results: record.results };
};
