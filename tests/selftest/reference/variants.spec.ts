import { variants } from '../../../src/reference/index.js';
import { withReference } from '../support/reference.js';
import { expect, sample, test } from '../support/test.js';
import { isOutOfReach } from '../support/zoo.js';

/** Behaviour over many connections or a long time is for the runs of the whole suite. */
const moody = new Set([
  '429-once',
  '429-without-retry-after',
  'reset-once',
  'resets-1-in-10',
  '503-twice',
  'opens-once',
]);

/** Who has the key gets 204 and nothing to read; who has none gets no answer at all. */
const silent = new Set(['nothing-to-read', 'two-fields-and-nothing-to-read', 'no-key-hangs-up']);

test('names are unique, and there are at least thirty that conform', () => {
  const names = variants.map((variant) => variant.name);
  expect(new Set(names).size).toBe(names.length);
  expect(variants.filter(({ verdict = 'conformant' }) => verdict === 'conformant').length).toBeGreaterThan(30);
});

for (const variant of sample(
  variants.filter(({ name }) => !moody.has(name) && !silent.has(name)),
  3,
)) {
  test(`variant ${variant.name} opens with its key, not without it, and is public where it should be`, async () => {
    test.skip(isOutOfReach(variant), 'this machine has no IPv6');
    await withReference({ variant: variant.name }, async ({ service, get, tolerant }) => {
      const fetch = variant.name === 'unknown-issuer' ? tolerant : get;
      const base = new URL(service.baseUrl).pathname.replace(/\/$/, '');
      const read = (path: string, headers = {}) => fetch(base + path, headers);
      const anonymous = await read('/api/v2/workout/');
      const keyed = await read('/api/v2/workout/', { Authorization: `Token ${service.key}` });
      expect(anonymous.body).not.toContain('Left knee');
      if (variant.verdict === 'incomplete' && variant.name !== 'unknown-issuer') return;
      const { EXERCISE_PATH = '/api/v2/exercise/', INGREDIENT_PATH = '/api/v2/ingredient/' } = variant.settings ?? {};
      const open = variant.name === 'public-redirects' ? 301 : 200;
      expect({
        keyed: keyed.status,
        differs: keyed.body !== anonymous.body,
        exercise: (await read(EXERCISE_PATH)).status,
        ingredient: (await read(INGREDIENT_PATH)).status,
      }).toEqual({ keyed: 200, differs: true, exercise: open, ingredient: open });
    });
  });
}
