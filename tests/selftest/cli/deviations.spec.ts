import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { expect, inCi, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

const withService = async (
  options: Parameters<typeof startReference>[0],
  work: (run: (...flags: string[]) => ReturnType<typeof app>, requests: () => number) => Promise<void>,
  cwd: string,
): Promise<void> => {
  const service = await startReference(options);
  const env = {
    BASE_URL: service.baseUrl,
    HTTP_BASE_URL: service.httpBaseUrl,
    CA_FILE: service.caFile,
    API_KEY: service.key,
    PROBES: 'standard',
  };
  try {
    await work(
      (...flags) => app(['run', '--only', 'takes-no-other-format,refuses-missing-key,HTTPS-1', ...flags], { cwd, env }),
      () => service.requests,
    );
  } finally {
    await service.close();
  }
};

test('from a failing run to a deviating one, and back when the server is mended', inCi, async ({ cwd }) => {
  const file = join(cwd, 'deviations.yaml');
  await withService(
    { fault: 'no-key-asked' },
    async (run) => {
      expect((await run('--write-deviations')).code).toBe(1);
      const proposed = readFileSync(file, 'utf8');
      const refused = await run('--deviations', 'deviations.yaml');
      expect(refused.err).toMatch(/deviations\.yaml:\d+ .*has no reason/);
      expect(refused.code).toBe(3);
      writeFileSync(file, proposed.replaceAll('reason: ""', 'reason: known since spring'));
      const deviating = await run('--deviations', 'deviations.yaml');
      expect(deviating.out).toContain('Deviating:');
      expect(deviating.out).toContain('Known and accepted: known since spring');
      expect(deviating.code).toBe(0);
      const results = resultsIn(cwd);
      expect(results.verdict).toBe('deviating');
      const [check] = results.checks.filter(({ id }: { id: string }) => id === 'refuses-missing-key@listWorkouts');
      expect(check).toMatchObject({ outcome: 'failed', deviation: { reason: 'known since spring' } });
      // What is stale is told, and hides nothing that is broken.
      writeFileSync(join(cwd, 'other.yaml'), '- {check: serves-https@service, reason: the old certificate}\n');
      const both = await run('--deviations', 'other.yaml');
      expect(both.err).toContain('other.yaml:1 the deviation of serves-https@service is stale');
      expect(both.code).toBe(1);
    },
    cwd,
  );
  await withService(
    {},
    async (run) => {
      const { code, err } = await run('--deviations', 'deviations.yaml');
      expect(err).toMatch(/deviations\.yaml:\d+ the deviation of refuses-missing-key@listWorkouts is stale/);
      expect(code).toBe(3);
      // The reports are there all the same.
      expect(resultsIn(cwd).verdict).toBe('conformant');
      for (const [name, said] of [
        ['summary.md', /Stale deviations/],
        ['index.html', /refuses-missing-key@listWorkouts is stale/],
      ] as const)
        expect(readFileSync(join(cwd, 'reports/conformance', name), 'utf8')).toMatch(said);
    },
    cwd,
  );
});

test('a file that cannot be right is refused before anything is sent', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, 'known.yaml'), '- check: refuses-missing-key@nobody\n  reason: x\n');
  await withService(
    {},
    async (run, requests) => {
      const before = requests();
      const { code, err } = await run('--deviations', 'known.yaml');
      expect(err).toContain('known.yaml:1 no check is called refuses-missing-key@nobody');
      expect(code).toBe(3);
      expect(requests()).toBe(before);
      expect(existsSync(join(cwd, 'reports/conformance/results.json'))).toBe(false);
    },
    cwd,
  );
});

test('STRICT: a lenient finding that is known is deviating too', inCi, async ({ cwd }) => {
  writeFileSync(join(cwd, 'known.yaml'), '- check: takes-no-other-format@*\n  reason: old clients\n');
  await withService(
    { variant: 'scheme-in-any-case' },
    async (run) => {
      expect((await run('--strict')).code).toBe(1);
      const { code, out } = await run('--strict', '--deviations', 'known.yaml');
      expect(out).toContain('Deviating:');
      expect(code).toBe(0);
    },
    cwd,
  );
});
