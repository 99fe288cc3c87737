import { judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { protectedList as document } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** A gateway in front of a service that closes the connection at large header sections. */

const key = newKey();
const tooLarge = (headers: object): boolean => JSON.stringify(headers).length > 4_096;

for (const [everywhere, outcome] of [
  [true, 'passed'],
  [false, 'inconclusive'],
] as const)
  test(
    `502 at a large request ${everywhere ? 'wherever it is sent is a refusal' : 'at the operation alone is no answer'}`,
    everywhere ? {} : inCi,
    async () => {
      const { check } = await judgeDocument(
        document,
        ({ path, headers }) => {
          if (tooLarge(headers) && (everywhere || path === '/things/')) return { status: 502, body: 'Bad Gateway' };
          if (path !== '/things/') return notFound;
          return headers.authorization === `Bearer ${key}` ? { status: 200, body: things } : unauthorized;
        },
        { settings: { API_KEY: key }, only: ['refuses-proxy-fields'] },
      );
      expect(check('refuses-proxy-fields').outcome).toBe(outcome);
    },
  );
