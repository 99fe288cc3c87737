import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { playwright } from '../support/front-end.js';
import { expect, inFull, test } from '../support/test.js';

test('known deviations are green, and refused or stale ones exit 3, as with the command', inFull, async ({ cwd }) => {
  const file = join(cwd, 'known.yaml');
  const service = await startReference({ fault: 'no-key-asked' });
  const env = {
    ...{ BASE_URL: service.baseUrl, HTTP_BASE_URL: service.httpBaseUrl, API_KEY: service.key, CA_FILE: service.caFile },
    ...{ PROBES: 'standard', DEVIATIONS: file },
  };
  try {
    writeFileSync(file, '- {check: refuses-missing-key@nobody, reason: x}\n');
    const refused = await playwright(cwd, env);
    expect(refused.output).toContain('known.yaml:1 no check is called refuses-missing-key@nobody');
    expect(refused.code).toBe(3);

    writeFileSync(file, '- {check: refuses-missing-key@*, reason: the old gateway}\n');
    // Enough to show it; each test that fails costs Playwright a worker.
    const some = ['--grep', '@service|refuses-missing-key@listWorkouts'];
    const { code, output } = await playwright(cwd, env, some);
    expect(output).toContain('Deviating:');
    expect(code, output).toBe(0);
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
    const stale = await playwright(cwd, env, some);
    expect(stale.output).toContain('known.yaml:2 the deviation of serves-https@service is stale');
    expect(stale.code).toBe(3);
  } finally {
    await service.close();
  }
});
