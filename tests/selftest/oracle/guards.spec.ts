import { spellingsOf } from '../../../src/rules/bypass/path-spellings.js';
import { changedTargets, gatewayOf } from '../../generator/guards.js';
import { deployment } from '../../generator/world.js';
import { expect, test } from '../support/test.js';

/**
 * The spellings of a path, against guards and routers that nobody wrote by hand. No list has every
 * way past a guard: this one holds its share.
 */

const path = '/api/v2/workout/';

const spelled = spellingsOf(path, deployment, ['/api/v2/exercise/', '/api/v2/ingredient/']).map(({ spell }) =>
  spell(path),
);

test('spellings get past nineteen of twenty guards that any change of the path gets past', () => {
  const visible = Array.from({ length: 3_000 }, (_, index) => gatewayOf('guards', index)).flatMap((gateway) =>
    gateway && changedTargets.some(gateway.opens) ? [gateway] : [],
  );
  const missed = visible.filter(({ opens }) => !spelled.some(opens));
  const words = missed
    .slice(0, 20)
    .map((gateway) => `${gateway.words}: ${changedTargets.filter(gateway.opens).slice(0, 3).join(' ')}`);
  expect(missed.length * 20, words.join('\n')).toBeLessThan(visible.length);
  // A generator of nothing but what is closed shows nothing.
  expect(visible.length).toBeGreaterThan(1_000);
});
