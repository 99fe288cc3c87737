import { judgeReference } from '../support/judge.js';
import { expect, test } from '../support/test.js';

test('a certificate that names its host in the common name alone is not for that host', async () => {
  const run = await judgeReference({
    service: { certificate: 'common-name-only', host: 'localhost' },
    only: ['HTTPS-1'],
  });
  expect(run.check('serves-https').outcome).toBe('failed');
  expect(run.check('serves-https').reason).toContain('names no host');
});
