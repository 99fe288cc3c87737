import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { judge } from '../../../src/app/judge.js';
import { asset } from '../../../src/package.js';
import { startReference } from '../../../src/reference/index.js';
import { consoleSummary } from '../../../src/report/console.js';
import { withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** Keys of several identities are in nothing that a run writes, in no spelling, also where the server echoes them. */

const ada = 'Ada7Key+with/odd=chars.0123456789abcdef';
const ben = 'ben-key-0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const identities = `- { name: me, peers: [ada], scopes: [member], owns: me }
- { name: ada, keys: { apiKey: { variable: API_KEY_ADA } }, scopes: [member], owns: ada }
- { name: ben, keys: { apiKey: { file: ben.key } }, scopes: [] }
`;
const overlay = `overlay: 1.0.0
info: { title: Whose workouts, version: 1.0.0 }
actions:
  - target: $.paths['/api/v2/workout/'].get
    update: { x-access-owned: true, security: [{ apiKey: [member] }] }
`;

const spellings = (key: string): readonly string[] => [
  key,
  encodeURIComponent(key),
  encodeURIComponent(encodeURIComponent(key)),
  JSON.stringify(key).slice(1, -1),
  key.toUpperCase(),
  key.toLowerCase(),
  [...key].reverse().join(''),
  Buffer.from(key).toString('base64'),
  Buffer.from(key).toString('base64').replaceAll('=', ''),
  Buffer.from(key).toString('base64url'),
  Buffer.from(key).toString('hex'),
  key.slice(0, 20),
  key.slice(-20),
];

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });

const textOf = (path: string): string => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
};

test('keys of several identities are in no report, in no form', async ({ cwd }) => {
  const service = await startReference({
    pages: (keys) => {
      keys.set(ada, 'ada');
      keys.set(ben, 'ben');
      return () => false;
    },
  });
  try {
    await withFiles({ 'identities.yaml': identities, 'ben.key': `${ben}\n`, 'overlay.yaml': overlay }, async (path) => {
      const run = await judge({
        baseUrl: service.baseUrl,
        httpBaseUrl: service.httpBaseUrl,
        caFile: service.caFile,
        apiKey: service.key,
        keys: { API_KEY_ADA: ada },
        identities: path('identities.yaml'),
        overlay: [path('overlay.yaml')],
        contract: asset('openapi', 'fitness-data-service.yaml'),
        evidence: 'full',
      });
      await run.writeReports(cwd);
      const { results } = run;
      expect(results.identities?.map(({ name }) => name)).toEqual(['nobody', 'invalid key', 'me', 'ada', 'ben']);
      expect(results.checks.find(({ rule }) => rule === 'keeps-lists-apart')?.outcome).toBeDefined();
      const all = [
        ...filesIn(cwd).map((file) => [file, textOf(file)] as const),
        ['the console', consoleSummary(results, { color: false, width: 100 })] as const,
      ];
      expect(all.length).toBeGreaterThan(5);
      for (const [file, text] of all)
        for (const key of [ada, ben, service.key])
          for (const spelling of spellings(key)) expect(text.includes(spelling), `${file}: ${spelling}`).toBe(false);
      await run.dispose();
    });
  } finally {
    await service.close();
  }
});
