import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { missingValuesLine, parametersSkeleton } from '../../../src/cli/operation-words.js';
import { contractWithSources } from '../../../src/engine/values/recording.js';
import { app } from '../support/app.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const text = { in: 'path', required: true, schema: { type: 'string' } };
const owner = { ...text, name: 'owner', description: 'Who it belongs to.\nMore of it.' };
const repo = { ...text, name: 'repo' };
const get = (operationId: string, ...parameters: readonly object[]) => ({
  get: operationOf({ operationId, parameters }),
});

const paths = {
  '/things': get('listThings'),
  '/things/{id}': get('getThing', { ...text, name: 'id' }),
  '/repos/{owner}/{repo}': get('getRepo', owner, repo),
  '/repos/{owner}/{repo}/keys': get('listKeys', owner, repo),
  '/orgs/{org}': get('getOrg', { ...text, name: 'org' }),
};

test('plan says which names would open most of what a run would not find by itself', async () => {
  const contract = await loadFiles({ 'a.yaml': documentOf({ paths }) });
  const line = missingValuesLine(contract, contractWithSources(contract));
  expect(line).toMatch(/^Values from answers of the service: 1 of 4 reads without a value\./);
  for (const name of ['"owner"', '"repo"', '"org"']) expect(line).toContain(name);
  expect(line).toContain('would open 3 of 3 others');
});

test('the skeleton names what is missing in the order of paths, with types and descriptions', async () => {
  const skeleton = parametersSkeleton(contractWithSources(await loadFiles({ 'a.yaml': documentOf({ paths }) })));
  expect(skeleton.split('\n').slice(2, 5)).toEqual([
    '# getRepo:',
    '#   owner:   # path, string, Who it belongs to.',
    '#   repo:   # path, string',
  ]);
  expect(skeleton).not.toContain('getThing');
  expect(skeleton).not.toContain('IDENTITIES');
});

const ownedRuns = (example?: string): object => {
  const user = { ...text, name: 'user_id', ...(example ? { example } : {}) };
  const operation = operationOf({ operationId: 'runs', parameters: [user], security: [{ key: [] }] });
  const components = { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } };
  const path = { '/users/{user_id}/runs': { get: { ...operation, 'x-access-owned': true } } };
  return documentOf({ components, paths: path });
};

test('the skeleton leaves accounts to IDENTITIES, where the document says what belongs to one', async () => {
  const skeleton = parametersSkeleton(contractWithSources(await loadFiles({ 'a.yaml': ownedRuns() })));
  expect(skeleton).toContain('owns in IDENTITIES');
});

test('a plan names the account of the key in place of an example of one', async () => {
  const identities = [{ name: 'ada', peers: [], owns: 'digest' }];
  for (const example of [undefined, '-']) {
    const contract = contractWithSources(await loadFiles({ 'a.yaml': ownedRuns(example) }), identities);
    expect(contract.operations.map(({ target }) => target)).toEqual(['/users/<ID_OF_ADA>/runs']);
  }
});

test('plan --parameters-skeleton prints the skeleton, and --parameters takes a file', async ({ cwd }) => {
  writeFileSync(join(cwd, 'openapi.yaml'), stringify(documentOf({ paths })));
  const args = ['plan', '--base-url', 'https://a.invalid'];
  const skeleton = await app([...args, '--contract', 'openapi.yaml', '--parameters-skeleton'], { cwd });
  expect(skeleton.out).toContain('#   owner:');
  const named = await app([...args, '--contract', 'openapi.yaml', '--parameters', 'nowhere.yaml'], { cwd });
  expect(named.err).toContain('nowhere.yaml');
});
