import {
  type Answer,
  type Handler,
  judgeDocument,
  newKey,
  notFound,
  things,
  unauthorized,
} from '../support/document-server.js';
import { expect, test } from '../support/test.js';

/** A public operation that is answered with an error, whoever asks. */

const key = newKey();
const answers = { responses: { default: { description: 'Not stated.' } } };
const scheme = { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } };

const broken: Answer = { status: 500, body: { error: 'version.json is missing' } };

const judged = (hasScheme: boolean, version = broken, refusal = unauthorized) => {
  const handler: Handler = ({ path, headers }) => {
    if (path === '/version') return version;
    if (path !== '/things') return notFound;
    return !hasScheme || headers['x-api-key'] === key ? { status: 200, body: things } : refusal;
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
  return judgeDocument(document, handler, { settings: { PROBES: 'standard', ...(hasScheme ? { API_KEY: key } : {}) } });
};

for (const hasScheme of [true, false])
  test(`is told as that, and not as one that needs a key, ${hasScheme ? 'with' : 'without'} a scheme`, async () => {
    const { results } = await judged(hasScheme);
    const check = results.checks.find(({ id }) => id === 'opens-without-credentials@readVersion');
    expect([check?.outcome, check?.cause?.id]).toEqual(['inconclusive', 'server-error']);
    expect(results.causes?.map(({ title }) => title)).toContain('GET /version fails with a server error (500)');
  });

const switchedOff: Answer = { status: 403, body: { error: 'Registration is closed.' } };
const forbidden: Answer = { status: 403, body: { error: 'Not allowed.' } };
for (const [what, version, refusal, outcome] of [
  ['a 403 that no protected operation gives is not about the key', switchedOff, unauthorized, 'inconclusive'],
  ['another 403 than protected operations give is not about the key', switchedOff, forbidden, 'inconclusive'],
  ['the 403 of protected operations asks for credentials', forbidden, forbidden, 'failed'],
  ['a 401 asks for credentials', unauthorized, forbidden, 'failed'],
] as const)
  test(`that is refused: ${what}`, async () => {
    const { results } = await judged(true, version, refusal);
    const check = results.checks.find(({ id }) => id === 'opens-without-credentials@readVersion');
    expect([check?.outcome, check?.cause?.id]).toEqual([outcome, 'refused-though-public']);
  });

test('a public list that is longer with the key passes, with a note that says so', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': { get: { operationId: 'listThings', security: [], ...answers } },
      '/own': { get: { operationId: 'listOwn', security: [{ key: [] }], ...answers } },
    },
    components: { securitySchemes: scheme },
  };
  const judgedWith = async (open: object) => {
    const handler: Handler = ({ path, headers }) => {
      const isKeyed = headers['x-api-key'] === key;
      if (path === '/things') return { status: 200, body: isKeyed ? things : open };
      return path !== '/own' ? notFound : isKeyed ? { status: 200, body: [{ id: 1 }] } : unauthorized;
    };
    const { results } = await judgeDocument(document, handler, { settings: { API_KEY: key, PROBES: 'standard' } });
    return results.checks.find(({ id }) => id === 'opens-without-credentials@listThings');
  };
  const [shorter, whole] = [
    await judgedWith({ ...things, results: things.results.slice(0, -1) }),
    await judgedWith(things),
  ];
  expect([shorter?.outcome, shorter?.note]).toEqual(['passed', expect.stringContaining('it gives 1 item more')]);
  expect([whole?.outcome, whole?.note]).toEqual(['passed', undefined]);
});
