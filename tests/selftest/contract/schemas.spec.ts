import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { asset } from '../../../src/package.js';
import { expect, test } from '../support/test.js';

const folder = asset('src', 'contract', 'schemas');

test('the official schemas are what the README beside them says', () => {
  const readme = readFileSync(`${folder}/README.md`, 'utf8');
  const named = Object.fromEntries(
    [...readme.matchAll(/`(openapi-\S+)` .*`([0-9a-f]{64})`/g)].map(([, file, sum]) => [file, sum]),
  );
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const found = files.map((name) => [
    name,
    createHash('sha256')
      .update(readFileSync(`${folder}/${name}`))
      .digest('hex'),
  ]);
  expect(Object.fromEntries(found)).toEqual(named);
  expect(files.sort()).toEqual(['openapi-3.0.json', 'openapi-3.1.json', 'openapi-3.2.json']);
});
