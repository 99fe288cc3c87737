import { type Handler, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { expect, test } from '../support/test.js';

/** A public operation that is answered with a server error, whoever asks. */

const key = newKey();
const answers = { responses: { default: { description: 'Not stated.' } } };
const scheme = { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } };

const judged = (hasScheme: boolean) => {
  const handler: Handler = ({ path, headers }) => {
    if (path === '/version') return { status: 500, body: { error: 'version.json is missing' } };
    if (path !== '/things') return notFound;
    return !hasScheme || headers['x-api-key'] === key ? { status: 200, body: things } : unauthorized;
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': { get: { operationId: 'listThings', security: hasScheme ? [{ key: [] }] : [], ...answers } },
      '/version': { get: { operationId: 'readVersion', security: [], ...answers } },
    },
    ...(hasScheme ? { components: { securitySchemes: scheme } } : {}),
  };
  return judgeDocument(document, handler, hasScheme ? { settings: { API_KEY: key } } : {});
};

for (const hasScheme of [true, false])
  test(`is told as that, and not as one that needs a key, ${hasScheme ? 'with' : 'without'} a scheme`, async () => {
    const { results } = await judged(hasScheme);
    const check = results.checks.find(({ id }) => id === 'opens-without-credentials@readVersion');
    expect([check?.outcome, check?.cause?.id]).toEqual(['inconclusive', 'server-error']);
    expect(results.causes?.map(({ title }) => title)).toContain('GET /version fails with a server error (500)');
  });
