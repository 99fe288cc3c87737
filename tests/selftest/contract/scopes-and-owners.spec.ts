import { ContractError } from '../../../src/contract/errors.js';
import type { Contract } from '../../../src/contract/model.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const schemes = {
  oauth: {
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: { read: '' } } },
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
};

const load = (operation: object, more: object = {}, pathItem: object = {}): Promise<Contract> =>
  loadFiles(
    {
      'a.yaml': documentOf({
        components: { securitySchemes: schemes },
        paths: { '/things': { get: { ...operationOf(), operationId: 'listThings', ...operation }, ...pathItem } },
        ...more,
      }),
    },
    { keys: ['API_KEY_OAUTH', 'API_KEY_API_KEY'], identities: true },
  );

test('every stated set of scopes is kept, alternatives and combinations', async () => {
  const { operations, clauses } = await load({
    security: [{ oauth: ['read'] }, { oauth: ['all'] }, { oauth: ['list'], apiKey: ['admin'] }],
  });
  expect(operations[0]?.requirements).toEqual([
    [{ name: 'oauth', scopes: ['read'] }],
    [{ name: 'oauth', scopes: ['all'] }],
    [
      { name: 'oauth', scopes: ['list'] },
      { name: 'apiKey', scopes: ['admin'] },
    ],
  ]);
  expect(clauses.map(({ id }) => id)).toContain('AUTH-5');
});

test('security without scopes states none', async () => {
  const { operations, clauses, gaps } = await load({ security: [{ oauth: [] }] });
  expect(operations[0]).not.toHaveProperty('requirements');
  expect(clauses.map(({ id }) => id)).not.toContain('AUTH-5');
  expect(gaps.map(({ id }) => id)).toContain('GAP-OWNERSHIP');
});

const security = [{ apiKey: [] }];
for (const [where, operation, more, pathItem, expected] of [
  ['the operation', { security, 'x-access-owned': true, 'x-access-owner': '/owner' }, {}, {}, '/owner'],
  ['the path item', { security }, {}, { 'x-access-owned': true, 'x-access-owner': '/by/id' }, '/by/id'],
  [
    'a tag',
    { security, tags: ['mine'] },
    { tags: [{ name: 'mine', 'x-access-owned': true, 'x-access-owner': '/a~1b' }] },
    {},
    '/a~1b',
  ],
] as const)
  test(`${where} says whose the data is`, async () => {
    const { operations, clauses } = await load(operation, more, pathItem);
    expect(operations[0]).toMatchObject({ owned: true, owner: expected });
    expect(clauses.map(({ id }) => id)).toContain('AUTH-6');
  });

test('the nearest word counts', async () => {
  const { operations } = await load({ security, 'x-access-owned': false }, {}, { 'x-access-owned': true });
  expect(operations[0]).not.toHaveProperty('owned');
});

for (const [member, value, said] of [
  ['x-access-owned', 'yes', 'x-access-owned must be true or false'],
  ['x-access-owner', 'owner', 'x-access-owner must be a JSON Pointer into a row'],
] as const)
  test(`a wrong ${member} is told with its place`, async () => {
    const error = await load({ security, [member]: value }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ContractError);
    expect(String((error as Error).message)).toMatch(new RegExp(`a\\.yaml:\\d+:\\d+ ${said}`));
  });

test('a misspelt extension is pointed out, wherever it stands, and one of somebody else is not', async () => {
  for (const name of ['x-acces-owned', 'x-access-ownd', 'x-Access-Owned', 'x-access_owned']) {
    const { warnings } = await load({ [name]: true });
    expect(warnings.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      expect.stringMatching(/^"[^"]+" is no extension that is read here Did you mean x-access-owned\?$/),
    ]);
  }
  const { warnings } = await load(
    {},
    { tags: [{ name: 'a', 'x-access-ownr': '/owner' }] },
    { 'x-access-wner': '/owner' },
  );
  expect(warnings.map(({ hint }) => hint)).toEqual(['Did you mean x-access-owner?', 'Did you mean x-access-owner?']);
  const others = { 'x-access-level': 'high', 'x-access': true, 'x-owner': 'team', 'x-access-proposed-from': 1 };
  expect((await load(others, { info: { title: 'T', version: '1', ...others } })).warnings).toEqual([]);
});
