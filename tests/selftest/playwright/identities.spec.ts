import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/engine/results.js';
import { type ReferenceOptions, startReference } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { filesIn, formsOf, unpackedWhole } from '../support/artefacts.js';
import { allReporters, type Front, playwright } from '../support/front-end.js';
import { expect, inFull, test } from '../support/test.js';
import { resultsIn } from '../support/written-results.js';

/**
 * Several identities in the Playwright front-end: their keys are in nothing that it leaves, and
 * shards and workers share those that are fetched.
 */

const ada = 'Ada7Key+with/odd=chars.0123456789abcdef';
const ben = 'ben-key-0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const cem = 'Cem_5d0b1c9e8f7a6b5c4d3e2f1a0b9c8d7e';

/** Prints the key of cem, and adds a line to `calls`. */
const program = `require('node:fs').appendFileSync('calls', 'x'); console.log('${cem}');`;

const files = {
  'identities.yaml': `- { name: me, peers: [ada], scopes: [member], owns: me }
- { name: ada, keys: { apiKey: { variable: KEY_OF_ADA } }, scopes: [member], owns: ada }
- { name: ben, keys: { apiKey: { file: ben.key } }, scopes: [] }
- { name: cem, keys: { apiKey: { command: [${process.execPath}, program.cjs] } }, scopes: [member] }
`,
  'overlay.yaml': `overlay: 1.0.0
info: { title: Whose workouts, version: 1.0.0 }
actions:
  - target: $.paths['/api/v2/workout/'].get
    update: { x-access-owned: true, security: [{ apiKey: [member] }] }
`,
  'ben.key': `${ben}\n`,
  'program.cjs': program,
};

/**
 * Runs `use` with the settings of a service that knows all four keys, in a folder outside which its
 * reports are.
 */
const withService = async <T>(
  cwd: string,
  how: ReferenceOptions,
  use: (env: Readonly<Record<string, string>>, key: string) => Promise<T>,
): Promise<T> => {
  const service = await startReference({
    ...how,
    pages: (keys) => {
      for (const [key, who] of [
        [ada, 'ada'],
        [ben, 'ben'],
        [cem, 'cem'],
      ] as const)
        keys.set(key, who);
      return () => false;
    },
  });
  const given = join(cwd, 'given');
  mkdirSync(given);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(given, name), text);
  const { baseUrl, httpBaseUrl, caFile, key } = service;
  try {
    return await use(
      {
        BASE_URL: baseUrl,
        HTTP_BASE_URL: httpBaseUrl,
        CA_FILE: caFile,
        API_KEY: key,
        KEY_OF_ADA: ada,
        IDENTITIES: join(given, 'identities.yaml'),
        OVERLAY: join(given, 'overlay.yaml'),
        PROBES: 'standard',
      },
      key,
    );
  } finally {
    await service.close();
  }
};

const callsIn = (cwd: string): number => readFileSync(join(cwd, 'given', 'calls'), 'utf8').length;

const expectNone = (what: string, bytes: Buffer, keys: readonly string[]): void => {
  for (const text of unpackedWhole(bytes).map((part) => part.toString('latin1')))
    for (const form of keys.flatMap(formsOf)) expect(text.includes(form), `${what}: ${form}`).toBe(false);
};

for (const [how, tag] of [
  [{ variant: 'echoes-key', fault: 'no-key-asked' }, inFull],
  [{ variant: 'refusals-echo-the-request' }, inFull],
] as const)
  test(
    `no key of an identity is in an artefact of any reporter, with traces on: ${Object.values(how).join(', ')}`,
    tag,
    async ({ cwd }) => {
      const reporters = allReporters(join(cwd, 'left'));
      await withService(cwd, how, async (env, key) => {
        const { output, code } = await playwright(cwd, { ...env, EVIDENCE: 'full', ...reporters.env }, [
          '--trace',
          'on',
          '--workers=2',
          '--grep',
          '@list(Workouts|Exercises)',
          reporters.flag,
        ]);
        expect(code, output).toBe('fault' in how ? 1 : 0);
        const { identities = [], checks } = resultsIn(cwd);
        expect(identities.map(({ name }) => name)).toEqual(['nobody', 'invalid key', 'me', 'ada', 'ben', 'cem']);
        for (const rule of ['refuses-other-scopes', 'keeps-lists-apart'])
          expect(checks.map((check) => check.rule)).toContain(rule);
        // Fetched once, though both workers and those that take the place of one that ended use it.
        expect(callsIn(cwd)).toBe(1);
        const keys = [key, ada, ben, cem];
        expectNone('console', Buffer.from(output), keys);
        const names: string[] = [];
        for (const [name, bytes] of filesIn(cwd)) {
          if (name.startsWith(join(cwd, 'given'))) continue;
          names.push(name);
          expectNone(name, bytes, keys);
        }
        for (const wanted of ['out.json', 'out.xml', 'results.json', 'junit.xml', 'index.html', '.zip'])
          expect(
            names.some((name) => name.endsWith(wanted)),
            wanted,
          ).toBe(true);
      });
    },
  );

const blob = (cwd: string, env: Readonly<Record<string, string>>, shard: string): Promise<Front> =>
  playwright(cwd, { ...env, PLAYWRIGHT_BLOB_OUTPUT_DIR: join(cwd, `blob-${shard[0]}`) }, [
    `--shard=${shard}`,
    '--reporter=blob',
  ]);

test('shards with identities are merged to the matrix and the verdict of one run', inFull, async ({ cwd }) => {
  await withService(cwd, {}, async (env) => {
    for (const shard of ['1/2', '2/2']) {
      const { code, output } = await blob(cwd, env, shard);
      expect(code, output).toBe(0);
    }
    for (const part of ['blob-1', 'blob-2']) cpSync(join(cwd, part), join(cwd, 'all'), { recursive: true });
    // Each shard is a run of its own, with keys of its own.
    expect(callsIn(cwd)).toBe(2);
    const merged = await app(['merge', 'all', '--reports-dir', 'reports'], { cwd, env });
    const parts = resultsIn(cwd);
    const whole = await app(['run', '--reports-dir', 'whole', '--quiet'], { cwd, env });
    const { verdict, matrix, identities } = JSON.parse(
      readFileSync(join(cwd, 'whole', 'conformance', 'results.json'), 'utf8'),
    ) as Results;
    expect([merged.code, parts.verdict], merged.err).toEqual([whole.code, verdict]);
    expect(parts.matrix).toEqual(matrix);
    expect(parts.identities).toEqual(identities);
  });
});
