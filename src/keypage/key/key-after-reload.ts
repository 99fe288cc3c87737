import { setTimeout as pause } from 'node:timers/promises';
import type { KeyPageAgain } from '../../rules/key-page/record.js';
import { offersAction } from '../controls/find-action.js';
import { reactsAtMask } from '../controls/gestures.js';
import { KeyPageTrouble } from '../input.js';
import { inNewWindow, type WalkContext } from '../log-in/walk-context.js';
import { holdsKey, type KeyCandidate, withoutKeys } from '../reading/key-candidates.js';
import { showsMessage, showsText } from '../reading/page-wording.js';
import { drawnText, type Piece } from '../reading/read-page.js';
import { withoutUndrawn } from '../window/drawn.js';
import type { Visit } from '../window/visit.js';
import {
  bringsHidden,
  copy,
  isMasked,
  isTelling,
  type KeyVisibility,
  keyVisibility,
  offersMore,
  passwordFields,
  reveal,
  tryKeys,
  whyUnseen,
} from './shown-key.js';
import { mergeViews, unfolding, viewOf } from './unfolding.js';

interface Found extends KeyVisibility {
  readonly whole: boolean;
  /** The page has a place for the key: a mask, or a field whose value is drawn as dots. */
  readonly hasPlace: boolean;
  readonly besideMessage: boolean;
  readonly unseen?: string | undefined;
}

/** Looks for a key on the page: waits, reveals hidden keys, expands parts. */
const findKey = async (visit: Visit, walking: WalkContext, key: string): Promise<Found> => {
  const { emptyText } = walking.settings;
  const end = Date.now() + walking.patienceMs;
  const parts = unfolding(visit, walking);
  const fields = await passwordFields(visit);
  let asked = false;
  let copied = false;
  let reacts: boolean | undefined;
  const keyIn = (piece: Piece): string | undefined => (holdsKey(drawnText(piece), key) ? key : undefined);
  const standsThere = (piece: Piece): boolean => piece.visible && keyIn(piece) !== undefined;
  for (;;) {
    const { pieces: read, candidates } = mergeViews([await viewOf(visit, walking), ...parts.views]);
    const pieces = await withoutUndrawn(visit, read, keyIn);
    const hasPlace = pieces.some((piece) => isMasked(piece) || (piece.role === 'field' && holdsKey(piece.text, key)));
    const besideMessage =
      showsMessage(pieces) || (emptyText !== undefined && showsText(pieces, emptyText, false) === 'shown');
    const seen = { ...keyVisibility(pieces, candidates, key), whole: parts.isWhole(), hasPlace, besideMessage };
    if (seen.shows === 'shown') return seen;
    if (!asked) {
      asked = true;
      if (await reveal(visit)) continue;
    }
    if (await parts.further()) {
      // The expanded part may have a control that reveals the key.
      asked = false;
      continue;
    }
    if (Date.now() >= end && !copied && seen.shows === 'absent') {
      copied = true;
      if (await copy(visit)) continue;
    }
    if (Date.now() >= end && reacts === undefined) {
      reacts = await reactsAtMask(visit);
      if (reacts) continue;
    }
    if (Date.now() >= end)
      return seen.shows === 'absent'
        ? {
            ...seen,
            unseen: reacts
              ? 'what it masks reacts to the mouse, and may show the key in a way that is not known.'
              : await whyUnseen(visit, { pieces, action: walking.settings.action, fields }),
          }
        : (await bringsHidden(visit))
          ? seen
          : {
              ...seen,
              unseen: `the key is in the page${read.some(standsThere) ? ', but not drawn so that a person sees it' : ''}, and nothing was found that shows or copies it.`,
            };
    await pause(150);
  }
};

/** The key page as it was read before, to recognise it again. */
interface KnownPage {
  /** Key-like texts, which do not replace the key. */
  readonly known: readonly string[];
  readonly pieces: readonly Piece[];
}

const textsIn = (pieces: readonly Piece[]): ReadonlySet<string> =>
  new Set(pieces.flatMap(({ text, visible, aside }) => (visible && !aside ? [withoutKeys(text)] : [])));

/**
 * Whether a page is the key page: it has the action, or half of the texts from before. On any other
 * page, a missing key shows nothing.
 */
const isSamePlace = async (visit: Visit, { pieces }: KnownPage, action: string | undefined): Promise<boolean> => {
  if (await offersAction(visit, action)) return true;
  const [before, now] = [textsIn(pieces), textsIn(await visit.read())];
  return [...before].filter((text) => now.has(text)).length * 2 >= before.size;
};

/** Whether the page shows the key, just loaded or loaded once more. */
export const keyAfterReload = async (
  visit: Visit,
  walking: WalkContext,
  key: string,
  place: KnownPage,
): Promise<KeyPageAgain> => {
  const { settings, secrets } = walking;
  const seen = await findKey(visit, walking, key);
  if (seen.shows === 'shown') return { shows: 'shown', besideMessage: seen.besideMessage };
  await visit.load(settings.url);
  const second = await findKey(visit, walking, key);
  if (second.shows === 'shown') return { shows: 'unsteady' };
  if (second.shows === 'absent' && !(seen.whole && second.whole))
    return {
      shows: 'unseen',
      trouble: 'a part of it takes a request that may change something, or there are too many.',
    };
  const unseen = second.unseen ?? seen.unseen;
  if (unseen !== undefined) return { shows: 'unseen', trouble: unseen };
  if (second.shows === 'absent' && !(await isSamePlace(visit, place, settings.action)))
    return { shows: 'unseen', trouble: 'another page is there, without the action. Open it and see what it asks for.' };
  if (second.shows === 'hidden' && second.hasPlace) return { shows: 'hidden' };
  // Drawn in capitals, it is still the key.
  const isInstead = (one: KeyCandidate): boolean =>
    second.shows === 'hidden' ? isTelling(one) && one.value.toLowerCase() !== key.toLowerCase() : one.visible;
  const others = [...seen.others, ...second.others].filter((one) => !place.known.includes(one.value) && isInstead(one));
  if (others.length === 0) return { shows: second.shows };
  const tried = await tryKeys(others, secrets);
  const more = tried.key && second.shows === 'absent' ? await offersMore(visit, settings.action) : undefined;
  if (more !== undefined)
    return { shows: 'unseen', trouble: `it shows another key, and ${more} may show this one, and was not used.` };
  return { shows: second.shows, instead: tried.key ? 'granted' : tried.unknown ? 'unknown' : 'refused' };
};

/** The key in another window, after a new log-in. */
export const keyAfterNewLogIn = async (walking: WalkContext, key: string, place: KnownPage): Promise<KeyPageAgain> => {
  try {
    return await inNewWindow(walking, (visit) => keyAfterReload(visit, walking, key, place));
  } catch (error) {
    if (error instanceof KeyPageTrouble) return { shows: 'unseen', trouble: error.message };
    throw error;
  }
};
