import { createServer as createPlain, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificateOf } from '../../../src/reference/certificates.js';
import { judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** HTTPS that serves nothing itself, and redirects every request to plain HTTP. */

const key = '7be1d40c95f3a2688c07e4d1b3905a6f2e8c4d17';
const exercises = JSON.stringify([
  { id: 1, name: 'Bench press', category: 'Chest' },
  { id: 2, name: 'Deadlift', category: 'Back' },
]);

type Plain = (request: IncomingMessage, httpsOrigin: string) => readonly [status: number, body: string, to?: string];

const api: Plain = ({ url = '', headers }) => {
  if (/^\/api\/v2\/(?:exercise|ingredient)\/$/.test(url)) return [200, exercises];
  if (url !== '/api/v2/workout/') return [404, '{"detail":"Not found."}'];
  return headers.authorization === `Token ${key}` ? [200, '[]'] : [401, '{"detail":"No key was sent."}'];
};

const cases: readonly (readonly [words: string, plain: Plain, failed: readonly string[]])[] = [
  ['the API is there', api, ['listExercises', 'listIngredients', 'listWorkouts']],
  ['everything is one page', () => [200, 'It works'], []],
  ['everything asks for a password', () => [401, 'Authorization Required'], []],
  ['it redirects back to HTTPS', ({ url = '' }, origin) => [301, '', `${origin}${url}`], []],
];

for (const [words, plain, failed] of cases)
  test(`HTTPS redirects to plain HTTP, where ${words}`, async () => {
    const { cert, key: privateKey } = await certificateOf('valid');
    const listening = async (server: ReturnType<typeof createPlain>): Promise<number> => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return (server.address() as AddressInfo).port;
    };
    let httpsPort = 0;
    const other = createPlain((request, response) => {
      const [status, body, location] = plain(request, `https://127.0.0.1:${httpsPort}`);
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
      response.end(body);
    });
    const httpPort = await listening(other);
    const server = createServer({ cert, key: privateKey }, ({ url }, response) => {
      response.writeHead(301, { location: `http://127.0.0.1:${httpPort}${url}` });
      response.end();
    });
    httpsPort = await listening(server);
    try {
      const run = await judgeRunning(
        { baseUrl: `https://127.0.0.1:${httpsPort}`, httpBaseUrl: `http://127.0.0.1:${httpPort}`, key },
        {
          only: ['refuses-plain-http', 'serves-documented-path', 'opens-without-credentials'],
          settings: { INSECURE_TLS: 'true' },
        },
      );
      const found = run.results.checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
      expect(found.sort()).toEqual(failed.map((name) => `refuses-plain-http@${name}`));
      const reasons = run.results.checks.map(({ reason }) => reason).join('\n');
      expect(reasons).not.toContain('set BASE_URL to it');
      expect(reasons).not.toContain('EXERCISE_PATH');
    } finally {
      for (const each of [server, other]) {
        each.closeAllConnections();
        each.close();
      }
    }
  });
