import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** A page that two operations give to a browser without the key tells nothing of either. */

const key = newKey();
const read = (operationId: string) => ({
  get: { operationId, security: [{ key: [] }], responses: { default: { description: '-' } } },
});
const document = documentOf({
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  paths: { '/things': read('listThings'), '/reports': read('listReports') },
});

const page = (body: string): Answer => ({ status: 200, type: 'text/html', body });
const text = (path: string): string =>
  things.results.map(({ name }) => `<p>${path === '/things' ? 'Thing' : 'Report on'} ${name}</p>`).join('');

const judge = async (nobody: (path: string) => Answer) => {
  const { check } = await judgeDocument(
    document,
    ({ path, headers }): Answer => {
      const isPage = headers.accept?.includes('text/html') === true;
      if (path !== '/things' && path !== '/reports') return isPage ? page('<h1>No such page</h1>') : notFound;
      if (headers['x-api-key'] !== key) return isPage ? nobody(path) : unauthorized;
      return isPage ? page(text(path)) : { status: 200, body: path === '/things' ? things : { ...things, of: 'all' } };
    },
    { settings: { API_KEY: key } },
  );
  return check('refuses-proxy-fields@listThings');
};

test('a page of two operations is a refusal', async () => {
  expect(await judge(() => page('NOT_AUTHENTICATED'))).toMatchObject({ outcome: 'passed' });
});

test('a page of one operation is not', async () => {
  const finding = await judge((path) => page(`<p>All about ${path.slice(1)}</p>`));
  expect(finding).toMatchObject({ outcome: 'inconclusive', cause: { id: 'unclear-answer' } });
});

test('a page with the texts of the key is none, wherever it is given', async () => {
  expect((await judge(() => page(text('/things')))).outcome).not.toBe('passed');
});
