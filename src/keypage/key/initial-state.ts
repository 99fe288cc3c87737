import { setTimeout as pause } from 'node:timers/promises';
import type { KeyPageWording } from '../../rules/key-page/record.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { type KeyCandidate, likelyKey, mergeCandidates } from '../reading/key-candidates.js';
import { saysNoKey, sentencesOf } from '../reading/no-key-words.js';
import { messagesIn, showsMessage, showsText, statementsOf, wordingOf } from '../reading/page-wording.js';
import type { Piece } from '../reading/read-page.js';
import { withoutUndrawn } from '../window/drawn.js';
import type { Visit } from '../window/visit.js';
import { alsoTried, copy, isInKeyPlace, reveal, type TriedCandidates, tryKeys } from './shown-key.js';
import { mergeViews, type PageView, unfolding, viewOf } from './unfolding.js';

/** Everything that a page showed, including its collapsed parts. */
export interface PageState extends PageView {
  /** Parts were expanded, so the page is no longer as it was loaded. */
  readonly unfolded: boolean;
  /** Controls such as "Show key" were pressed, and what they show was read. */
  readonly revealed?: true;
  /** As far as known, every part was expanded and read. */
  readonly whole: boolean;
  /** Milliseconds after which it showed a key or the message; 0 if it did at once. */
  readonly readyMs: number;
  /** Texts in the place of a key that the API refuses: the page may still load the key. */
  readonly refused?: readonly string[] | undefined;
}

const isRead = ({ traffic }: Visit, { pieces }: PageView): boolean =>
  traffic.limited === undefined && pieces.every(({ unread }) => !unread);

const showsKeyOrMessage = ({ pieces, candidates }: PageView, refused: readonly string[] = []): boolean =>
  candidates.some(({ value, score, visible }) => visible && score >= likelyKey && !refused.includes(value)) ||
  showsMessage(pieces);

/** How the page was read before, for a view that is compared with that one. */
interface Earlier extends Pick<PageState, 'refused'> {
  readonly unfolded: boolean;
  readonly revealed?: true;
  /** Its statements, where it has no key and none of them is known to be the message. */
  readonly unclear: readonly string[];
  readonly readyMs: number;
}

export const earlierOf = (page: PageState): Earlier => ({
  unfolded: page.unfolded,
  ...(page.revealed ? { revealed: true } : {}),
  refused: page.refused,
  unclear: showsKeyOrMessage(page, page.refused) ? [] : statementsOf(page.pieces),
  readyMs: showsKeyOrMessage(page, page.refused) ? page.readyMs : 0,
});

/**
 * Waits until the page shows a key or the message, or patience ends, and reads it. The action alone
 * does not end the wait. Parts are expanded if there is neither a key nor a message, or if they
 * were expanded before. If any of several texts may have been the message, it waits for all of
 * them. A message that came late may also come late beside a key.
 */
export const readPageState = async (visit: Visit, walking: WalkContext, earlier?: Earlier): Promise<PageState> => {
  const loaded = await readDrawn(visit, walking, earlier);
  return earlier?.revealed && (await reveal(visit)) ? withRevealed(loaded, await readDrawn(visit, walking)) : loaded;
};

const withRevealed = (loaded: PageState, revealed: PageState): PageState => ({
  ...mergeViews([loaded, revealed]),
  unfolded: loaded.unfolded,
  revealed: true,
  whole: loaded.whole && revealed.whole,
  readyMs: loaded.readyMs,
  refused: loaded.refused,
});

/** The message counts as visible only where it is drawn. */
const readDrawn = async (visit: Visit, walking: WalkContext, earlier?: Earlier): Promise<PageState> => {
  const { emptyText } = walking.settings;
  const state = await readLoaded(visit, walking, earlier);
  const messages = messagesIn(state.pieces);
  const messageIn = (piece: Piece): string | undefined =>
    emptyText !== undefined && showsText([piece], emptyText, false) === 'shown'
      ? piece.text
      : messages.has(piece.text)
        ? (sentencesOf(piece.text).find((one) => saysNoKey(one)) ?? piece.text)
        : undefined;
  return { ...state, pieces: await withoutUndrawn(visit, state.pieces, messageIn) };
};

