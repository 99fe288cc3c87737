import { createServer } from 'node:https';
import { type AddressInfo, createServer as createFront } from 'node:net';
import { certificateOf } from '../../../src/reference/certificates.js';
import { atSomeDeadline } from '../support/deadlines.js';
import { judgeReference, judgeRunning } from '../support/judge.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * A slow line, server or machine costs a verdict at most: it is never taken for a refusal, nor for
 * silence.
 */

const key = '7be1d40c95f3a2688c07e4d1b3905a6f2e8c4d17';
const momentMs = 1_500;
const workouts = JSON.stringify({
  results: [
    { id: 48213, notes: 'intervals, felt good', date: '2026-05-02' },
    { id: 48377, notes: 'long run by the river', date: '2026-05-03' },
  ],
});

/**
 * Closes after each answer; a cache in front keeps what the key opened for a moment. `slowPairs`
 * times it keeps everybody who connects after a read with the key waiting until that moment is
 * over.
 * @param closes whether it closes the connection of a request without the key instead, after which
 *   whoever connects waits as long
 */
const forgetful = async (slowPairs: number, closes = false) => {
  const { cert, key: privateKey } = await certificateOf('valid');
  const cached = new Set<string>();
  let slow = slowPairs;
  let moment = Promise.resolve();
  const server = createServer({ cert, key: privateKey }, (request, response) => {
    const target = request.url ?? '';
    const hasKey = request.headers.authorization === `Token ${key}`;
    const found = target.startsWith('/api/v2/workout/');
    if (closes && !hasKey && target.includes('?')) {
      moment = new Promise((resolve) => setTimeout(resolve, momentMs));
      request.socket.destroy();
      return;
    }
    const opens = found && (hasKey || cached.has(target));
    if (found && hasKey && target.includes('?')) {
      cached.add(target);
      if (slow > 0) {
        slow -= 1;
        moment = new Promise((resolve) => setTimeout(resolve, momentMs)).then(() => cached.clear());
      }
    }
    response.writeHead(opens ? 200 : found ? 401 : 404, { 'content-type': 'application/json', connection: 'close' });
    response.end(opens ? workouts : JSON.stringify({ detail: found ? 'No key was sent.' : 'Nothing is here.' }));
  });
  const front = createFront(async (socket) => {
    socket.on('error', () => undefined);
    await moment;
    server.emit('connection', socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    httpBaseUrl: 'none',
    key,
    close: () => {
      server.closeAllConnections();
      front.close();
    },
  };
};

for (const [slowPairs, outcome, words] of [
  [0, 'failed', 'the same URL right after a read with the key opens it'],
  [1, 'failed', 'the same URL right after a read with the key opens it'],
  [1_000, 'inconclusive', 'too late to show what that left behind'],
] as const)
  test(
    `a cache of a moment behind a line that is slow ${slowPairs} times: ${outcome}`,
    slowPairs > 0 ? inFull : {},
    async () => {
      const service = await forgetful(slowPairs);
      try {
        const run = await judgeRunning(service, { only: ['refuses-leftovers'], settings: { INSECURE_TLS: 'true' } });
        const check = run.check('refuses-leftovers');
        expect(check.reason).toContain(words);
        expect(check.outcome).toBe(outcome);
      } finally {
        service.close();
      }
    },
  );

test(
  'a service that closes the connection at once is not asked too late, however long the next try takes',
  inCi,
  async () => {
    const service = await forgetful(0, true);
    try {
      const run = await judgeRunning(service, { only: ['refuses-leftovers'], settings: { INSECURE_TLS: 'true' } });
      expect(run.check('refuses-leftovers')).toMatchObject({ outcome: 'passed' });
    } finally {
      service.close();
    }
  },
);

test(
  'plain HTTP that is silent for not much longer than HTTPS takes for an answer may only be slow',
  inCi,
  async () => {
    await atSomeDeadline(async (timeoutMs) => {
      const run = await judgeReference({
        variant: 'plain-http-silent',
        service: { latencyMs: 0.7 * timeoutMs },
        settings: { TIMEOUT_MS: String(timeoutMs), PROBES: 'standard' },
        only: ['refuses-plain-http'],
      });
      const check = run.check('refuses-plain-http@listWorkouts');
      expect(check.reason).toContain('raise TIMEOUT_MS');
      expect(check.outcome).toBe('inconclusive');
    });
  },
);

test(
  'plain HTTP that is silent is not called slow for a wait that was cut short as known to be in vain',
  inCi,
  async () => {
    await atSomeDeadline(
      async (timeoutMs) => {
        const run = await judgeReference({
          variant: 'plain-http-silent',
          service: { latencyMs: 0.15 * timeoutMs },
          settings: { TIMEOUT_MS: String(timeoutMs), CONCURRENCY: '4' },
          only: ['refuses-plain-http'],
        });
        for (const name of ['listWorkouts', 'listExercises', 'listIngredients'])
          expect(run.check(`refuses-plain-http@${name}`)).toMatchObject({ outcome: 'passed' });
        // Each request to plain HTTP is waited for: longer deadlines would take minutes.
      },
      [400, 1_000, 2_000],
    );
  },
);
