import type { Again } from '../rules/key-page/record.js';
import { KeyPageTrouble } from './input.js';
import { lookFor } from './look-for.js';
import { tryKeys } from './shown-key.js';
import type { Visit } from './visit.js';
import { inNewWindow, type Walking } from './walking.js';

/**
 * Whether the page, just loaded, shows a key; a page that does not is loaded once more before anything is said.
 * `known` are key-like texts from before, which are not looked at as something in the key's place.
 */
export const seeAgain = async (
  visit: Visit,
  walking: Walking,
  key: string,
  known: readonly string[],
): Promise<Again> => {
  const { settings, secrets } = walking;
  const seen = await lookFor(visit, walking, key);
  if (seen.shows === 'shown') return { shows: 'shown' };
  await visit.load(settings.url);
  const second = await lookFor(visit, walking, key);
  if (second.shows === 'shown') return { shows: 'unsteady' };
  if (second.shows === 'absent' && !(seen.whole && second.whole))
    return {
      shows: 'unseen',
      trouble: 'a part of it takes a request that may change something, or there are too many.',
    };
  const others = [...seen.others, ...second.others].filter(({ value, visible }) => visible && !known.includes(value));
  if (others.length === 0) return { shows: second.shows };
  const tried = await tryKeys(others, secrets);
  return { shows: second.shows, instead: tried.key ? 'granted' : tried.unknown ? 'unknown' : 'refused' };
};

/** The same in another window, after logging in anew. */
export const seeInNewLogIn = async (walking: Walking, key: string, known: readonly string[]): Promise<Again> => {
  try {
    return await inNewWindow(walking, (visit) => seeAgain(visit, walking, key, known));
  } catch (error) {
    if (error instanceof KeyPageTrouble) return { shows: 'unseen', trouble: error.message };
    throw error;
  }
};
