import { setTimeout as pause } from 'node:timers/promises';
import { saysNoKey, type Wording } from '../rules/key-page/no-key-message.js';
import { offersAction } from './action.js';
import type { Candidate } from './candidates.js';
import { statementsOf, wordingOf } from './message.js';
import { likelyKey, reveal, type Tried, tryKeys } from './shown-key.js';
import { together, Unfolding, type View, viewOf } from './unfold.js';
import type { Visit } from './visit.js';
import type { Walking } from './walking.js';

/** Everything that a page showed, its folded parts included. */
export interface Look extends View {
  /** Parts were unfolded: the page is no longer as it was loaded. */
  readonly unfolded: boolean;
  /** Nothing stayed folded away, as far as it is known. */
  readonly whole: boolean;
}

const showsKeyOrMessage = ({ pieces, candidates }: View): boolean =>
  candidates.some(({ score, visible }) => visible && score >= likelyKey) || statementsOf(pieces).some(saysNoKey);

/**
 * Reads the page once it has something that a key page has, or patience is at its end. Where neither a key nor a message is to be
 * seen, what is folded away is unfolded; `unfolds` has it unfolded in any case, for a page that is compared with one that was.
 */
export const look = async (visit: Visit, walking: Walking, unfolds = false): Promise<Look> => {
  const end = Date.now() + walking.patienceMs;
  const unfolding = new Unfolding(visit, walking);
  const offers = (): Promise<boolean> => offersAction(visit, walking.settings.action).catch(() => false);
  for (;;) {
    const first = await viewOf(visit, walking);
    const there = showsKeyOrMessage(first) || (await offers());
    await pause(150);
    await visit.settle();
    // What made the page ready may have come after it was read, and its texts with it.
    const plain = there ? await viewOf(visit, walking) : first;
    if (!unfolds && !unfolding.began && showsKeyOrMessage(plain)) return { ...plain, unfolded: false, whole: true };
    const more = await unfolding.further();
    const seen = together([plain, ...unfolding.views]);
    if (there || (more && (showsKeyOrMessage(seen) || (await offers()))) || Date.now() >= end)
      return { ...seen, unfolded: unfolding.began, whole: unfolding.whole };
  }
};

export interface Before {
  readonly tried: Tried;
  /** The last look; its candidates are those of all looks. */
  readonly look: Look;
  /** What the page says, the same in both looks. */
  readonly wording: Wording;
}

const without = (candidates: readonly Candidate[], known: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ value }) => known.every((each) => each.value !== value));

const inBoth = (one: readonly string[], other: readonly string[]): string[] => {
  const there = new Set(other);
  return one.filter((text) => there.has(text));
};

/** The page as it is found: which shown text is a key, and, where none is, what the page says twice. */
export const findBefore = async (visit: Visit, walking: Walking): Promise<Before> => {
  const { settings, secrets } = walking;
  const first = await look(visit, walking);
  const tried = await tryKeys(first.candidates, secrets);
  if (tried.key) return { tried, look: first, wording: wordingOf(first.pieces) };
  if (await reveal(visit)) {
    const uncovered = await look(visit, walking);
    const more = await tryKeys(without(uncovered.candidates, first.candidates), secrets);
    if (more.key) return { tried: more, look: uncovered, wording: wordingOf(uncovered.pieces) };
  }
  await visit.load(settings.url);
  const second = await look(visit, walking, first.unfolded);
  const late = await tryKeys(without(second.candidates, first.candidates), secrets);
  const [once, again] = [wordingOf(first.pieces), wordingOf(second.pieces)];
  return {
    tried: {
      key: late.key,
      refused: [...tried.refused, ...late.refused],
      unknown: tried.unknown || late.unknown,
    },
    look: {
      ...second,
      candidates: [...first.candidates, ...second.candidates],
      whole: first.whole && second.whole,
    },
    wording: {
      statements: inBoth(once.statements, again.statements),
      others: inBoth(once.others, again.others),
      hidden: inBoth(once.hidden, again.hidden),
      shown: [...new Set([...once.shown, ...again.shown])],
    },
  };
};