const readLoaded = async (visit: Visit, walking: WalkContext, earlier?: Earlier): Promise<PageState> => {
  const { unfolded = false, unclear = [], readyMs: before = 0, refused = [] } = earlier ?? {};
  const started = Date.now();
  await pause(before * 1.5);
  const end = Date.now() + walking.patienceMs;
  const parts = unfolding(visit, walking);
  const isReady = (view: PageView): boolean => {
    if (unclear.length === 0) return showsKeyOrMessage(view, refused);
    const statements = new Set(statementsOf(view.pieces));
    return unclear.every((text) => statements.has(text));
  };
  for (let isFirst = true; ; isFirst = false) {
    const first = await viewOf(visit, walking);
    await pause(150);
    await visit.settle();
    // The page may have become ready after it was read.
    const plain = isReady(first) ? await viewOf(visit, walking) : first;
    const readyMs = isFirst ? before : Date.now() - started;
    if (!unfolded && !parts.began() && isReady(plain))
      return { ...plain, unfolded: false, whole: isRead(visit, plain), readyMs };
    await parts.further();
    const seen = mergeViews([plain, ...parts.views]);
    if (isReady(seen) || Date.now() >= end)
      return { ...seen, unfolded: parts.began(), whole: parts.isWhole() && isRead(visit, seen), readyMs };
  }
};

export interface InitialState {
  readonly tried: TriedCandidates;
  /** The page as read last. Its candidates are those of all reads. */
  readonly page: PageState;
  readonly wording: KeyPageWording;
}

const without = (candidates: readonly KeyCandidate[], known: readonly KeyCandidate[]): KeyCandidate[] =>
  candidates.filter(({ value }) => known.every((each) => each.value !== value));

const inBoth = (one: readonly string[], other: readonly string[]): string[] => {
  const there = new Set(other);
  return one.filter((text) => there.has(text));
};

/** Reads the page before anything is pressed: its key, or else the texts that stay the same. */
export const readInitialState = async (visit: Visit, walking: WalkContext): Promise<InitialState> => {
  const { settings, secrets } = walking;
  let first = await readPageState(visit, walking);
  let tried = await tryKeys(first.candidates, secrets);
  // What the API refuses ends no wait, also where it was shown only for a moment until now.
  const refused = tried.refused.map(({ value }) => value);
  first = { ...first, refused };
  if (!tried.key && tried.refused.some(isInKeyPlace)) {
    const waited = await readPageState(visit, walking, { unfolded: first.unfolded, unclear: [], readyMs: 0, refused });
    tried = alsoTried(tried, await tryKeys(without(waited.candidates, first.candidates), secrets));
    first = { ...waited, candidates: mergeCandidates([...first.candidates, ...waited.candidates]), refused };
  }
  if (tried.key) return { tried, page: first, wording: wordingOf(first.pieces) };
  if (await reveal(visit)) {
    const uncovered = await readPageState(visit, walking);
    const more = await tryKeys(without(uncovered.candidates, first.candidates), secrets);
    if (more.key) return { tried: more, page: uncovered, wording: wordingOf(uncovered.pieces) };
    // After its key was asked for, the page may say that there is none.
    first = withRevealed(first, uncovered);
  }
  if (await copy(visit)) {
    const { candidates } = await viewOf(visit, walking);
    const copied = await tryKeys(without(candidates, first.candidates), secrets);
    if (copied.key) return { tried: copied, page: { ...first, candidates }, wording: wordingOf(first.pieces) };
  }
  await visit.load(settings.url);
  const second = await readPageState(visit, walking, earlierOf(first));
  const late = await tryKeys(without(second.candidates, first.candidates), secrets);
  const [once, again] = [wordingOf(first.pieces), wordingOf(second.pieces)];
  const statements = inBoth(once.statements, again.statements);
  return {
    tried: alsoTried(tried, late),
    page: {
      ...second,
      candidates: [...first.candidates, ...second.candidates],
      whole: first.whole && second.whole,
      refused: first.refused,
    },
    wording: {
      statements,
      others: inBoth(once.others, again.others),
      // Texts that were visible in only one of the two views were there for a moment.
      hidden: inBoth([...once.hidden, ...once.statements], [...again.hidden, ...again.statements]).filter(
        (text) => !statements.includes(text),
      ),
      shown: [...new Set([...once.shown, ...again.shown])],
      saysNone: inBoth(once.saysNone, again.saysNone),
      pictures: Math.min(once.pictures, again.pictures),
    },
  };
};
