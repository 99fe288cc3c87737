import { judge } from '../../../src/app/judge.js';
import { type Answer, newKey, notFound, serving, things, unauthorized } from '../support/document-server.js';
import { protectedList, withFiles } from '../support/documents.js';
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
