import { KeyEnded, KeyWatch } from '../../../src/engine/live-keys/key-watch.js';
import { RenewedKey } from '../../../src/engine/live-keys/renewed-key.js';
import { type FetchedKey, KeyFetchError } from '../../../src/keys/fetched-key.js';
import { expect, inCi, inFull, test } from '../support/test.js';
import { ringOf } from '../support/wires.js';

/** A key whose source fails for a while, or gives the same key again. */

const first = 'c0ffee5ca1ab1e00decafbad0ddba11facade001';
const second = 'c0ffee5ca1ab1e00decafbad0ddba11facade002';

const fetched = (key: string, lifetimeMs?: number): FetchedKey => ({
  key,
  secrets: [],
  ...(lifetimeMs === undefined ? {} : { endsAt: Date.now() + lifetimeMs }),
});

/** A key whose source gives these one after the other; a text is why it fails. The last one stays. */
const keyFrom = (start: FetchedKey, ...answers: readonly (string | (() => FetchedKey))[]) => {
  const times: number[] = [];
  const key = new RenewedKey('API_KEY', start, {
    ring: ringOf(start.key),
    watch: new KeyWatch({ get: () => undefined, has: () => false }),
    supply: {
      first: new Map([['API_KEY', start]]),
      renew: async () => {
        const answer = answers[Math.min(times.length, answers.length - 1)] ?? 'nothing';
        times.push(Date.now());
        if (typeof answer === 'string') throw new KeyFetchError(answer, [], 'API_KEY_COMMAND');
        return answer();
      },
    },
  });
  return { key, times };
};

test('a key that has ended is replaced although its source fails for some seconds', inFull, async () => {
  const { key, times } = keyFrom(fetched(first, -1), 'busy', 'busy', 'busy', () => fetched(second, 60_000));
  await key.freshen();
  expect(key.current.key).toBe(second);
  expect(key.isGivenUp).toBe(false);
  // Each pause is longer than the one before it.
  const [one = 0, two = 0, three = 0, four = 0] = times;
  expect(two - one).toBeGreaterThanOrEqual(990);
  expect(three - two).toBeGreaterThanOrEqual(1_990);
  expect(four - three).toBeGreaterThanOrEqual(3_990);
});

test('a key that has ended is given up when its source goes on failing, and says why', inCi, async () => {
  const { key, times } = keyFrom(fetched(first, -1), 'busy');
  const error: unknown = await key.freshen().catch((caught: unknown) => caught);
  expect(error instanceof KeyEnded ? error.key.why : error).toBe('API_KEY_COMMAND: busy');
  expect(times).toHaveLength(4);
  await expect(key.freshen()).rejects.toBeInstanceOf(KeyEnded);
  expect(times).toHaveLength(4);
});

test('failures to replace a key that goes on opening requests are no reason to give it up', inFull, async () => {
  const { key } = keyFrom(fetched(first, 60_000), 'busy');
  for (let failures = 1; failures <= 3; failures += 1) await key.renew();
  key.noteOpened();
  await key.renew();
  expect(key.isGivenUp).toBe(false);
});

test('a source that gives the same key again has not failed', inFull, async () => {
  const { key } = keyFrom(fetched(first), 'busy', 'busy', 'busy', () => fetched(first), 'busy');
  for (let fetches = 1; fetches <= 5; fetches += 1) await key.renew();
  expect(key.current.key).toBe(first);
  expect(key.isGivenUp).toBe(false);
});
