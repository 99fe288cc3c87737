import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { lettingIn } from '../../../src/reference/behaviour.js';
import { certificateOf } from '../../../src/reference/certificates.js';
import { startChanged } from '../../../src/reference/service.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * Which requests of a run go together. The server answers some of them only once others have come.
 */

const key = '7be1d40c95f3a2688c07e4d1b3905a6f2e8c4d17';
const path = '/api/v2/workout/';
const workouts = JSON.stringify({ results: [{ id: 48213, notes: 'intervals, felt good', date: '2026-05-02' }] });

/** Number of header fields of a request without a key. */
const usualFields = 5;

/** Milliseconds after which an answer is given in any case. */
const longestMs = 4_000;

interface Held {
  /** Whether the answer to a request waits. */
  readonly holds: (request: IncomingMessage, seen: readonly string[]) => boolean;
  /** Whether it may be given, now that this one has come. */
  readonly frees: (request: IncomingMessage) => boolean;
}

const lineOf = ({ method, url, headers }: IncomingMessage): string =>
  `${method} ${url} ${headers.authorization === `Token ${key}` ? 'keyed' : (headers.authorization ?? '')}`.trim();

const holding = async ({ holds, frees }: Held) => {
  const { cert, key: privateKey } = await certificateOf('valid');
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  let late = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const found = request.url?.split('?')[0] === path;
    const isOpen = found && request.headers.authorization === `Token ${key}`;
    response.writeHead(isOpen || request.url === '/' ? 200 : found ? 401 : 404, { 'content-type': 'application/json' });
    response.end(isOpen ? workouts : JSON.stringify({ detail: found ? 'No key was sent.' : 'Nothing is here.' }));
  };
  const server = createServer({ cert, key: privateKey }, (request, response) => {
    if (frees(request)) for (const go of waiting.splice(0)) go();
    if (!holds(request, seen)) answer(request, response);
    else {
      const go = (): void => {
        clearTimeout(timer);
        if (!response.headersSent) answer(request, response);
      };
      const timer = setTimeout(() => {
        late += 1;
        go();
      }, longestMs);
      waiting.push(go);
    }
    seen.push(lineOf(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    httpBaseUrl: 'none',
    key,
    seen,
    /** Answers that were given although nothing had come that frees them. */
    late: () => late,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

test('what needs no key is sent before the first request is answered', async () => {
  let isFirst = true;
  const service = await holding({
    holds: () => {
      const first = isFirst;
      isFirst = false;
      return first;
    },
    frees: ({ url, headers }) => url === path && headers.authorization === undefined,
  });
  try {
    const run = await judgeRunning(service, { settings: { INSECURE_TLS: 'true' } });
    expect(service.seen[0]).toBe('GET /');
    expect(service.late()).toBe(0);
    expect(run.check('refuses-missing-key').outcome).toBe('passed');
  } finally {
    service.close();
  }
});

test('the read after what a key leaves behind goes together with what comes next', async () => {
  const keyed = `GET ${path} keyed`;
  const service = await holding({
    // Two controls, and two whose connections are used again.
    holds: (request, seen) => lineOf(request) === keyed && seen.filter((line) => line === keyed).length === 4,
    frees: ({ url }) => url?.includes('//') === true,
  });
  try {
    const run = await judgeRunning(service, { settings: { INSECURE_TLS: 'true' } });
    expect(service.late()).toBe(0);
    expect(run.check('refuses-leftovers').outcome).toBe('passed');
    expect(run.check('refuses-other-spellings').outcome).toBe('passed');
  } finally {
    service.close();
  }
});

test('requests that each open once are tried again together', inCi, async () => {
  const seen = new Set<string>();
  const override = lettingIn(({ headers, target }) => {
    const name = JSON.stringify([target, headers]);
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst && headers.length > usualFields;
  });
  const service = await startChanged([{ override }]);
  const run = await judgeRunning(service, { only: ['refuses-proxy-fields'] });
  expect(run.check('refuses-proxy-fields@listWorkouts')).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(/Not on every try: it opens now and then\.$/),
  });
  await service.close();
});
