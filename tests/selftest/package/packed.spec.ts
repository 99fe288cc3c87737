import { statSync } from 'node:fs';
import { stagePackage } from '../support/staged-package.js';
import { expect, test } from '../support/test.js';

/** What npm would publish. */

const bytesAllowed = 770_000;

test('holds what it needs and nothing else, and is small', async () => {
  const staged = stagePackage();
  const { tarball, files } = await staged.pack();
  const bytes = statSync(tarball).size;
  staged.remove();
  for (const needed of [
    'package.json',
    'LICENSE',
    '.env.example',
    'dist/src/index.js',
    'dist/src/index.d.ts',
    'dist/src/cli/main.js',
    'dist/playwright.config.js',
    'dist/tests/conformance/conformance.spec.js',
    'openapi/fitness-data-service.yaml',
    'specs/access-contract.md',
    'schema/results.schema.json',
    'src/contract/schemas/openapi-3.1.json',
    'dist/src/contract/compiled/openapi-3.1.cjs',
    'assets/page.css',
    'docs/implementing.md',
  ])
    expect(files).toContain(needed);
  const strangers = files.filter(
    (path) => /selftest|bench|\.tsx?$|\.png$|\.env$/.test(path) && !path.endsWith('.d.ts'),
  );
  expect(strangers).toEqual([]);
  expect(bytes).toBeLessThan(bytesAllowed);
});
