import { type Asked, judgeDocument, newKey, notFound, tokenComponents } from '../support/document-server.js';
import { operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** A gate refuses a request without a key, and what is behind it refuses a wrong one, in another form. */

const key = newKey();
const meta = {
  plugin: { type: 'openapi/v0.0.38', name: 'Cluster OpenAPI v0.0.38' },
  version: { major: 22, micro: 8, minor: 5 },
  release: '22.05.8',
};
const owned: Readonly<Record<string, object>> = {
  '/jobs': { jobs: [40_112, 40_119, 40_126].map((id, at) => ({ id, day: `2024-03-0${at + 1}`, name: `Job ${at}` })) },
  '/nodes': { nodes: [{ name: 'node-1', address: '127.0.0.1', booted: 1_710_000_000 }] },
  '/licenses': { licenses: [] },
  '/pings': { pings: [{ hostname: 'node-1', mode: 'primary', status: 0 }] },
};

/** Outcomes of what was asked with made-up keys, by operation. */
const outcomesWith = async (refusal: (asked: Asked) => object): Promise<Readonly<Record<string, string>>> => {
  const security = [{ key: [] }];
  const document = {
    openapi: '3.1.0',
    info: { title: 'A cluster', version: '1' },
    components: tokenComponents,
    paths: Object.fromEntries(Object.keys(owned).map((path) => [path, { get: operationOf({ security }) }])),
  };
  const { results } = await judgeDocument(
    document,
    (asked) => {
      const own = owned[asked.path];
      const given = asked.headers.authorization;
      if (given === undefined) return { status: 401, body: { detail: 'Authentication failure' } };
      if (!own) return notFound;
      if (given === `Token ${key}`) return { status: 200, body: { meta, errors: [], ...own } };
      return { status: 500, body: { meta, ...refusal(asked) } };
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
  const asked = results.checks.filter(({ rule }) => rule === 'refuses-worthless-keys');
  return Object.fromEntries(asked.map(({ operation, outcome }) => [operation, outcome]));
};

const errors = [{ error: 'Unspecified error', number: -1 }];

test('is no riddle where all answers have a frame', async () => {
  expect(Object.values(await outcomesWith(() => ({ errors })))).toEqual(['passed', 'passed', 'passed', 'passed']);
});

test('is not passed where it gives what the key gets', async () => {
  const outcomes = await outcomesWith(({ path }) => ({ errors, ...owned[path] }));
  // The key itself gets no licenses, so there is nothing to show.
  expect(Object.keys(outcomes).filter((id) => outcomes[id] === 'passed')).toEqual(['GET /licenses']);
});

test('is not passed where two operations of one resource give a record of it', async () => {
  const outcomes = await outcomesWith(({ path }) => ({ errors, ...(path === '/licenses' ? {} : owned['/jobs']) }));
  expect(outcomes['GET /jobs']).not.toBe('passed');
});
