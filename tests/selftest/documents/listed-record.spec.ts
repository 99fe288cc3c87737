import { type Answer, judgeDocument, newKey, notFound, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** A record in which all lists are empty is known as a record by the list that it is a row of. */

const key = newKey();
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const read = { get: { security: [{ key: [] }], responses: { '200': { description: '-' } } } };
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: { '/jobs': read, '/jobs/{id}': { parameters: [id], ...read } },
});

const service = { node: 'eu-west-1a-77', build: '2c26b46b68ffc68f' };
const jobs = ['5f3e8a91c2d4', '5f3e8a91c2d5', '5f3e8a91c2d6'].map((job, index) => ({
  id: job,
  tool: `upload-${index + 1}`,
  created: `2024-05-0${index + 1}T10:00:00Z`,
}));
const whole = (job: object): object => ({ ...service, ...job, command: 'cat notes.txt', inputs: [], outputs: [] });

/** @param withoutKey what a client without the key gets of a job */
const judged = (withoutKey: (job: object) => Answer) =>
  judgeDocument(
    document,
    ({ path, headers }) => {
      const isKeyed = headers.authorization === `Bearer ${key}`;
      if (path === '/jobs') return isKeyed ? { status: 200, body: jobs } : unauthorized;
      const job = jobs.find((each) => path === `/jobs/${each.id}`);
      if (!job) return notFound;
      return isKeyed ? { status: 200, body: whole(job) } : withoutKey(job);
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );

test('most of its members are a record of the owner', async () => {
  const run = await judged((job) => ({ status: 200, body: { ...service, ...job, inputs: [], outputs: [] } }));
  expect(run.check('refuses-missing-key@GET /jobs/{id}')).toMatchObject({
    outcome: 'failed',
    cause: { id: 'opens-without-key' },
  });
});

test('a refusal in the same envelope, beside its empty lists, opens nothing', inCi, async () => {
  const refusal = { ...service, error: 'A key is needed.', inputs: [], outputs: [] };
  const run = await judged(() => ({ status: 200, body: refusal }));
  expect(run.failedClauses).toEqual([]);
});
