import { refuseEncodedKeys, withoutKeys } from '../../../src/app/keys-in-contract.js';
import { readSettings } from '../../../src/settings/settings.js';
import { loadFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

test('a key that a document holds as an example is a placeholder in what is planned and written', async ({ cwd }) => {
  const key = 'QmxKpLwZtRvBnHsDfGjk';
  const contract = await loadFiles({
    'openapi.json': JSON.stringify({
      openapi: '3.1.0',
      info: { title: `Things of ${key}`, version: '1' },
      paths: {
        '/things': {
          get: {
            operationId: 'listThings',
            security: [{ key: [] }],
            parameters: [
              { name: 'X-Client', in: 'header', required: true, example: `app ${key}`, schema: { type: 'string' } },
            ],
            responses: { default: { description: '-' } },
          },
        },
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    }),
  });
  const settings = readSettings({ env: { BASE_URL: 'https://things.example', API_KEY: key }, cwd });
  const hidden = withoutKeys(contract, settings);
  expect(hidden.operations[0]?.headers).toEqual([['X-Client', 'app <API_KEY>']]);
  expect(hidden.title).toBe('Things of <API_KEY>');
});

test('a user and a password that are encoded already are no key, and other keys are', async () => {
  const contractOf = (scheme: string) =>
    loadFiles({
      'openapi.json': JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Things', version: '1' },
        paths: {
          '/things': {
            get: { operationId: 'listThings', security: [{ key: [] }], responses: { default: { description: '-' } } },
          },
        },
        components: { securitySchemes: { key: { type: 'http', scheme } } },
      }),
    });
  const [basic, bearer] = [await contractOf('basic'), await contractOf('bearer')];
  const encoded = ['ann:correct horse', 'ann:', 'app-4711:c2VjcmV0'].map((plain) => btoa(plain));
  for (const key of [...encoded, ...encoded.map((each) => each.replace(/=+$/, ''))]) {
    expect(() => refuseEncodedKeys(basic, { keys: { API_KEY: key } })).toThrow(/API_KEY.*in base64 already/s);
    expect(() => refuseEncodedKeys(bearer, { keys: { API_KEY: key } })).not.toThrow();
  }
  for (const key of ['ann:correct horse', `ann:${btoa('ann:x')}`, 'QmxKpLwZtRvBnHsDfGjk', 'abcd', btoa(':x')])
    expect(() => refuseEncodedKeys(basic, { keys: { API_KEY: key } })).not.toThrow();
});
