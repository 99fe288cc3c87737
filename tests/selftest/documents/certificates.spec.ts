import { authority, certificate } from '../support/certificates.js';
import { notFound, serving, tokenList } from '../support/document-server.js';
import { withFiles } from '../support/documents.js';
import { judgeReference, judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

test('a certificate that names its host in the common name alone is not for that host', async () => {
  const run = await judgeReference({
    service: { certificate: 'common-name-only', host: 'localhost' },
    only: ['HTTPS-1'],
  });
  expect(run.check('serves-https').outcome).toBe('failed');
  expect(run.check('serves-https').reason).toContain('names no host');
});

test('a certificate whose issuer is no authority is told as that, and not as one of an unknown issuer', async () => {
  const root = await authority();
  const issuer = await certificate({ issuer: root, commonName: 'no authority' });
  const leaf = await certificate({ issuer });
  const judged = ({ baseUrl }: { readonly baseUrl: string }) =>
    withFiles({ 'openapi.yaml': tokenList, 'ca.pem': root.cert }, (path) =>
      judgeRunning(
        { baseUrl, caFile: path('ca.pem') },
        { contract: path('openapi.yaml'), settings: { HTTP_BASE_URL: 'none' }, only: ['HTTPS-1'] },
      ),
    );
  const { results } = await serving(() => notFound, judged, { ...leaf, cert: leaf.cert + issuer.cert });
  expect(results.causes?.map(({ outcome, title }) => `${outcome}: ${title}`)).toEqual([
    'inconclusive: A certificate of the chain is not made for servers',
  ]);
});
