import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';
import { startReference } from '../../../src/reference/index.js';
import { playwright } from '../support/front-end.js';
import { expect, inFull, test } from '../support/test.js';

test(
  'several targets: a project, a page and a verdict each, the matrix, and the worst exit code',
  inFull,
  async ({ cwd }) => {
    const services = await Promise.all([startReference(), startReference({ fault: 'no-key-asked' })]);
    const [good, bad] = services;
    if (!good || !bad) throw new Error('two services were started');
    const entry = (name: string, { baseUrl, httpBaseUrl, caFile }: typeof good): string =>
      `- {name: ${name}, baseUrl: "${baseUrl}", httpBaseUrl: "${httpBaseUrl}", ca: "${caFile}", keyVariable: ${name}_KEY}\n`;
    writeFileSync(join(cwd, 'targets.yaml'), `${entry('Good', good)}${entry('Bad', bad)}`);
    // Settings of another deployment in the environment count for none of them.
    writeFileSync(join(cwd, '.env'), 'TARGETS_FILE=targets.yaml\nBASE_URL=https://nobody.example\n');
    const env = { Good_KEY: good.key, Bad_KEY: bad.key, PROBES: 'standard' };
    const resultsOf = (folder: string): Results =>
      JSON.parse(readFileSync(join(cwd, 'reports', folder, 'conformance/results.json'), 'utf8')) as Results;
    try {
      const both = await playwright(cwd, env, ['--grep', 'refuses-missing-key|@service']);
      expect(both.output).toContain('1 of 2 deployments conformant. Worse than Good in');
      expect(both.output).not.toContain(good.key);
      expect(both.output).not.toContain(bad.key);
      expect(both.code, both.output).toBe(1);
      expect(resultsOf('good').verdict).toBe('conformant');
      expect(resultsOf('bad').verdict).toBe('non-conformant');
      expect(resultsOf('bad').target.name).toBe('Bad');
      expect(existsSync(join(cwd, 'reports/compare.html'))).toBe(true);

      const one = await playwright(cwd, env, ['--project', 'good', '--grep', 'refuses-missing-key']);
      expect(one.output).not.toContain('Bad');
      expect(one.code, one.output).toBe(0);

      const keyless = await playwright(cwd, { Good_KEY: good.key });
      expect(keyless.output).toContain('targets.yaml:2 the variable Bad_KEY is not set');
      expect(keyless.code).toBe(3);
    } finally {
      await Promise.all(services.map((service) => service.close()));
    }
  },
);
