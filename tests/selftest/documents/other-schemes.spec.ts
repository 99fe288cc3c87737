import { type Asked, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** A document with two keys: one for browsers, and one that opens more. */

const [publishable, secret] = [newKey(), newKey()];
const responses = { default: { description: '-' } };
const read = (operationId: string, scheme: string): object => ({
  get: { operationId, security: [{ [scheme]: [] }], responses },
});
const document = documentOf({
  components: {
    securitySchemes: {
      publishable: { type: 'apiKey', in: 'header', name: 'X-Publishable-Key' },
      secret: { type: 'http', scheme: 'bearer' },
    },
  },
  paths: { '/things': read('listThings', 'publishable'), '/accounts': read('listAccounts', 'secret') },
});

const settings = { API_KEY_PUBLISHABLE: publishable, API_KEY_SECRET: secret };

const judged = (opensAccounts: (asked: Asked) => boolean) =>
  judgeDocument(
    document,
    (asked) => {
      const opens = {
        '/things': asked.headers['x-publishable-key'] === publishable,
        '/accounts': opensAccounts(asked),
      };
      const isOpen = Object.entries(opens).find(([path]) => path === asked.path)?.[1];
      return isOpen === undefined ? notFound : isOpen ? { status: 200, body: things } : unauthorized;
    },
    { settings },
  );

const hasSecret = ({ headers }: Asked): boolean => headers.authorization === `Bearer ${secret}`;

test('an operation that also opens to a key which the document lists elsewhere is lenient', async () => {
  const run = await judged((asked) => hasSecret(asked) || asked.headers['x-publishable-key'] === publishable);
  const { outcome, reason, cause } = run.check('takes-key-nowhere-else@listAccounts');
  expect(outcome).toBe('lenient');
  expect(reason).toContain('the key of “publishable”');
  expect(cause?.ways).toEqual(['the key of “publishable”']);
  expect(run.check('takes-key-nowhere-else@listThings').outcome).toBe('passed');
  expect(run.failedClauses).toEqual([]);
});

test('one that opens to its own key alone is not', async () => {
  const run = await judged(hasSecret);
  expect(run.outcomesOf('takes-key-nowhere-else')).toEqual(['passed', 'passed']);
  expect(run.results.verdict).toBe('conformant');
});
