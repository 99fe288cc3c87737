import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Results } from '../../../src/engine/results.js';
import { app } from '../support/app.js';
import { type Answer, newKey, notFound, serving, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { playwright } from '../support/front-end.js';
import { expect, inCi, test } from '../support/test.js';

test('what was judged with values that were read is judged again, and holds none of them', inCi, async ({ cwd }) => {
  const key = newKey();
  const read = (operationId: string): object => ({
    get: { operationId, security: [{ key: [] }], responses: { '200': { description: '-' } } },
  });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const document = documentOf({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/things': read('listThings'),
      '/things/{id}': { parameters: [id], ...read('getThing') },
      '/parts/{id}': { parameters: [id], ...read('getPart') },
    },
  });
  writeFileSync(join(cwd, 'openapi.yaml'), stringify(document));
  const bodies: Readonly<Record<string, unknown>> = { '/things': things, '/things/71235': things.results[0] };
  await serving(
    ({ path, headers }): Answer => {
      if (!/^\/(?:things|parts)/.test(path)) return notFound;
      if (headers.authorization !== `Bearer ${key}`) return unauthorized;
      const body = bodies[path];
      return body === undefined ? notFound : { status: 200, body };
    },
    async ({ baseUrl, cert }) => {
      writeFileSync(join(cwd, 'ca.pem'), cert);
      const env = {
        BASE_URL: baseUrl,
        HTTP_BASE_URL: 'none',
        API_KEY: key,
        CA_FILE: 'ca.pem',
        CONTRACT: 'openapi.yaml',
      };
      const { output } = await playwright(cwd, env, [
        ...['--workers', '2'],
        ...['--grep', 'refuses-missing-key@|takes-key-where-documented@'],
      ]);
      const text = readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8');
      const { recording, operations } = JSON.parse(text) as Results;
      expect(recording.values?.filled, output).toEqual({ getThing: { id: '<ID_1>' } });
      expect(Object.keys(recording.values?.invented ?? {})).toEqual(['getPart']);
      expect(operations.map(({ id: each, judged }) => [each, judged])).toEqual([
        ['listThings', true],
        ['getThing', true],
        ['getPart', true],
      ]);
      expect(text).not.toContain('71235');
    },
  );
  const again = await app(['judge', 'reports/conformance/results.json'], { cwd });
  expect(again.err).toBe('');
  expect(again.out).toContain('Nothing changed');
});
