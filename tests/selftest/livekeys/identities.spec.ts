import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from '../../../src/app/judge.js';
import type { Results } from '../../../src/engine/results.js';
import { startRoles } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { type Answer, newKey, notFound, serving, things, unauthorized } from '../support/document-server.js';
import { protectedList, withFiles } from '../support/documents.js';
import { settingsOfRoles } from '../support/roles.js';
import { expect, test } from '../support/test.js';

test('an identity whose key a program prints is asked with it', async () => {
  const [main, other] = [newKey(), newKey()];
  const seen = new Set<string>();
  const handler = ({ path, headers }: { path: string; headers: Readonly<Record<string, string>> }): Answer => {
    if (path !== '/things/') return notFound;
    const key = headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (![main, other].includes(key)) return unauthorized;
    seen.add(key);
    return { status: 200, body: things };
  };
  const identities = {
    identities: [
      { name: 'member' },
      {
        name: 'robot',
        keys: { key: { command: [process.execPath, '-e', `console.log('${other}')`] } },
        peers: ['member'],
      },
    ],
  };
  await serving(handler, ({ baseUrl, cert }) =>
    withFiles({ 'openapi.yaml': protectedList, 'ca.pem': cert, 'identities.yaml': identities }, async (path) => {
      const run = await judge({
        baseUrl,
        caFile: path('ca.pem'),
        contract: path('openapi.yaml'),
        identities: path('identities.yaml'),
        httpBaseUrl: 'none',
        apiKey: main,
      });
      expect(seen).toEqual(new Set([main, other]));
      const written: unknown[] = [run.results];
      for await (const exchange of run.exchanges()) written.push(exchange);
      expect(JSON.stringify(written)).not.toContain(other);
      await run.dispose();
    }),
  );
});

for (const [fault, outcome] of [
  [undefined, 'passed'],
  ['token-scope-not-checked', 'failed'],
] as const)
  test(`an identity whose key a token endpoint gives is asked with it: ${fault ?? 'conforming'}, ${outcome}`, async ({
    cwd,
  }) => {
    const roles = await startRoles(fault ? { fault } : {});
    const { service, variables, clientToken } = roles;
    try {
      await app(['run', '--only', 'refuses-other-scopes@listExercises', '--quiet'], {
        cwd,
        env: { ...settingsOfRoles(roles), REPORTS_DIR: cwd },
      });
      const text = readFileSync(join(cwd, 'conformance', 'results.json'), 'utf8');
      const { checks, matrix = [] } = JSON.parse(text) as Results;
      expect(
        checks.map((check) => check.outcome),
        checks[0]?.reason,
      ).toEqual([outcome]);
      expect(matrix.find((cell) => cell.operation === 'listExercises' && cell.identity === 'robot')?.seen).toBe(
        fault ? 'opens' : 'refuses',
      );
      for (const secret of [...Object.values(variables), clientToken]) expect(text).not.toContain(secret);
    } finally {
      await service.close();
    }
  });
