import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../support/app.js';
import { expect, inCi, test } from '../support/test.js';

test('a table of clauses by runs, differences first, and 1 when a later run is worse', inCi, async ({ cwd }) => {
  const judge = (dir: string, ...flags: string[]) =>
    app(
      [
        'run',
        '--reference',
        '--quiet',
        '--only',
        'refuses-missing-key,HTTPS-1',
        '--probes',
        'standard',
        '--reports-dir',
        dir,
        ...flags,
      ],
      { cwd },
    );
  await judge('good');
  await judge('bad', '--fault', 'no-key-asked');
  const [good, bad] = ['good/conformance/results.json', 'bad/conformance/results.json'] as const;
  const worse = await app(['compare', good, bad], { cwd });
  const [head, verdicts, first] = worse.out.split('\n');
  expect(head).toMatch(/^ +reference service +reference service \(no-ke/);
  expect(verdicts).toMatch(/^verdict +conformant +non-conformant$/);
  expect(first).toMatch(/^AUTH-3 +✓ passed +✗ failed$/);
  expect(worse.out).toMatch(/^HTTPS-1 +✓ passed +✓ passed$/m);
  expect(worse.out).toMatch(/^new +GET \/api\/v2\/workout\/ opens without a key$/m);
  expect(worse.out).toContain('(conformant → non-conformant)');
  expect(worse.out).toContain('worse refuses-missing-key@listWorkouts');
  expect(worse.code).toBe(1);
  expect(existsSync(join(cwd, 'reports/compare.html'))).toBe(true);
  expect((await app(['compare', good, bad, '--fail-on', 'never'], { cwd })).code).toBe(0);
  const better = await app(['compare', bad, good, '--reports-dir', 'matrix'], { cwd });
  expect(better.code).toBe(0);
  expect(existsSync(join(cwd, 'matrix/compare.html'))).toBe(true);
  expect((await app(['compare', good], { cwd })).code).toBe(3);
  const missing = await app(['compare', good, 'nowhere.json'], { cwd });
  expect(missing.err).toContain('nowhere.json');
  expect(missing.code).toBe(3);
});
