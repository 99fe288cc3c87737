import { judge } from '../../../src/app/judge.js';
import { asset } from '../../../src/package.js';
import { startReference } from '../../../src/reference/index.js';
import { consoleSummary } from '../../../src/report/console.js';
import { filesIn, formsOf, unpackedWhole } from '../support/artefacts.js';
import { withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/**
 * Keys of several identities are in nothing that a run writes, in no spelling, also where the
 * server echoes them.
 */

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
        probes: 'standard',
      });
      await run.writeReports(cwd);
      const { results } = run;
      expect(results.identities?.map(({ name }) => name)).toEqual(['nobody', 'invalid key', 'me', 'ada', 'ben']);
      expect(results.checks.find(({ rule }) => rule === 'keeps-lists-apart')?.outcome).toBeDefined();
      const summary = consoleSummary(results, { color: false, width: 100 });
      const all = [...filesIn(cwd), ['the console', Buffer.from(summary)] as const];
      expect(all.length).toBeGreaterThan(5);
      for (const [file, bytes] of all)
        for (const text of unpackedWhole(bytes).map((part) => part.toString('latin1')))
          for (const form of [ada, ben, service.key].flatMap(formsOf))
            expect(text.includes(form), `${file}: ${form}`).toBe(false);
      await run.dispose();
    });
  } finally {
    await service.close();
  }
});

test('a key is found in the forms in which something may hold it', () => {
  for (const held of [
    ...['', 'T', 'To', 'Token ', 'user:'].map((before) => Buffer.from(`${before}${ada}\n`).toString('base64')),
    Buffer.from(`Token ${ada}`).toString('base64url'),
    encodeURIComponent(Buffer.from(`Token ${ada}`).toString('base64')),
    `a%20${encodeURIComponent(ada)}`,
    JSON.stringify({ inner: JSON.stringify({ key: ada }) }),
    ada.slice(0, 30),
    Buffer.from(ada, 'utf16le').toString('latin1'),
  ])
    expect(
      formsOf(ada).some((form) => held.includes(form)),
      held,
    ).toBe(true);
});
