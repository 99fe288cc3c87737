import { type Answer, type Asked, judgeDocument, newKey, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * Where the document leaves a key to the client, what the key adds is no accusation; refusing the
 * client without one is.
 */

const key = newKey();
const carriesKey = ({ headers }: Asked): boolean => headers.authorization === `Bearer ${key}`;
const responses = { default: { description: '-' } };
const document = documentOf({
  paths: {
    '/extra': { get: { operationId: 'getExtra', security: [{}, { key: [] }], responses } },
    '/things': { get: { operationId: 'listThings', security: [{ key: [] }], responses } },
  },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
});

const ok = (body: unknown): Answer => ({ status: 200, body });
const refusedInBody = ok({ code: 401, message: 'A key is needed.', data: null });

const cases: readonly (readonly [
  what: string,
  open: Answer,
  keyed: Answer,
  outcome: 'passed' | 'failed',
  refusal?: Answer,
])[] = [
  ['nobody, and somebody', ok({ anonymous: true }), ok({ id: 7, email: 'q@example.org', name: 'Quentin' }), 'passed'],
  ['an empty cart, and a filled one', ok({ lines: [], count: 0 }), ok({ lines: [{ sku: 'A1' }], count: 1 }), 'passed'],
  ['an empty feed, and a filled one', ok([]), ok([{ sku: 'A1' }]), 'passed'],
  ['a refusal', unauthorized, ok([{ sku: 'A1' }]), 'failed'],
  ['a refusal in the body', refusedInBody, ok({ code: 0, data: [{ sku: 'A1' }] }), 'failed', refusedInBody],
];

for (const [what, open, keyed, outcome, refusal = unauthorized] of cases)
  test(`${what}: ${outcome}`, async () => {
    const run = await judgeDocument(
      document,
      (asked) => {
        if (asked.path === '/extra') return carriesKey(asked) ? keyed : open;
        if (asked.path === '/things') return carriesKey(asked) ? { status: 200, body: things } : refusal;
        return { status: 404, body: { detail: 'Not found.' } };
      },
      { settings: { API_KEY: key }, only: ['AUTH-4'] },
    );
    const check = run.check('opens-without-credentials@getExtra');
    expect(check.outcome, check.reason).toBe(outcome);
    if (outcome === 'passed') expect(check.note).toContain('leaves to the client');
  });
