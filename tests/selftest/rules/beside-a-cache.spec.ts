import {
  type Asked,
  judgeDocument,
  newKey,
  notFound,
  things,
  tokenList,
  unauthorized,
} from '../support/document-server.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * A cache that keeps what the key got opens the operation to some other request too. That is laid to
 * the cache alone, unless the request opens a URL that nobody has read.
 */

const key = newKey();
const isForOther = ({ headers }: Asked): boolean => !headers.host?.startsWith('127.0.0.1');

/** Gives what it kept at URLs with a query, and at every URL to another host. */
const judged = (opens: (asked: Asked) => boolean) => {
  const kept = new Set<string>();
  return judgeDocument(
    tokenList,
    (asked) => {
      if (asked.path !== '/things') return notFound;
      const url = `${asked.path}?${asked.query}`;
      const isOwner = asked.headers.authorization === `Token ${key}`;
      const isKept = kept.has(url) && (asked.query.size > 0 || isForOther(asked));
      if (isOwner) kept.add(url);
      return isOwner || isKept || opens(asked) ? { status: 200, body: things } : unauthorized;
    },
    { settings: { API_KEY: key }, only: ['AUTH-3'] },
  );
};

test('what a cache gives to another host is laid to the cache', async () => {
  const run = await judged(() => false);
  expect(run.check('refuses-leftovers').outcome).toBe('failed');
  expect(run.check('refuses-proxy-fields')).toMatchObject({
    outcome: 'blocked',
    blockedBy: ['refuses-leftovers@listThings'],
  });
});

test('another host that needs no key is told beside a cache', async () => {
  const run = await judged(isForOther);
  expect(run.check('refuses-leftovers').outcome).toBe('failed');
  expect(run.check('refuses-proxy-fields')).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('Host: '),
  });
});

for (const [what, seen] of [
  ['that takes no other query is no matter of the connection', 'the same URL right after a read with the key opens it'],
  ['of a connection is told as that', 'the connection that just carried a key opens it'],
] as const)
  test(`what a keyed read leaves ${what}`, inCi, async () => {
    let isLeft = false;
    let hasRefusedAKey = false;
    const run = await judgeDocument(
      tokenList,
      ({ path, query, headers }) => {
        if (path !== '/things') return notFound;
        if (query.size > 0) return { status: 400, body: { detail: 'No such parameter.' } };
        const isOwner = headers.authorization === `Token ${key}`;
        const opens = isOwner || (isLeft && (seen.startsWith('the same URL') || headers.connection === 'keep-alive'));
        isLeft = isOwner && hasRefusedAKey;
        hasRefusedAKey ||= !isOwner && headers.authorization !== undefined;
        return opens ? { status: 200, body: things } : unauthorized;
      },
      { settings: { API_KEY: key }, only: ['AUTH-3'] },
    );
    expect(run.check('refuses-leftovers')).toMatchObject({ outcome: 'failed', reason: expect.stringContaining(seen) });
  });
