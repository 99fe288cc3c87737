import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';
import { asset } from '../../../src/package.js';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { expect, test } from '../support/folder-fixture.js';

test.describe.configure({ timeout: 180_000 });

const playwright = (
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; said: string }> =>
  new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [asset('node_modules', '@playwright', 'test', 'cli.js'), 'test', '-c', asset('playwright.config.ts')],
      { cwd, env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', TMPDIR: tmpdir(), ...env } },
    );
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    child.once('close', (code) => resolve({ code, said }));
  });

test('known deviations are green, and refused or stale ones exit 3, as with the command', async ({ cwd }) => {
  const file = join(cwd, 'known.yaml');
  const service = await startReference({ fault: 'no-key-asked' });
  const env = {
    ...{ BASE_URL: service.baseUrl, HTTP_BASE_URL: service.httpBaseUrl, API_KEY: service.key, CA_FILE: service.caFile },
    ...{ PROBES: 'standard', DEVIATIONS: file },
  };
  try {
    writeFileSync(file, '- {check: refuses-missing-key@nobody, reason: x}\n');
    const refused = await playwright(cwd, env);
    expect(refused.said).toContain('known.yaml:1 no check is called refuses-missing-key@nobody');
    expect(refused.code).toBe(3);

    const failing = ['refuses-missing-key', 'refuses-worthless-keys', 'refuses-leftovers'];
    writeFileSync(file, failing.map((rule) => `- {check: ${rule}@*, reason: the old gateway}\n`).join(''));
    const { code, said } = await playwright(cwd, env);
    expect(said).toContain('Deviating:');
    expect(code, said).toBe(0);
    const results = JSON.parse(readFileSync(join(cwd, 'reports/conformance/results.json'), 'utf8')) as Results;
    expect(results.verdict).toBe('deviating');

    // What the tests attached is enough to judge the run again.
    const again = await app(['judge', 'reports/conformance/results.json'], { cwd });
    expect(again.out).toContain('Nothing changed');
    expect(again.code).toBe(0);

    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}- {check: serves-https@service, reason: the certificate was old}\n`,
    );
    const stale = await playwright(cwd, env);
    expect(stale.said).toContain('known.yaml:4 the deviation of serves-https@service is stale');
    expect(stale.code).toBe(3);
  } finally {
    await service.close();
  }
});
