import { setTimeout as pause } from 'node:timers/promises';
import { copy, reveal, type Sight, sight } from './shown-key.js';
import { together, Unfolding, viewOf } from './unfold.js';
import type { Visit } from './visit.js';
import type { Walking } from './walking.js';

/** Looks for a key that the page ought to show: waits for a page that is slow, asks for a key that is hidden, unfolds what is folded away. */
export const lookFor = async (
  visit: Visit,
  walking: Walking,
  key: string,
): Promise<Sight & { readonly whole: boolean }> => {
  const end = Date.now() + walking.patienceMs;
  const unfolding = new Unfolding(visit, walking);
  let asked = false;
  let copied = false;
  for (;;) {
    const { pieces, candidates } = together([await viewOf(visit, walking), ...unfolding.views]);
    const seen = { ...sight(pieces, candidates, key), whole: unfolding.whole };
    if (seen.shows === 'shown') return seen;
    if (!asked) {
      asked = true;
      if (await reveal(visit)) continue;
    }
    if (await unfolding.further()) {
      // What is hidden may be asked for in the part that was unfolded.
      asked = false;
      continue;
    }
    if (Date.now() >= end && !copied && seen.shows === 'absent') {
      copied = true;
      if (await copy(visit)) continue;
    }
    if (Date.now() >= end) return seen;
    await pause(150);
  }
};
